import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LAB } from './lab/lab.ts'

/**
 * Tests that replace modules, globals or timers, measure their process or keep it busy: each file runs in a separate
 * process. With false timers, the server that other files of the process share would stop permanently.
 */
export const ALONE = [
  'web/api/tape-clock.test.ts',
  'web/client/client.test.ts',
  'web/client/stream.test.ts',
  'web/trader/notices/device/signs.test.ts',
  'server/platform/process/log.test.ts',
  'server/platform/process/clock.test.ts',
  'server/prices/tape/leader/pace.test.ts',
  'server/venues/watch-silence.test.ts',
  'server/platform/sockets/paced-writes.test.ts',
  'server/ledger/push-balances.test.ts',
  'server/platform/process/beat.test.ts',
  'server/platform/database/db.test.ts',
  'lab/coverage/coverage.test.ts',
  'lab/abuse/request-cost.test.ts',
  'tests/flows/operations/periodic-plans.test.ts',
]
/**
 * They take longest for their size, by which Vitest sorts files that it hasn't timed yet. They start first: the others then
 * keep every worker busy to the end.
 */
export const LONGEST = [
  'tests/flows/contract/desk-contract.test.ts',
  'tests/flows/contract/contract-others.test.ts',
  'tests/flows/prices/auto-prices.test.ts',
  'lab/abuse/token-cross-use.test.ts',
  'lab/abuse/lock-out.test.ts',
  'lab/coverage/coverage.test.ts',
  'tests/flows/desk/operators/audit-head.test.ts',
  'tests/flows/operations/expired-days.test.ts',
  'tests/flows/money/statement.test.ts',
  'tests/flows/automatic/backtest.test.ts',
  'tests/flows/operations/proof-command.test.ts',
  'server/trading/trade.property.test.ts',
  'server/prices/candles/history.test.ts',
  'tests/flows/contract/contract-accounts.test.ts',
  'tests/flows/operations/retention.test.ts',
  'kernel/sale-value.test.ts',
  'tests/flows/operations/commands.test.ts',
  'tests/flows/operations/monitoring-files.test.ts',
  'tests/flows/money/addresses.test.ts',
  'server/prices/instruments/preview.test.ts',
  'server/prices/tape/variances.test.ts',
  'server/ledger/period-counts.test.ts',
  'tests/flows/operations/nodes.test.ts',
  'tests/flows/operations/metrics.test.ts',
  'tests/flows/trading/latency.test.ts',
  'server/prices/instruments/moves.test.ts',
  'scripts/try-again.test.ts',
  'server/platform/process/event-loop.test.ts',
  'tests/flows/automatic/backtest-command.test.ts',
  'server/platform/database/replicas.test.ts',
  'tests/flows/desk/operators/desk-command.test.ts',
]
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`))
      return at === -1 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
/** Tests of `npm run lab`. */
const LABORATORY = Object.values(LAB).flatMap(({ tests = [] }) => tests)

export default defineConfig({
  test: {
    globalSetup: ['tests/support/servers/global-setup.ts'],
    pool: 'forks',
    // Tests also wait, so a third worker finds room on two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // For a busy machine: a test that hangs is found all the same.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        // A process runs file after file and loads what they share once: half of the time of most files.
        extends: true,
        test: {
          name: 'together',
          include: ['{kernel,contract,server,ops,lab,scripts,web}/**/*.test.{ts,tsx}', 'tests/flows/**/*.test.ts'],
          exclude: [...ALONE, ...LABORATORY],
          isolate: false,
        },
      },
      // They measure their process or start servers.
      { extends: true, test: { name: 'lab', include: LABORATORY } },
    ],
  },
})
