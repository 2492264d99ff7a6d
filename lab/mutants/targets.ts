/** Files to mutate, and the tests that must notice. */
export interface Target {
  mutate: readonly string[]
  tests: readonly string[]
  /** Whether these tests need PostgreSQL. */
  database: boolean
}

export const TARGETS: Record<string, Target> = {
  kernel: {
    mutate: ['kernel/*.ts'],
    // The verifier computes the value of a sale once more.
    tests: ['kernel/*.test.ts', 'server/proof/sale-value.test.ts'],
    database: false,
  },
  rules: {
    mutate: ['server/trading/trade.ts'],
    tests: ['server/trading/trade.test.ts', 'server/trading/trade.property.test.ts'],
    database: false,
  },
  orders: {
    mutate: [
      'server/trading/acceptance/acceptance.ts',
      'server/trading/acceptance/queue/*.ts',
      'server/trading/acceptance/open-trade.ts',
      'server/trading/observer.ts',
    ],
    tests: [
      'server/trading/acceptance/acceptance.test.ts',
      'server/trading/acceptance/{acceptance-failures,queue/acceptance-queue}.test.ts',
      'server/trading/acceptance/open-trade.test.ts',
    ],
    database: false,
  },
  ledger: {
    mutate: ['server/ledger/*.ts'],
    tests: [
      'server/ledger/*.test.ts',
      'server/trading/{trading,acceptance/orders}.test.ts',
      'tests/flows/{money/{cashier,withdrawals,statement,reconciliation},trading/complaints,accounts/guardrails}.test.ts',
    ],
    database: true,
  },
  trading: {
    mutate: [
      'server/trading/**/*.ts',
      ...['trade', 'acceptance/acceptance', 'acceptance/queue/*', 'acceptance/open-trade', 'observer'].map(
        (name) => `!server/trading/${name}.ts`,
      ),
    ],
    tests: ['server/trading/**/*.test.ts', 'tests/flows/trading/figures.test.ts', 'lab/scale/*.test.ts'],
    database: true,
  },
  tokens: {
    mutate: [
      'server/identity/passwords/one-time-token.ts',
      'server/identity/passwords/secret.ts',
      'server/identity/sessions/session-store.ts',
      'server/identity/sessions/sessions.ts',
      'server/identity/sessions/session-cache.ts',
      'server/identity/sessions/renew-session.ts',
      'server/identity/sessions/end-sessions.ts',
      'server/identity/sessions/step-up.ts',
      'server/platform/secrets/totp.ts',
      'server/platform/secrets/seal.ts',
    ],
    tests: [
      'server/identity/**/*.test.ts',
      'server/platform/secrets/*.test.ts',
      'tests/flows/accounts/sign-in/{sessions,session-upkeep,identity,second-factor,factor-reset}.test.ts',
      'tests/flows/accounts/{registration,kyc}.test.ts',
    ],
    database: true,
  },
}
