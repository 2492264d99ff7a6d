import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DeskCallName, deskCalls } from '#contract/desk/index.ts'
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
  app = await startWholeApp()
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
  'GET /desk/feeds': { good: mine, refused: [] },
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
  optional: ['stake_max', 'open_stake_max', 'trading', 'deposits'],
  signsOut: ['POST /desk/auth/logout'],
})
