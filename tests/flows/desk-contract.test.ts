import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DeskCallName, deskCalls } from '#contract/desk/index.ts'
import type { StrategyId } from '#contract/terms.ts'
import { inviteFromHost } from '#server/desk/index.ts'
import { totpCode } from '#server/platform/totp.ts'
import { startWholeApp, type Trader, type WholeApp } from '#tests/support/app.ts'
import { type Ask, type Case, testCalls, withBody, withQuery } from '#tests/support/calls.ts'
import { DESK_PASSWORD, type DeskOperator, deskItems, operator, type Waiting } from '#tests/support/desk.ts'

let app: WholeApp
let items: ReturnType<typeof deskItems>
let trader: Trader
/** May do everything; what needs two takes `other`. */
let boss: DeskOperator
let other: DeskOperator

beforeAll(async () => {
  // Exchanges that don't answer: prices are simulated, and there are venues to switch.
  const nobody = ['binance', 'kraken', 'coinbase', 'bitstamp'].map((id) => `${id}=http://127.0.0.1:9`)
  app = await startWholeApp({ FEED: 'auto', VENUE_ADDRESSES: nobody.join(',') })
  items = deskItems(app)
  trader = await app.trader()
  const everything = ['support', 'compliance', 'finance', 'risk', 'admin', 'auditor'] as const
  boss = await operator(app, [...everything])
  other = await operator(app, [...everything])
  await app.submit(trader)
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  expect(broken, 'the money and the records add up after all of it').toEqual([])
})

const mine = async (more: Ask = {}): Promise<Ask> => ({ token: boss.token, ...more })
const on =
  (make: () => Promise<Waiting>, more: Ask = {}) =>
  async () =>
    mine({ params: { id: (await make()).id }, ...more })
const data = async (asked: ReturnType<DeskOperator['ask']>): Promise<{ id: string }> => {
  const { status, text, json } = await asked
  if (status !== 200) throw new Error(text)
  return json!.data as { id: string }
}
const noSuch = (id: string): Case['refused'][number] => [
  'what is not there',
  (good) => ({ ...good, params: { id } }),
  404,
  'not_found',
]
const noReason: Case['refused'][number] = ['no reason', withBody({ reason: ' ' }), 422, 'validation_failed']
const list = (more: Ask = {}): Case => ({
  good: () => mine({ query: { limit: '2', ...more.query } }),
  refused: [
    ['no rows', withQuery({ limit: '0' }), 422, 'validation_failed'],
    ['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed'],
    ['a file of another kind', withQuery({ format: 'pdf' }), 422, 'validation_failed'],
  ],
})
const withStatus = (): Case => {
  const { good, refused } = list()
  return {
    good,
    refused: [...refused, ['a state that is none', withQuery({ status: 'Odd' }), 422, 'validation_failed']],
  }
}
const claimed = async (queue: string, make: () => Promise<Waiting>) => {
  const { id } = await make()
  await data(boss.ask('POST', `/${queue}/${id}/claim`))
  return mine({ params: { id } })
}
const invited = async () => {
  const email = `new-${Math.random().toString(36).slice(2)}@desk.example`
  return (await inviteFromHost(app.db, { email, roles: ['support'] })).token
}
const joined = async () => {
  const token = await invited()
  const { secret } = (await data(
    app.send('POST', '/api/desk/auth/join', { body: { token, password: DESK_PASSWORD } }),
  )) as unknown as { secret: string }
  return { token, secret }
}
const adjustment = async (amount = 5) =>
  data(other.ask('POST', `/users/${trader.id}/adjustments`, { body: { book: 'real', amount, reason: 'r' } }))
