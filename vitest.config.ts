import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      '{kernel,contract,server,web,scripts}/**/*.test.{ts,tsx}',
      'tests/flows/**/*.test.ts',
      'tests/faults/**/*.test.ts',
      'tests/abuse/**/*.test.ts',
    ],
    globalSetup: ['tests/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A condition may come true later on a busy machine; a test that bounds the time measures it.
    expect: { poll: { timeout: 10_000 } },
  },
})
