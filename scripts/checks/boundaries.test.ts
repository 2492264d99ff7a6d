import { expect, test } from 'vitest'
import { brokenBoundaries, cycles, figuresOf, figuresText, heavyImports, refusal } from './boundaries.ts'

test.each([
  ['server/ledger/post.ts', 'server/trading/index.ts', 'imports run downwards'],
  ['server/trading/acceptance/open-trade.ts', 'server/ledger/post.ts', 'is entered by its index.ts'],
  ['server/backtest/signals.ts', 'server/trading/acceptance/open-trade.ts', 'is entered by its index.ts'],
  ['server/ledger/post.ts', 'server/trading/trade.ts', 'imports run downwards'],
  ['server/platform/database/db.ts', 'server/ledger/index.ts', 'the platform knows no room'],
  ['server/platform/process/data-lock.ts', 'server/config/config.ts', 'the platform knows no room'],
  ['server/strategies/trend.ts', 'server/platform/database/db.ts', 'is pure'],
  ['server/strategies/trend.ts', 'server/prices/index.ts', 'is pure'],
  ['kernel/money.ts', 'contract/api.ts', 'the kernel imports nothing'],
  ['contract/api.ts', 'server/config/config.ts', 'the contract imports only the kernel'],
  ['web/trader/history/index.ts', 'web/trader/quick-trading/index.ts', 'features do not know each other'],
  ['web/auth/sign-in.tsx', 'web/app/root.tsx', 'features do not know the app'],
  ['web/api/store.ts', 'server/app/app.ts', 'the web imports only'],
  ['web/ui/button.tsx', 'web/api/index.ts', 'web/ui is below web/api'],
  ['web/client/queries.ts', 'web/ui/index.ts', 'web/client is below web/ui'],
  ['web/desk/session.ts', 'web/client/client.ts', 'web/client is entered by its index.ts'],
  ['web/app/root.tsx', 'web/auth/sign-in.tsx', 'web/auth is entered by its index.ts'],
  ['server/app/app.ts', 'web/app/root.tsx', 'the server does not import the web'],
  ['server/app/main.ts', 'ops/backup/index.ts', 'the server works without operations'],
  ['ops/backup/create.ts', 'ops/archive/index.ts', 'imports run downwards'],
  ['ops/doctor/disk.ts', 'server/trading/view.ts', 'is entered by its index.ts'],
  ['ops/commands/verify.ts', 'lab/month/ledger.ts', 'the product knows no laboratory'],
  ['server/trading/acceptance/open-trade.ts', 'tests/support/trades/market.ts', 'only tests import'],
  ['packages/verify/verify.js', 'kernel/money.ts', 'a package works without'],
])('%s may not import %s', (from, to, why) => {
  expect(refusal(from, to)).toContain(why)
})

test.each([
  ['server/trading/acceptance/open-trade.ts', 'server/ledger/index.ts'],
  ['server/trading/acceptance/open-trade.ts', 'server/platform/database/db.ts'],
  ['server/trading/trading.test.ts', 'tests/support/trades/market.ts'],
  ['server/trading/acceptance/open-trade.ts', 'server/strategies/index.ts'],
  ['server/strategies/trend.ts', 'contract/terms.ts'],
  ['server/backtest/signals.ts', 'server/trading/trade.ts'],
  ['web/app/root.tsx', 'web/auth/index.ts'],
  ['ops/commands/verify.ts', 'server/platform/database/db.ts'],
  ['lab/month/ledger.ts', 'server/trading/view.ts'],
  ['web/auth/sign-in.tsx', 'web/ui/index.ts'],
  ['web/desk/main.tsx', 'web/ui/tokens.css'],
  ['web/api/browser.ts', 'web/client/index.ts'],
  ['web/auth/sign-in.tsx', 'contract/account/auth.ts'],
])('%s may import %s', (from, to) => {
  expect(refusal(from, to)).toBeUndefined()
})

test('imports respect the room boundaries and form no cycle', () => {
  expect(brokenBoundaries()).toEqual([])
})

test('packages that are slow to load are not imported at startup', () => {
  const several = "import {\n  createTransport,\n} from 'nodemailer'\nimport type { Sharp } from 'sharp'\n"
  expect(heavyImports('server/platform/mail/worker.ts', several)).toEqual(['nodemailer'])
  expect(heavyImports('server/platform/mail/mail.test.ts', several)).toEqual([])
  expect(
    heavyImports('server/platform/mail/worker.ts', "const { createTransport } = await import('nodemailer')"),
  ).toEqual([])
})

test('finds cycles of imports, and none where two paths lead to one file', () => {
  const diamond = { top: ['left', 'right'], left: ['base'], right: ['base'], base: [] }
  expect(cycles(new Map<string, string[]>(Object.entries(diamond)))).toEqual([])
  const knot = { ...diamond, base: ['side'], side: ['left'] }
  expect(cycles(new Map<string, string[]>(Object.entries(knot)))).toEqual([['left', 'base', 'side', 'left']])
})

test('counts rooms, floors and arrows without tests, imports within a room and other storeys', () => {
  const imports = new Map<string, string[]>(
    Object.entries({
      'server/trading/view.ts': ['server/trading/store.ts', 'server/ledger/index.ts', 'server/prices/index.ts'],
      'server/trading/store.ts': ['server/ledger/index.ts', 'kernel/money.ts'],
      'server/trading/view.test.ts': ['server/desk/index.ts'],
      'server/prices/index.ts': ['server/platform/database/db.ts'],
      'server/ledger/index.ts': ['server/platform/database/db.ts', 'server/prices/index.ts'],
      'server/platform/database/db.ts': [],
      'server/verify.ts': ['ops/commands/verify.ts'],
      'web/app/root.tsx': ['web/ui/index.ts'],
    }),
  )
  expect(figuresOf(imports)).toEqual({ rooms: 4, floors: 4, arrows: 5 })
  expect(figuresText({ rooms: 4, floors: 3, arrows: 5 })).toBe('4 rooms on 3 floors, with 5 arrows between them')
})