/** A trader with a second factor. */
const protectedTrader = async () => {
  const made = await app.confirmedTrader()
  await app.db
    .insertInto('passkeys')
    .values({
      user_id: BigInt(made.id),
      credential_id: `key-${made.id}`,
      public_key: Buffer.from('k'),
      counter: 0n,
      transports: [],
      name: 'Key',
    })
    .execute()
  return made
}
const factorReset = async () => data(other.ask('POST', `/users/${(await protectedTrader()).id}/factor-resets`, reasons))
const change = () => data(other.ask('PATCH', '/settings', { body: { stake_max: 10_000, reason: 'r' } }))
/** A strategy that is off, and whose restart isn't proposed. */
const switchedOff = async (strategy: StrategyId) => {
  await data(other.ask('POST', '/automatic/switch-off', { body: { strategy, reason: 'r' } }))
  const { json } = await boss.ask('GET', '/strategy-restarts?status=Pending')
  for (const { id, own, strategy: of } of json!.data as { id: string; own: boolean; strategy: StrategyId }[])
    if (of === strategy) await data((own ? other : boss).ask('POST', `/strategy-restarts/${id}/reject`, reasons))
}
const restart = async (strategy: StrategyId) => {
  await switchedOff(strategy)
  return data(other.ask('POST', '/strategy-restarts', { body: { strategy, reason: 'r' } }))
}
const newInstrument = () => ({
  base: `N${Math.random().toString(36).slice(2, 9).toUpperCase()}`,
  quote: 'USDT',
  trading_type: 'Cryptocurrency',
  scale: 4,
  min_sources: 2,
  largest_spread_bps: 500,
  largest_deviation_bps: 100,
  reason: 'r',
})
const decideChange = async (id: string, decision: 'approve' | 'reject') =>
  data(boss.ask('POST', `/instrument-changes/${id}/${decision}`, decision === 'reject' ? reasons : {}))
const proposeClosing = async (symbol: string) =>
  (await data(other.ask('POST', '/instruments/close', { body: { symbol, closed_reason: 'c', reason: 'r' } }))).id
