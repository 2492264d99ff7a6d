import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type TestContext, test } from 'vitest'

/** Where recorded market data lies: the setting `MARKET_DATA`, by default beside the project. */
export const MARKET_DATA = process.env.MARKET_DATA || fileURLToPath(new URL('../../../shared/data', import.meta.url))

/** A test on recorded market data. Where there is none it is reported as not run, with the reason, never as passed. */
export function testOnMarketData(name: string, run: (context: TestContext) => Promise<void>, timeoutMs?: number): void {
  test(
    name,
    async (context) => {
      if (!existsSync(MARKET_DATA)) context.skip(`did not run: no recorded market data in MARKET_DATA=${MARKET_DATA}`)
      await run(context)
    },
    timeoutMs,
  )
}
