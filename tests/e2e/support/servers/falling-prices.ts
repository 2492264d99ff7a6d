import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Instrument } from '#contract/prices/prices.ts'
import { MINUTE_MS } from '#kernel/time.ts'

const MINUTES = 30

/** Writes a recording in which every traded symbol falls each minute, so that each Buy trade loses. */
export async function recordFallingPrices(folder: string): Promise<void> {
  const answer = await fetch(`${process.env.E2E_ORIGIN}/api/prices/instruments`)
  const { data } = (await answer.json()) as { data: Instrument[] }
  mkdirSync(folder)
  for (const { symbol } of data.filter((one) => one.trading_type !== null)) {
    const bars = Array.from({ length: MINUTES }, (_, minute) => {
      const [open, close] = [100 - minute, 99.5 - minute]
      return [Date.UTC(2026, 0, 5) + minute * MINUTE_MS, open, open, close, close, 1].join(',')
    })
    writeFileSync(join(folder, `2026-01-05_test_${symbol}_1m_trade.csv`), `${bars.join('\n')}\n`)
  }
}
