import { defineConfig } from 'vitest/config'

const withoutDatabase = process.env.MUTANT_DATABASE === 'off'

/** Configures what Stryker runs: the tests that `targets.ts` names for a group of files, in one long-lived process. */
export default defineConfig({
  test: {
    include: (process.env.MUTANT_TESTS ?? '').split(' '),
    globalSetup: withoutDatabase ? [] : ['tests/support/servers/global-setup.ts'],
    pool: 'forks',
    // A test that waits for something a mutant never does should fail before Stryker gives up on the process.
    testTimeout: withoutDatabase ? 2_000 : 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
