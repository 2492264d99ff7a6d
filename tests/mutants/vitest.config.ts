import { defineConfig } from 'vitest/config'

/** What Stryker runs: the tests that `targets.ts` names for a group of files, in one process that stays. */
export default defineConfig({
  test: {
    include: (process.env.MUTANT_TESTS ?? '').split(' '),
    globalSetup: process.env.MUTANT_DATABASE === 'off' ? [] : ['tests/support/global-setup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})
