import { defineConfig } from 'vitest/config'
import { LAB } from './tests/lab.ts'

/** Tests that replace modules or globals, or measure their process: each file runs in a separate process. */
const ALONE = [
  'web/api/tape-clock.test.ts',
  'server/ledger/push-balances.test.ts',
  'server/platform/beat.test.ts',
  'server/platform/db.test.ts',
]
/** Tests of `npm run lab`. */
const LABORATORY = Object.values(LAB).flatMap(({ tests = [] }) => tests)

export default defineConfig({
  test: {
    globalSetup: ['tests/support/global-setup.ts'],
    pool: 'forks',
    // Tests also wait, so a third worker finds room on two cores.
    maxWorkers: 3,
    // For a busy machine: a test that hangs is found all the same.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        // A process runs file after file and loads what they share once: half of the time of most files.
        extends: true,
        test: {
          name: 'together',
          include: [
            '{kernel,contract,server,scripts,web}/**/*.test.{ts,tsx}',
            'tests/{flows,faults,abuse}/**/*.test.ts',
          ],
          exclude: [...ALONE, ...LABORATORY],
          isolate: false,
        },
      },
      // They measure their process or start servers.
      { extends: true, test: { name: 'lab', include: LABORATORY } },
    ],
  },
})
