import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type TestContext, test } from 'vitest'

/** Folder of recorded market data: the setting `MARKET_DATA`, by default next to the project. */
export const MARKET_DATA = process.env.MARKET_DATA || fileURLToPath(new URL('../../../../shared/data', import.meta.url))

/** Defines a test on recorded market data. Without the data it is skipped, with the reason, rather than passed. */
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