/** An instrument that is open, without a pending change. */
const openSymbol = async () => {
  const { reason: _, ...terms } = newInstrument()
  const { id } = await data(other.ask('POST', '/instruments', { body: { ...terms, reason: 'r' } }))
  await decideChange(id, 'approve')
  return terms.base + terms.quote
}
const closedSymbol = async () => {
  const symbol = await openSymbol()
  await decideChange(await proposeClosing(symbol), 'approve')
  return symbol
}
const TERMS = {
  min_sources: 3,
  largest_spread_bps: 50,
  largest_deviation_bps: 80,
  stale_after_ms: 5000,
  venues: ['binance', 'kraken', 'coinbase'],
}
/** A switch of an exchange that symbols couldn't do without. */
const venueSwitch = async () => {
  const venue = `v${Math.random().toString(36).slice(2, 9)}`
  const { id } = await app.db
    .insertInto('venue_switches')
    .values({ venue, is_out: true, reason: 'r', status: 'Pending', symbols_lost: 1, proposed_by: BigInt(other.id) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await app.db
    .insertInto('operator_actions')
    .values({
      operator_id: BigInt(other.id),
      operator: other.email,
      action: 'propose',
      item_kind: 'venue-switches',
      item_id: String(id),
    })
    .execute()
  return String(id)
}
const colleague = async () => (await operator(app, ['support'])).id
const approvedDeposit = async () => {
  const { id, trader: owner } = await items.deposits(50)
  await data(other.ask('POST', `/deposits/${id}/approve`, { body: { amount: 50 } }))
  return { id, trader: owner }
}
const reversal = async () => {
  const { id } = await approvedDeposit()
  const body = { amount: 10, reference: `R-${Math.random()}`, reason: 'r' }
  return data(other.ask('POST', `/deposits/${id}/reverse`, { body }))
}
const operatorChange = () =>
  data(
    other.ask('POST', '/operators', {
      body: { email: `invitee-${Math.random().toString(36).slice(2)}@desk.example`, roles: ['risk'] },
    }),
  )
const processing = async () => {
  const { id, trader: owner } = await items.withdrawals(50)
  await data(other.ask('POST', `/withdrawals/${id}/approve`))
  return { id, trader: owner }
}
/** One that takes two, approved by one. */
const approvedOnce = async (who: DeskOperator, queue: 'deposits' | 'withdrawals') => {
  const item = await items[queue](5_000)
  await data(who.ask('POST', `/${queue}/${item.id}/approve`, queue === 'deposits' ? { body: { amount: 5_000 } } : {}))
  return item
}
const approvedByMe = (queue: 'deposits' | 'withdrawals') => () => approvedOnce(boss, queue)
const approvedByOther = async (queue: 'deposits' | 'withdrawals') => ({ id: (await approvedOnce(other, queue)).id })
const reasons = { body: { reason: 'r' } }

/** A case for every call of the desk: a new row of the contract does not compile without one. */
const cases: Record<DeskCallName, Case> = {
  'POST /desk/auth/join': {
    good: async () => ({ body: { token: await invited(), password: DESK_PASSWORD } }),
    refused: [
      ['a token that nobody has', withBody({ token: 'x'.repeat(43) }), 422, 'invalid_hash'],
      ['five characters', withBody({ password: '12345' }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/auth/join/confirm': {
    good: async () => {
      const { token, secret } = await joined()
      return { body: { token, code: totpCode(secret) } }
    },
    refused: [
      ['a token that nobody has', withBody({ token: 'x'.repeat(43) }), 422, 'invalid_hash'],
      ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
    ],
  },
  'POST /desk/auth/login': {
    good: async () => {
      const { email, secret } = await operator(app, ['support'])
      return { body: { email, password: DESK_PASSWORD, code: totpCode(secret, Date.now() + 30_000) } }
    },
    refused: [
      ['a wrong password', withBody({ password: 'wrong' }), 422, 'invalid_credentials'],
      ['an unknown address', withBody({ email: 'nobody@desk.example' }), 422, 'invalid_credentials'],
      ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
    ],
  },
  'POST /desk/auth/logout': { good: async () => ({ token: (await operator(app, ['support'])).token }), refused: [] },
  'GET /desk/auth/me': { good: mine, refused: [] },

  'GET /desk/operators': withStatus(),
  'POST /desk/operators': {
    good: () => mine({ body: { email: 'somebody@desk.example', roles: ['risk', 'support'] } }),
    refused: [
      ['a trader who is online', (good) => withBody({ email: other.email })(good), 409, 'already_exists'],
      ['no role', withBody({ roles: [] }), 422, 'validation_failed'],
      ['a role that is none', withBody({ roles: ['root'] }), 422, 'validation_failed'],
      ['a role twice', withBody({ roles: ['risk', 'risk'] }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/operators/:id/roles': {
    good: async () => mine({ params: { id: await colleague() }, body: { roles: ['risk'], reason: 'r' } }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['their own', (good) => ({ ...good, params: { id: boss.id } }), 409, 'own_item'],
    ],
  },
  'GET /desk/operator-changes': withStatus(),
  'POST /desk/operator-changes/:id/approve': {
    good: async () => mine({ params: { id: (await operatorChange()).id } }),
    refused: [
      noSuch('999999999'),
      ['a change of their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/operator-changes/:id/reject': {
    good: async () => mine({ params: { id: (await operatorChange()).id }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['a change of their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/operators/:id/end': {
    good: async () => mine({ params: { id: await colleague() }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['themselves', (good) => ({ ...good, params: { id: boss.id } }), 409, 'own_item'],
    ],
  },
  'GET /desk/audit': list(),
  'GET /desk/audit/verify': { good: mine, refused: [] },

  'GET /desk/overview': { good: mine, refused: [] },
  'GET /desk/identity-checks': withStatus(),
  'GET /desk/identity-checks/:id/file': {
    good: on(() => items['identity-checks']()),
    refused: [noSuch('999999999'), noSuch('x')],
  },
  'POST /desk/identity-checks/:id/claim': {
    good: on(() => items['identity-checks']()),
    refused: [noSuch('999999999')],
  },
  'POST /desk/identity-checks/:id/release': {
    good: () => claimed('identity-checks', items['identity-checks']),
    refused: [noSuch('999999999')],
  },
  'POST /desk/identity-checks/:id/approve': {
    good: on(() => items['identity-checks']()),
    refused: [noSuch('999999999')],
  },
  'POST /desk/identity-checks/:id/reject': {
    good: on(() => items['identity-checks'](), reasons),
    refused: [noSuch('999999999'), noReason],
  },

  'GET /desk/plan-requests': withStatus(),
  'POST /desk/plan-requests/:id/claim': { good: on(() => items['plan-requests']()), refused: [noSuch('999999999')] },
  'POST /desk/plan-requests/:id/release': {
    good: () => claimed('plan-requests', items['plan-requests']),
    refused: [noSuch('999999999')],
  },
  'POST /desk/plan-requests/:id/approve': {
    good: on(() => items['plan-requests']()),
    refused: [
      noSuch('999999999'),
      [
        'what the balance does not cover',
        async (good) => ({ ...good, params: { id: (await items['plan-requests'](7_599.99)).id } }),
        422,
        'insufficient_balance',
      ],
    ],
  },
  'POST /desk/plan-requests/:id/reject': {
    good: on(() => items['plan-requests'](), reasons),
    refused: [noSuch('999999999'), noReason],
  },

  'GET /desk/messages': withStatus(),
  'POST /desk/messages/:id/claim': { good: on(() => items.messages()), refused: [noSuch('999999999')] },
  'POST /desk/messages/:id/release': {
    good: () => claimed('messages', items.messages),
    refused: [noSuch('999999999')],
  },
  'POST /desk/messages/:id/reply': {
    good: on(() => items.messages(), { body: { text: 'Hello.' } }),
    refused: [noSuch('999999999'), ['no words', withBody({ text: '' }), 422, 'validation_failed']],
  },
  'POST /desk/messages/:id/close': { good: on(() => items.messages()), refused: [noSuch('999999999')] },

  'GET /desk/chats': withStatus(),
  'GET /desk/chats/:id': { good: on(() => items.chats()), refused: [noSuch('999999999')] },
  'POST /desk/chats/:id/claim': { good: on(() => items.chats()), refused: [noSuch('999999999')] },
  'POST /desk/chats/:id/release': { good: () => claimed('chats', items.chats), refused: [noSuch('999999999')] },
  'POST /desk/chats/:id/reply': {
    good: on(() => items.chats(), { body: { text: 'Hello.' } }),
    refused: [noSuch('999999999'), ['no words', withBody({ text: '' }), 422, 'validation_failed']],
  },
  'POST /desk/chats/:id/typing': { good: on(() => items.chats()), refused: [noSuch('999999999')] },
  'POST /desk/chats/:id/close': { good: on(() => items.chats()), refused: [noSuch('999999999')] },

  'GET /desk/deposits': withStatus(),
  'GET /desk/deposits/:id/receipt': { good: on(() => items.deposits()), refused: [noSuch('0000000000000')] },
  'POST /desk/deposits/:id/claim': { good: on(() => items.deposits()), refused: [noSuch('0000000000000')] },
  'POST /desk/deposits/:id/release': {
    good: () => claimed('deposits', items.deposits),
    refused: [noSuch('0000000000000')],
  },
  'POST /desk/deposits/:id/approve': {
    good: on(() => items.deposits(), { body: { amount: 100 } }),
    refused: [
      noSuch('0000000000000'),
      ['a third decimal', withBody({ amount: 1.005 }), 422, 'validation_failed'],
      ['nothing', withBody({ amount: 0 }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/deposits/:id/withdraw-approval': {
    good: on(approvedByMe('deposits')),
    refused: [
      noSuch('0000000000000'),
      [
        'one that another operator approved',
        async (good) => ({ ...good, params: await approvedByOther('deposits') }),
        409,
        'wrong_state',
      ],
    ],
  },
  'POST /desk/deposits/:id/reject': {
    good: on(() => items.deposits(), reasons),
    refused: [noSuch('0000000000000'), noReason],
  },
  'POST /desk/deposits/:id/reverse': {
    good: on(approvedDeposit, { body: { amount: 10, reference: `R-${Math.random()}`, reason: 'r' } }),
    refused: [
      noSuch('0000000000000'),
      noReason,
      ['more than was credited', withBody({ amount: 50.01, reference: 'much' }), 409, 'wrong_state'],
    ],
  },

  'GET /desk/reversals': withStatus(),
  'POST /desk/reversals/:id/approve': {
    good: async () => mine({ params: { id: (await reversal()).id } }),
    refused: [
      noSuch('999999999'),
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/reversals/:id/reject': {
    good: async () => mine({ params: { id: (await reversal()).id }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },

  'GET /desk/withdrawals': withStatus(),
  'GET /desk/withdrawals/:id/bank': {
    good: on(() => items.bank()),
    refused: [
      noSuch('0000000000000'),
      [
        'one that goes to a wallet',
        async (good) => ({ ...good, params: { id: (await items.withdrawals()).id } }),
        404,
        'not_found',
      ],
    ],
  },
  'POST /desk/withdrawals/:id/claim': { good: on(() => items.withdrawals()), refused: [noSuch('0000000000000')] },
  'POST /desk/withdrawals/:id/release': {
    good: () => claimed('withdrawals', items.withdrawals),
    refused: [noSuch('0000000000000')],
  },
  'POST /desk/withdrawals/:id/approve': { good: on(() => items.withdrawals()), refused: [noSuch('0000000000000')] },
  'POST /desk/withdrawals/:id/withdraw-approval': {
    good: on(approvedByMe('withdrawals')),
    refused: [
      noSuch('0000000000000'),
      [
        'one that another operator approved',
        async (good) => ({ ...good, params: await approvedByOther('withdrawals') }),
        409,
        'wrong_state',
      ],
    ],
  },
  'POST /desk/withdrawals/:id/paid': {
    good: on(processing, { body: { reference: 'TX' } }),
    refused: [
      noSuch('0000000000000'),
      ['no reference', withBody({ reference: '' }), 422, 'validation_failed'],
      [
        'one that nobody approved',
        async (good) => ({ ...good, params: { id: (await items.withdrawals()).id } }),
        409,
        'wrong_state',
      ],
    ],
  },
  'POST /desk/withdrawals/:id/reject': {
    good: on(() => items.withdrawals(), reasons),
    refused: [noSuch('0000000000000'), noReason],
  },

  'GET /desk/users': {
    good: () => mine({ query: { q: 'eve', limit: '2' } }),
    refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
  },
  'GET /desk/users/:id': {
    good: () => mine({ params: { id: trader.id } }),
    refused: [noSuch('999999999'), noSuch('x')],
  },
  'GET /desk/users/:id/ledger': {
    good: () => mine({ params: { id: trader.id }, query: { book: 'demo' } }),
    refused: [noSuch('999999999'), ['a book that is none', withQuery({ book: 'play' }), 422, 'validation_failed']],
  },
  'POST /desk/users/:id/notes': {
    good: () => mine({ params: { id: trader.id }, body: { text: 'n' } }),
    refused: [noSuch('999999999'), ['no words', withBody({ text: '' }), 422, 'validation_failed']],
  },
  'POST /desk/users/:id/locks': {
    good: async () =>
      mine({ params: { id: (await app.trader()).id }, body: { trading: true, deposits: true, reason: 'r' } }),
    takes: (field, { json }) => field !== 'reason' && (json === 'true' || json === 'false'),
    refused: [
      noSuch('999999999'),
      noReason,
      ['a lock that is none', withBody({ breathing: true }), 422, 'validation_failed'],
    ],
  },
  'GET /desk/factor-resets': withStatus(),
  'POST /desk/users/:id/factor-resets': {
    good: async () => mine({ params: { id: (await protectedTrader()).id }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['a trader without a second factor', (good) => ({ ...good, params: { id: trader.id } }), 409, 'wrong_state'],
    ],
  },
  'POST /desk/factor-resets/:id/approve': {
    good: async () => mine({ params: { id: (await factorReset()).id } }),
    refused: [
      noSuch('999999999'),
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/factor-resets/:id/reject': {
    good: async () => mine({ params: { id: (await factorReset()).id }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'GET /desk/strategy-restarts': withStatus(),
  'POST /desk/strategy-restarts': {
    good: async () => {
      await switchedOff('trend')
      return mine({ body: { strategy: 'trend', reason: 'r' } })
    },
    refused: [
      noReason,
      [
        'one that is proposed already',
        async (good) => {
          await restart('trend')
          return good
        },
        409,
        'wrong_state',
      ],
      ['a strategy that is none', withBody({ strategy: 'luck' }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/strategy-restarts/:id/approve': {
    good: async () => mine({ params: { id: (await restart('reversion')).id } }),
    refused: [
      noSuch('999999999'),
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/strategy-restarts/:id/reject': {
    good: async () => mine({ params: { id: (await restart('breakout')).id }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'GET /desk/instruments': { good: () => mine(), refused: [] },
  'GET /desk/instruments/preview': {
    good: () => mine({ query: { base: 'LTC', quote: 'ETH', scale: '6', min_sources: '2' } }),
    refused: [
      ['no base', withQuery({ base: '' }), 422, 'validation_failed'],
      ['lower case', withQuery({ base: 'ltc' }), 422, 'validation_failed'],
      ['a currency in itself', withQuery({ base: 'ETH' }), 422, 'validation_failed'],
      ['16 decimal places', withQuery({ scale: '16' }), 422, 'validation_failed'],
      ['half a decimal place', withQuery({ scale: '0.5' }), 422, 'validation_failed'],
      ['no exchange', withQuery({ min_sources: '0' }), 422, 'validation_failed'],
    ],
  },
  'GET /desk/instrument-changes': withStatus(),
  'POST /desk/instruments': {
    good: () => mine({ body: newInstrument() }),
    takes: (field, { json }) => field === 'scale' && Number(json) === 0,
    refused: [
      noReason,
      ['a symbol that exists', withBody({ base: 'BTC', quote: 'USDT' }), 409, 'wrong_state'],
      [
        'a symbol that is proposed already',
        async (good) => {
          await data(other.ask('POST', '/instruments', { body: good.body! }))
          return good
        },
        409,
        'wrong_state',
      ],
      ['lower case', withBody({ base: 'btc' }), 422, 'validation_failed'],
      ['a currency in itself', withBody({ base: 'ETH', quote: 'ETH' }), 422, 'validation_failed'],
      [
        'a symbol that is too long',
        withBody({ base: 'A'.repeat(11), quote: 'B'.repeat(10) }),
        422,
        'validation_failed',
      ],
      ['16 decimal places', withBody({ scale: 16 }), 422, 'validation_failed'],
      ['half a decimal place', withBody({ scale: 0.5 }), 422, 'validation_failed'],
      ['no exchange', withBody({ min_sources: 0 }), 422, 'validation_failed'],
      ['no spread', withBody({ largest_spread_bps: 0 }), 422, 'validation_failed'],
      ['a deviation of more than half', withBody({ largest_deviation_bps: 5001 }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/instruments/change': {
    good: async () => mine({ body: { symbol: await openSymbol(), ...TERMS, reason: 'r' } }),
    refused: [
      noReason,
      ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
      ['no exchange needed', withBody({ min_sources: 0 }), 422, 'validation_failed'],
      ['a spread without a limit', withBody({ largest_spread_bps: 5001 }), 422, 'validation_failed'],
      ['a deviation of nothing', withBody({ largest_deviation_bps: 0 }), 422, 'validation_failed'],
      ['a limit below a second', withBody({ stale_after_ms: 999 }), 422, 'validation_failed'],
      ['an empty list of exchanges', withBody({ venues: [] }), 422, 'validation_failed'],
      ['an exchange twice', withBody({ venues: ['kraken', 'kraken', 'binance'] }), 422, 'validation_failed'],
      ['an exchange by its name', withBody({ venues: ['Kraken', 'binance', 'okx'] }), 422, 'validation_failed'],
      ['an exchange not in use', withBody({ venues: ['kraken', 'binance', 'okx'] }), 422, 'validation_failed'],
      ['fewer exchanges than needed', withBody({ venues: ['kraken', 'binance'] }), 422, 'validation_failed'],
      [
        'the terms that it has',
        withBody({
          min_sources: 2,
          largest_spread_bps: 500,
          largest_deviation_bps: 100,
          stale_after_ms: 10_000,
          venues: undefined,
        }),
        409,
        'wrong_state',
      ],
    ],
  },
  'POST /desk/instruments/withdraw': {
    good: async () => mine({ body: { symbol: await openSymbol(), reason: 'r' } }),
    refused: [
      noReason,
      ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
      ['one that has had a price', withBody({ symbol: 'BTCUSDT' }), 409, 'wrong_state'],
    ],
  },
  'GET /desk/venue-switches': withStatus(),
  'POST /desk/venue-switches/:id/approve': {
    good: async () => mine({ params: { id: await venueSwitch() } }),
    refused: [
      noSuch('999999999'),
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/venue-switches/:id/reject': {
    good: async () => mine({ params: { id: await venueSwitch() }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/instruments/close': {
    good: async () => mine({ body: { symbol: await openSymbol(), closed_reason: 'Its market moved.', reason: 'r' } }),
    refused: [
      noReason,
      ['no reason for traders', withBody({ closed_reason: ' ' }), 422, 'validation_failed'],
      ['a reason that is too long', withBody({ closed_reason: 'x'.repeat(201) }), 422, 'validation_failed'],
      ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
      [
        'one that is closed',
        async (good) => {
          await decideChange(await proposeClosing(good.body!.symbol as string), 'approve')
          return good
        },
        409,
        'wrong_state',
      ],
    ],
  },
  'POST /desk/instruments/reopen': {
    good: async () => mine({ body: { symbol: await closedSymbol(), reason: 'r' } }),
    refused: [
      noReason,
      ['a symbol that is none', withBody({ symbol: 'NONEUSD' }), 404, 'not_found'],
      ['one that is open', async (good) => withBody({ symbol: await openSymbol() })(good), 409, 'wrong_state'],
    ],
  },
  'POST /desk/instrument-changes/:id/approve': {
    good: async () => mine({ params: { id: await proposeClosing(await openSymbol()) } }),
    refused: [
      noSuch('999999999'),
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/instrument-changes/:id/reject': {
    good: async () => mine({ params: { id: await proposeClosing(await openSymbol()) }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'GET /desk/adjustments': withStatus(),
  'POST /desk/users/:id/adjustments': {
    good: () => mine({ params: { id: trader.id }, body: { book: 'demo', amount: 1, reason: 'r' } }),
    takes: (field, { json }) => field === 'amount' && (json === '-1' || json === '-0.01'),
    refused: [
      noSuch('999999999'),
      noReason,
      ['nothing', withBody({ amount: 0 }), 422, 'validation_failed'],
      ['a third decimal', withBody({ amount: -1.005 }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/adjustments/:id/approve': {
    good: async () => mine({ params: { id: (await adjustment()).id } }),
    refused: [
      noSuch('999999999'),
      ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      [
        'below zero',
        async (good) => ({ ...good, params: { id: (await adjustment(-10_000_000)).id } }),
        422,
        'insufficient_balance',
      ],
    ],
  },
  'POST /desk/adjustments/:id/reject': {
    good: async () => mine({ params: { id: (await adjustment()).id }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },

  'GET /desk/trades': {
    good: () => mine({ query: { mode: 'demo', symbol: 'BTCUSDT', limit: '2' } }),
    refused: [
      ['a mode that is none', withQuery({ mode: 'play' }), 422, 'validation_failed'],
      ['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/trades/:id/void': {
    good: on(() => items.trades(), reasons),
    refused: [noSuch('0000000000000'), noReason],
  },
  'GET /desk/exposure': {
    good: () => mine({ query: { mode: 'demo' } }),
    refused: [['a mode that is none', withQuery({ mode: 'play' }), 422, 'validation_failed']],
  },
  'GET /desk/automatic': { good: mine, refused: [] },
  'POST /desk/automatic/switch-off': {
    good: () => mine({ body: { strategy: 'coin-toss', reason: 'r' } }),
    refused: [noReason, ['a strategy that is none', withBody({ strategy: 'luck' }), 422, 'validation_failed']],
  },
  'GET /desk/feeds': { good: mine, refused: [] },
  'POST /desk/feeds/venues/:venue': {
    good: async () => {
      // In use, however the last call left it.
      await other.ask('POST', '/feeds/venues/kraken', { body: { out: false, reason: 'r' } })
      return mine({ params: { venue: 'kraken' }, body: { out: true, reason: 'r' } })
    },
    refused: [
      noReason,
      ['an exchange that is none', (good) => ({ ...good, params: { venue: 'nowhere' } }), 404, 'not_found'],
      ['neither out nor in', withBody({ out: 'maybe' }), 422, 'validation_failed'],
    ],
  },
  'GET /desk/settings': { good: mine, refused: [] },
  'PATCH /desk/settings': {
    good: () => mine({ body: { stake_max: 10_000, open_stake_max: 50_000, reason: 'r' } }),
    refused: [
      noReason,
      ['nothing', () => mine({ body: { reason: 'r' } }), 422, 'validation_failed'],
      ['a setting that is none', withBody({ jwt: 'x' }), 422, 'validation_failed'],
    ],
  },
  'POST /desk/settings/changes/:id/approve': {
    good: async () => mine({ params: { id: (await change()).id } }),
    refused: [
      noSuch('999999999'),
      ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
  'POST /desk/settings/changes/:id/reject': {
    good: async () => mine({ params: { id: (await change()).id }, ...reasons }),
    refused: [
      noSuch('999999999'),
      noReason,
      ['their own', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
    ],
  },
}

test('there is a case for every call of the desk and for no other', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(deskCalls).sort())
})

testCalls({
  app: () => app,
  names: Object.keys(deskCalls) as DeskCallName[],
  cases,
  unchanged: () => app.balances(trader),
  optional: ['venues', 'stake_max', 'open_stake_max', 'trading', 'deposits'],
  signsOut: ['POST /desk/auth/logout'],
})
