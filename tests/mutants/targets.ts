/** Files to mutate, and the tests that must notice. */
export interface Target {
  mutate: readonly string[]
  tests: readonly string[]
  /** Whether these tests need PostgreSQL. */
  database: boolean
}

export const TARGETS: Record<string, Target> = {
  kernel: { mutate: ['kernel/*.ts'], tests: ['kernel/*.test.ts'], database: false },
  rules: {
    mutate: ['server/trading/trade.ts'],
    tests: ['server/trading/trade.test.ts', 'server/trading/trade.property.test.ts'],
    database: false,
  },
  orders: {
    mutate: ['server/trading/acceptance.ts', 'server/trading/open-trade.ts', 'server/trading/observer.ts'],
    tests: [
      'server/trading/acceptance.test.ts',
      'server/trading/acceptance-{queue,failures}.test.ts',
      'server/trading/open-trade.test.ts',
    ],
    database: false,
  },
  ledger: {
    mutate: ['server/ledger/*.ts'],
    tests: [
      'server/ledger/*.test.ts',
      'server/trading/{trading,orders}.test.ts',
      'tests/flows/{cashier,complaints,guardrails,withdrawals,statement,reconciliation}.test.ts',
    ],
    database: true,
  },
  trading: {
    mutate: [
      'server/trading/*.ts',
      ...['trade', 'acceptance', 'open-trade', 'observer'].map((name) => `!server/trading/${name}.ts`),
    ],
    tests: ['server/trading/*.test.ts', 'tests/flows/{figures,trading-at-scale}.test.ts'],
    database: true,
  },
  tokens: {
    mutate: [
      'server/identity/one-time-token.ts',
      'server/identity/secret.ts',
      'server/identity/session-store.ts',
      'server/identity/sessions.ts',
      'server/identity/renew-session.ts',
      'server/identity/end-sessions.ts',
      'server/identity/step-up.ts',
      'server/platform/totp.ts',
      'server/platform/seal.ts',
    ],
    tests: [
      'server/identity/*.test.ts',
      'server/platform/{totp,seal}.test.ts',
      'tests/flows/{sessions,session-upkeep,identity,second-factor,registration,factor-reset,kyc}.test.ts',
    ],
    database: true,
  },
}
