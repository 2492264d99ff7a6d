import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = `Simulates days of trading through the real tape, acceptance and settlement, then computes every outcome again from the
downloaded tape alone and compares it with the ledger, to the cent.

  npm run replay-month                                       30 days, 60,000 trades
  npm run replay-month -- --days 7 --trades 20000 --seed 3   fewer, from another seed`

const root = join(import.meta.dirname, '../..')

const number = { type: 'string' } as const
const { values } = parseArgs({
  options: { days: number, trades: number, seed: number, help: { type: 'boolean' } },
})
const { days = '30', trades = '60000', seed = '14' } = values
if (values.help || [days, trades, seed].some((value) => !/^[1-9]\d{0,7}$/.test(value))) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 1)
}

const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'lab/month/replay-month.test.ts', '--disableConsoleIntercept'],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'test', MONTH_DAYS: days, MONTH_TRADES: trades, MONTH_SEED: seed },
  },
)
process.exit(status ?? 1)
