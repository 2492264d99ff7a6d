import type { DeskCallName } from '#contract/desk/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import { operator, type Waiting } from '#tests/support/people/desk.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about users and their requests. */
export function userCases({ app, items, trader, other, mine, on, data, withStatus, claimed }: Office) {
  /** Creates a trader with a second factor. */
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
  /** A trader whose deposits another role has locked. */
  const lockedTrader = async () => {
    const made = await app.trader()
    const risk = await operator(app, ['risk'])
    await data(risk.ask('POST', `/users/${made.id}/locks`, { body: { deposits: true, reason: 'r' } }))
    return made
  }
  const unlock = { body: { locks: ['deposits'], reason: 'r' } }
  const accountChange = async () => data(other.ask('POST', `/users/${(await lockedTrader()).id}/unlocks`, unlock))
  /** Two accounts of one mailbox, of which the first excluded itself. */
  const matched = async (): Promise<Waiting & { user: string }> => {
    const first = await app.confirmedTrader()
    const second = await app.register(first.email.replace('@', '+two@'))
    await app.send('POST', '/api/guardrails/exclusion', { token: first.token, body: { months: 6 } })
    const { rows } = await sql<{ id: bigint; user_id: bigint }>`
      select e.id, e.user_id from exclusions e join users u on u.id = e.user_id where u.email = ${second.email}`.execute(
      app.db,
    )
    const { id, user_id } = rows[0]!
    return { id: String(id), user: String(user_id), trader }
  }
  const factorReset = async () =>
    data(other.ask('POST', `/users/${(await protectedTrader()).id}/factor-resets`, reasons))

  return {
    'GET /desk/overview': { good: mine, refused: [] },
    'GET /desk/inbox': {
      good: () => mine({ query: { only: 'second' } }),
      refused: [['a filter that is none', withQuery({ only: 'all' }), 422, 'validation_failed']],
    },
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
    'POST /desk/users/:id/exclusion': {
      good: async () =>
        mine({ params: { id: (await app.trader()).id }, body: { kind: 'exclusion', months: 6, reason: 'By phone.' } }),
      takes: (field, { json }) => field === 'months' && json === 'null',
      refused: [
        noSuch('999999999'),
        noReason,
        ['a month', withBody({ months: 1 }), 422, 'validation_failed'],
        ['a kind that is none', withBody({ kind: 'lock' }), 422, 'validation_failed'],
      ],
    },
    'GET /desk/account-changes': withStatus(),
    'POST /desk/users/:id/unlocks': {
      good: async () => mine({ params: { id: (await lockedTrader()).id }, ...unlock }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['no lock', withBody({ locks: [] }), 422, 'validation_failed'],
        ['a lock that is none', withBody({ locks: ['breathing'] }), 422, 'validation_failed'],
        ['what is not locked', withBody({ locks: ['trading'] }), 409, 'wrong_state'],
      ],
    },
    'POST /desk/users/:id/match-lifts': {
      good: async () => {
        const { id, user } = await matched()
        return mine({ params: { id: user }, body: { exclusion: id, reason: 'r' } })
      },
      refused: [
        noSuch('999999999'),
        noReason,
        ['an exclusion that is not there', withBody({ exclusion: '999999999' }), 409, 'wrong_state'],
        ['no exclusion', withBody({ exclusion: '' }), 422, 'validation_failed'],
      ],
    },
    'GET /desk/exclusion-matches': withStatus(),
    'POST /desk/exclusion-matches/:id/claim': { good: on(matched), refused: [noSuch('999999999')] },
    'POST /desk/exclusion-matches/:id/release': {
      good: () => claimed('exclusion-matches', matched),
      refused: [noSuch('999999999')],
    },
    'POST /desk/exclusion-matches/:id/keep': {
      good: on(matched, reasons),
      refused: [noSuch('999999999'), noReason],
    },
    'POST /desk/account-changes/:id/approve': {
      good: async () => mine({ params: { id: (await accountChange()).id } }),
      refused: [
        noSuch('999999999'),
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/account-changes/:id/reject': {
      good: async () => mine({ params: { id: (await accountChange()).id }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
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
  } satisfies Partial<Record<DeskCallName, Case>>
}
