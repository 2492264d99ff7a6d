import { randomBytes } from 'node:crypto'
import type { DeskCallName } from '#contract/desk/index.ts'
import { inviteFromHost } from '#server/desk/index.ts'
import { keyId } from '#server/proof/keys/key.ts'
import { type Case, withBody } from '#tests/support/calls.ts'
import { DESK_PASSWORD, operator, signInAgain } from '#tests/support/people/desk.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about operator accounts and the audit log. */
export function operatorCases({ app, boss, other, mine, data, list, withStatus }: Office) {
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
  const colleague = async () => (await operator(app, ['support'])).id
  const operatorChange = () =>
    data(
      other.ask('POST', '/operators', {
        body: { email: `invitee-${Math.random().toString(36).slice(2)}@desk.example`, roles: ['risk'] },
      }),
    )

  /** The id of a key with which an engine waits. */
  const waitingKey = async () => {
    const [first, waits] = [randomBytes(32), randomBytes(32)]
    await app.pool.query(
      'insert into proof_keys (id, public_key) select $1, $2 where not exists (select from proof_keys)',
      [keyId(first), first],
    )
    await app.pool.query('insert into waiting_proof_keys (id, public_key) values ($1, $2)', [keyId(waits), waits])
    return keyId(waits)
  }
  const proofKey = async () =>
    data(other.ask('POST', '/proof-keys', { body: { key: await waitingKey(), reason: 'r' } }))

  return {
    'GET /desk/proof-keys': withStatus(),
    'GET /desk/waiting-proof-keys': {
      good: async () => {
        await waitingKey()
        return mine()
      },
      refused: [],
    },
    'POST /desk/proof-keys': {
      good: async () => mine({ body: { key: await waitingKey(), reason: 'r' } }),
      refused: [
        noReason,
        ['a key that no engine has', withBody({ key: '0'.repeat(32) }), 404, 'not_found'],
        ['what is no key', withBody({ key: 'mine' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/proof-keys/:id/approve': {
      good: async () => mine({ params: { id: (await proofKey()).id } }),
      refused: [
        noSuch('999999999'),
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/proof-keys/:id/reject': {
      good: async () => mine({ params: { id: (await proofKey()).id }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
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
    'GET /desk/auth/sessions': { good: mine, refused: [] },
    'DELETE /desk/auth/sessions': {
      good: async () => ({ token: (await operator(app, ['support'])).token }),
      refused: [],
    },
    'DELETE /desk/auth/sessions/:id': {
      good: async () => {
        const who = await operator(app, ['support'])
        await signInAgain(app, who, Date.now() + 30_000)
        const { json } = await who.ask('GET', '/auth/sessions')
        const [{ id }] = json!.data as [{ id: string }]
        return { token: who.token, params: { id } }
      },
      refused: [noSuch('999999999')],
    },
    'POST /desk/auth/password': {
      good: async () => {
        const who = await operator(app, ['support'])
        const code = totpCode(who.secret, Date.now() + 30_000)
        return { token: who.token, body: { current: DESK_PASSWORD, password: 'jacquard loom 1804', code } }
      },
      refused: [
        ['a wrong password', withBody({ current: 'wrong' }), 422, 'invalid_credentials'],
        ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
        ['five characters', withBody({ password: '12345' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/auth/authenticator': {
      good: async () => {
        const who = await operator(app, ['support'])
        return { token: who.token, body: { current: DESK_PASSWORD, code: totpCode(who.secret, Date.now() + 30_000) } }
      },
      refused: [
        ['a wrong password', withBody({ current: 'wrong' }), 422, 'invalid_credentials'],
        ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
      ],
    },
    'POST /desk/auth/authenticator/confirm': {
      good: async () => {
        const who = await operator(app, ['support'])
        const shown = { current: DESK_PASSWORD, code: totpCode(who.secret, Date.now() + 30_000) }
        const { json } = await who.ask('POST', '/auth/authenticator', { body: shown })
        const { token, secret } = json!.data as { token: string; secret: string }
        return { token: who.token, body: { token, code: totpCode(secret) } }
      },
      refused: [
        ['a token of nobody', withBody({ token: 'x'.repeat(43) }), 422, 'invalid_hash'],
        ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
      ],
    },
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
  } satisfies Partial<Record<DeskCallName, Case>>
}
