import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DAY_MS } from '#kernel/time.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { createLog } from '../../platform/process/log.ts'
import { instrumentsFrom } from '../instruments/instruments.ts'
import { recordedDays } from './recorded-days.ts'

const instruments = instrumentsFrom([instrument({ id: 1, symbol: 'BTCUSDT' })])
const FIRST = Date.parse('2026-01-01')

function folder(files: Record<string, string>): string {
  const path = mkdtempSync(join(tmpdir(), 'cleartick-recordings-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}
const reading = (path: string | undefined) => recordedDays(path, instruments, createLog('silent'))

test('reads the newest 31 days, newest first, once', async () => {
  const lines = Array.from({ length: 40 }, (_, day) => `${FIRST + day * DAY_MS},100,103,99,101,5`)
  const path = folder({ '2026-01-01_test_BTCUSDT_1m_trade.csv': lines.join('\n') })
  const read = reading(path)
  const days = await read()
  expect(days).toHaveLength(31)
  expect(days.map(({ start }) => (start - FIRST) / DAY_MS)).toEqual(Array.from({ length: 31 }, (_, n) => 39 - n))
  expect([...days[0]!.minutes]).toEqual([
    ['BTCUSDT', JSON.stringify([[FIRST + 39 * DAY_MS, 10_000, 10_300, 9_900, 10_100]])],
  ])
  expect(await read()).toBe(days)
})

test('has no days without a folder, without recordings, or with one that cannot be read', async () => {
  expect(await reading(undefined)()).toEqual([])
  expect(await reading(folder({ 'notes.txt': 'x' }))()).toEqual([])
  const path = folder({ '2026-01-01_test_BTCUSDT_1m_trade.csv.gz': 'not compressed' })
  const read = reading(path)
  expect(await read()).toEqual([])
  rmSync(join(path, '2026-01-01_test_BTCUSDT_1m_trade.csv.gz'))
  writeFileSync(join(path, '2026-01-01_test_BTCUSDT_1m_trade.csv'), `${FIRST},100,103,99,101,5\n`)
  expect(await read(), 'it tries again').toHaveLength(1)
})
