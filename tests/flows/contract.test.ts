import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallName as AnyCallName, api } from '#contract/api.ts'
import type { DeskCallName } from '#contract/desk.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { PROBLEMS } from '#contract/problem.ts'
import { totpCode } from '#server/platform/totp.ts'
import { ORDER, type Reply, startWholeApp, type Trader, type WholeApp } from '#tests/support/app.ts'
import { softwareKey } from '#tests/support/authenticator.ts'
import { FOREIGN_FIELDS, HOSTILE, HOSTILE_BODIES, type Hostile } from '#tests/support/hostile.ts'
import { mismatches } from '#tests/support/json-schema.ts'
import { photo } from '#tests/support/pictures.ts'

/** The desk's calls are asked in desk-contract.test.ts. */
type CallName = Exclude<AnyCallName, DeskCallName>

interface Ask {
  token?: string
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
  form?: Record<string, string>
  file?: Buffer
  headers?: Record<string, string>
}

/** What is refused, what is asked instead of the good request, and the status and code that answer it. */
type Refusal = [what: string, ask: (good: Ask) => Ask | Promise<Ask>, status: number, code: string]

interface Case {
  /** A request that is answered with success; made anew each time. */
  good(): Promise<Ask>
  refused: Refusal[]
  /** What answers the good request where this installation lacks a part for it. */
  lacking?: [status: number, code: string]
}

let app: WholeApp
let ada: Trader
let eve: Trader
let picture: Buffer

beforeAll(async () => {
  app = await startWholeApp()
  ;[ada, eve] = await Promise.all([app.trader(), app.trader()])
  picture = await photo()
  await app.submit(ada)
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  expect(broken, 'the money adds up after all of it').toEqual([])
})

const mine = async (more: Ask = {}): Promise<Ask> => ({ token: ada.token, ...more })
const profile = {
  gender: 'female',
  date_of_birth: '1985-12-10',
  address: 'a',
  city: 'b',
  state: 'c',
  country: 'France',
}
const { date_of_birth: _born, ...place } = profile
const wholeProfile = { firstname: 'Ada', lastname: 'Byron', phone: '+44 20 7946 0000', ...place }
const withBody =
  (change: Record<string, unknown>) =>
  (good: Ask): Ask => ({ ...good, body: { ...good.body, ...change } })
const withQuery =
  (change: Record<string, string>) =>
  (good: Ask): Ask => ({ ...good, query: { ...good.query, ...change } })

async function asHandedIn(): Promise<string> {
  const trader = await app.trader()
  const reply = await ask('POST /profile/user-verification', {
    token: trader.token,
    form: { method: 'national_id' },
    file: picture,
  })
  expect(reply.status).toBe(200)
  return trader.token
}

async function funded(dollars: number): Promise<Trader> {
  const trader = await app.trader()
  await app.fund(trader, dollars)
  return trader
}

/** The token of somebody with the Beginner plan. */
async function withPlan(): Promise<string> {
  const { token } = await funded(3_000)
  const reply = await ask('POST /users/set-plan', { token, body: { trading_plan: 'Beginner-3000' } })
  expect(reply.status).toBe(200)
  return token
}

/** Somebody with an authenticator app, and the recovery codes that came with it. */
async function withTotp(): Promise<{ trader: Trader; codes: string[] }> {
  const trader = await app.trader()
  const { token, password } = trader
  const begun = await ask('POST /auth/2fa/totp', { token, body: { password } })
  const { secret } = begun.json!.data as { secret: string }
  const confirmed = await ask('POST /auth/2fa/totp/confirm', { token, body: { code: totpCode(secret) } })
  return { trader, codes: (confirmed.json!.data as { recovery_codes: string[] }).recovery_codes }
}

/** A call that was refused for want of the second factor, ready to be made again with it. */
async function steppedUp({ token }: Trader, name: CallName, more: Ask, code: string): Promise<Ask> {
  const refused = await ask(name, { token, ...more })
  expect(refused.status, refused.text).toBe(428)
  const granted = await ask('POST /auth/step-up', { token, body: { code } })
  const { token: stepUp } = granted.json!.data as { token: string }
  return { token, ...more, headers: { 'x-step-up': stepUp } }
}

const pageOrigin = () => `http://localhost:${app.port}`
async function madePasskey(token: string, password: string) {
  const { json } = await ask('POST /auth/2fa/passkeys/options', { token, body: { password } })
  return softwareKey(pageOrigin()).create(json!.data as { challenge: string })
}

/** Somebody who may withdraw, with money. */
async function withdrawing(dollars: number): Promise<Trader> {
  const trader = await funded(dollars)
  await app.verify(trader)
  return trader
}

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const BANK = { bank_name: 'Bank of Ada', type: 'Checking', account_number: '000123456789', routing_number: '021000021' }

/** A withdrawal that waits, and who asked for it. */
async function withdrawn(): Promise<{ token: string; id: string }> {
  const { token } = await withdrawing(100)
  const reply = await ask('POST /withdraw', { token, body: { amount: 50, wallet: WALLET } })
  expect(reply.status, reply.text).toBe(200)
  return { token, id: (reply.json!.data as { withdraw_id: string }).withdraw_id }
}

/** What the calls that move money out refuse alike. */
const withdrawRefusals: Refusal[] = [
  ['more than the balance', withBody({ amount: 100.01 }), 422, 'insufficient_balance'],
  ['less than a dollar', withBody({ amount: 0.99 }), 422, 'validation_failed'],
  ['a third decimal', withBody({ amount: 1.005 }), 422, 'validation_failed'],
  [
    'an address that is not confirmed',
    async (good) => ({ ...good, token: (await funded(100)).token }),
    422,
    'email_not_confirmed',
  ],
  [
    'somebody without an identity',
    async (good) => {
      const trader = await funded(100)
      await app.db
        .updateTable('users')
        .set({ email_confirmed_at: new Date() })
        .where('id', '=', BigInt(trader.id))
        .execute()
      return { ...good, token: trader.token }
    },
    422,
    'identity_required',
  ],
]

async function resetHash(): Promise<string> {
  const { email } = await app.register()
  await app.send('GET', `/api/auth/reset-password?email=${encodeURIComponent(email)}`)
  return app.hashFor(email, /reset/i)
}

async function renewalCookie(): Promise<string> {
  const { email, password } = await app.register()
  const { headers } = await app.send('POST', '/api/auth/login', { body: { email, password } })
  return headers
    .getSetCookie()
    .find((line) => line.startsWith('renewal='))!
    .split(';')[0]!
}

/** A case for every call: a new row of the contract does not compile without one. */
const cases: Record<CallName, Case> = {
  'POST /auth/register': {
    good: async () => ({
      body: {
        firstname: 'Ada',
        lastname: 'Byron',
        email: `ada-${Math.random()}@example.org`,
        phone: '+44 20 7946 0000',
        password: 'analytical engine',
        confirmPassword: 'analytical engine',
      },
    }),
    refused: [
      [
        'an address that its owner confirmed',
        async (good) => {
          const { email } = await app.register()
          const hash = await app.hashFor(email, /confirm/i)
          await app.send('POST', '/api/auth/verify-email', { body: { hash } })
          return withBody({ email })(good)
        },
        409,
        'already_exists',
      ],
      ['passwords that differ', withBody({ confirmPassword: 'other' }), 422, 'validation_failed'],
      ['a phone of nine figures', withBody({ phone: '123456789' }), 422, 'validation_failed'],
      ['a header in the address', withBody({ email: 'ok@x.org\r\nBcc: evil@x.org' }), 422, 'validation_failed'],
    ],
  },
  'POST /auth/complete-profile': {
    good: async () => ({ body: { ...profile, session: (await app.register()).session } }),
    refused: [
      ['a session that nobody has', withBody({ session: 'x'.repeat(43) }), 422, 'invalid_session'],
      ['a country that is none', withBody({ country: 'Atlantis' }), 422, 'validation_failed'],
      ['a day to come', withBody({ date_of_birth: '2999-01-01' }), 422, 'validation_failed'],
      ['a day that is none', withBody({ date_of_birth: '2001-02-29' }), 422, 'validation_failed'],
    ],
  },
  'POST /users/user-identification': {
    good: async () => ({ form: { method: 'national_id', session: (await app.register()).session }, file: picture }),
    refused: [
      [
        'a session that nobody has',
        (good) => ({ ...good, form: { ...good.form, session: 'x' } }),
        422,
        'invalid_session',
      ],
      ['no file', ({ file: _, ...good }) => good, 422, 'validation_failed'],
      ['no session', (good) => ({ ...good, form: { method: 'national_id' } }), 422, 'validation_failed'],
    ],
  },
  'POST /auth/login': {
    good: async () => {
      const { email, password } = await app.register()
      return { body: { email, password } }
    },
    refused: [
      ['a wrong password', withBody({ password: 'wrong' }), 422, 'invalid_credentials'],
      ['an unknown address', withBody({ email: 'nobody@example.org' }), 422, 'invalid_credentials'],
    ],
  },
  'POST /auth/refresh': {
    good: async () => ({ headers: { cookie: await renewalCookie() } }),
    refused: [
      ['no cookie', () => ({}), 401, 'unauthenticated'],
      ['a cookie of nobody', () => ({ headers: { cookie: `renewal=${'x'.repeat(43)}` } }), 401, 'unauthenticated'],
      ['another site', (good) => ({ headers: { ...good.headers, origin: 'https://evil.example' } }), 403, 'forbidden'],
    ],
  },
  'POST /auth/logout': {
    good: async () => ({ token: (await app.trader()).token }),
    refused: [['another site', (good) => ({ ...good, headers: { origin: 'https://evil.example' } }), 403, 'forbidden']],
  },
  'GET /auth/sessions': { good: mine, refused: [] },
  'DELETE /auth/sessions': { good: async () => ({ token: (await app.trader()).token }), refused: [] },
  'DELETE /auth/sessions/:id': {
    good: async () => {
      const trader = await app.trader()
      await app.trader(trader)
      const { data } = (await app.send('GET', '/api/auth/sessions', { token: trader.token })).json as {
        data: { id: string; current: boolean }[]
      }
      return { token: trader.token, params: { id: data.find((session) => !session.current)!.id } }
    },
    refused: [
      ['a session that nobody has', (good) => ({ ...good, params: { id: '999999999' } }), 404, 'not_found'],
      ['a session of somebody else', (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
    ],
  },
  'GET /auth/reset-password': {
    good: async () => ({ query: { email: ada.email } }),
    refused: [['no address', () => ({}), 422, 'validation_failed']],
  },
  'GET /auth/reset-password/details': {
    good: async () => ({ query: { hash: await resetHash() } }),
    refused: [['a hash of nobody', () => ({ query: { hash: 'x'.repeat(43) } }), 422, 'invalid_hash']],
  },
  'POST /auth/reset-password': {
    good: async () => ({ body: { password: 'new engine', confirmPassword: 'new engine', hash: await resetHash() } }),
    refused: [
      ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
      ['five characters', withBody({ password: '12345', confirmPassword: '12345' }), 422, 'validation_failed'],
      [
        'a hash that confirms an address',
        async (good) => {
          const { email } = await app.register()
          return withBody({ hash: await app.hashFor(email, /confirm/i) })(good)
        },
        422,
        'invalid_hash',
      ],
    ],
  },
  'POST /auth/verify-email': {
    good: async () => ({ body: { hash: await app.hashFor((await app.register()).email, /confirm/i) } }),
    refused: [
      ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
      ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
    ],
  },
  'GET /auth/verify-email': {
    good: async () => ({ token: (await app.trader()).token }),
    refused: [
      [
        'an address that is confirmed',
        async () => {
          const trader = await app.trader()
          const hash = await app.hashFor(trader.email, /confirm/i)
          await app.send('POST', '/api/auth/verify-email', { body: { hash } })
          return { token: trader.token }
        },
        409,
        'wrong_state',
      ],
    ],
  },
  'PATCH /users/change-password': {
    good: async () => {
      const { token, password } = await app.trader()
      return { token, body: { current: password, password: 'new engine', confirmPassword: 'new engine' } }
    },
    refused: [
      ['a wrong password', withBody({ current: 'wrong' }), 422, 'invalid_credentials'],
      ['passwords that differ', withBody({ confirmPassword: 'other' }), 422, 'validation_failed'],
    ],
  },
  'GET /users/me': { good: mine, refused: [] },
  'PATCH /users': {
    good: async () => ({ token: (await app.trader()).token, body: { ...wholeProfile } }),
    refused: [
      ['two letters of a name', withBody({ firstname: 'Al' }), 422, 'validation_failed'],
      ['a gender that nobody gave', withBody({ gender: 'others' }), 422, 'validation_failed'],
      ['another e-mail', withBody({ email: 'eve@example.org' }), 422, 'validation_failed'],
      ['a country that is none', withBody({ country: 'Atlantis' }), 422, 'validation_failed'],
    ],
  },
  'POST /users/update': {
    good: async () => ({ token: (await app.trader()).token, form: { ...wholeProfile }, file: picture }),
    refused: [
      [
        'two letters of a name',
        (good) => ({ ...good, form: { ...good.form, lastname: 'Li' } }),
        422,
        'validation_failed',
      ],
      [
        'a plan of its own',
        (good) => ({ ...good, form: { ...good.form, trading_plan: 'Diamond-50730' } }),
        422,
        'validation_failed',
      ],
      ['words as a picture', (good) => ({ ...good, file: Buffer.from('words') }), 415, 'unsupported_media_type'],
      ['more than 2 MB', (good) => ({ ...good, file: Buffer.alloc(2_097_153) }), 413, 'too_large'],
    ],
  },
  'GET /avatars/:name': {
    good: async () => {
      const { token } = await app.trader()
      const reply = await ask('POST /users/update', { token, form: {}, file: picture })
      return { params: { name: (reply.json!.data as { avatar: string }).avatar.split('/').at(-1)! } }
    },
    refused: [
      ['a picture that nobody has', () => ({ params: { name: '0'.repeat(40) } }), 404, 'not_found'],
      [
        'an ID that somebody handed in',
        async () => {
          const token = await asHandedIn()
          const { data } = (await app.send('GET', '/api/profile/user-verification', { token })).json as {
            data: { id_file_url: string }
          }
          return { params: { name: data.id_file_url.split('/').at(-1)! } }
        },
        404,
        'not_found',
      ],
    ],
  },
  'GET /auth/2fa': { good: mine, refused: [] },
  'POST /auth/2fa/totp': {
    good: () => mine({ body: { password: ada.password } }),
    refused: [['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials']],
  },
  'POST /auth/2fa/totp/confirm': {
    good: async () => {
      const { token, password } = await app.trader()
      const begun = await ask('POST /auth/2fa/totp', { token, body: { password } })
      const { secret } = begun.json!.data as { secret: string }
      return { token, body: { code: totpCode(secret) } }
    },
    refused: [
      ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
      ['nothing begun', async (good) => ({ ...good, token: (await app.trader()).token }), 409, 'wrong_state'],
    ],
  },
  'DELETE /auth/2fa/totp': {
    good: async () => {
      const { trader, codes } = await withTotp()
      return steppedUp(trader, 'DELETE /auth/2fa/totp', {}, codes[0]!)
    },
    refused: [
      ['none there', async () => ({ token: eve.token }), 404, 'not_found'],
      ['without a step-up', async () => ({ token: (await withTotp()).trader.token }), 428, 'step_up_required'],
    ],
  },
  'POST /auth/2fa/recovery-codes': {
    good: async () => {
      const { trader, codes } = await withTotp()
      return steppedUp(trader, 'POST /auth/2fa/recovery-codes', {}, codes[0]!)
    },
    refused: [
      ['no second factor', async () => ({ token: eve.token }), 409, 'wrong_state'],
      ['without a step-up', async () => ({ token: (await withTotp()).trader.token }), 428, 'step_up_required'],
    ],
  },
  'POST /auth/2fa/passkeys/options': {
    good: () => mine({ body: { password: ada.password } }),
    refused: [['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials']],
  },
  'POST /auth/2fa/passkeys': {
    good: async () => {
      const { token, password } = await app.trader()
      return { token, body: { name: 'Blue key', response: await madePasskey(token, password) } }
    },
    refused: [
      ['a name that is too long', withBody({ name: 'x'.repeat(61) }), 422, 'validation_failed'],
      [
        'an answer to no question',
        (good) => withBody({ response: softwareKey(pageOrigin()).create({ challenge: 'AAAA' }) })(good),
        422,
        'invalid_credentials',
      ],
    ],
  },
  'DELETE /auth/2fa/passkeys/:id': {
    good: async () => {
      const { trader, codes } = await withTotp()
      const options = await steppedUp(
        trader,
        'POST /auth/2fa/passkeys/options',
        { body: { password: trader.password } },
        codes[0]!,
      )
      const { json } = await ask('POST /auth/2fa/passkeys/options', options)
      const response = softwareKey(pageOrigin()).create(json!.data as { challenge: string })
      await ask('POST /auth/2fa/passkeys', { token: trader.token, body: { name: 'k', response } })
      const list = await ask('GET /auth/2fa', { token: trader.token })
      const id = (list.json!.data as { passkeys: { id: string }[] }).passkeys[0]!.id
      return steppedUp(trader, 'DELETE /auth/2fa/passkeys/:id', { params: { id } }, codes[1]!)
    },
    refused: [['one that is not there', async () => ({ token: eve.token, params: { id: '1' } }), 404, 'not_found']],
  },
  'POST /auth/login/passkey-options': {
    good: async () => {
      const { token, email, password } = await app.trader()
      await ask('POST /auth/2fa/passkeys', { token, body: { name: 'k', response: await madePasskey(token, password) } })
      return { body: { email, password } }
    },
    refused: [
      ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
      ['no passkey', async () => ({ body: { email: eve.email, password: eve.password } }), 409, 'wrong_state'],
    ],
  },
  'POST /auth/step-up/passkey-options': {
    good: async () => {
      const { token, password } = await app.trader()
      await ask('POST /auth/2fa/passkeys', { token, body: { name: 'k', response: await madePasskey(token, password) } })
      return { token }
    },
    refused: [['no passkey', async () => ({ token: eve.token }), 409, 'wrong_state']],
  },
  'POST /auth/step-up': {
    good: async () => {
      const { trader, codes } = await withTotp()
      await ask('DELETE /auth/2fa/totp', { token: trader.token })
      return { token: trader.token, body: { code: codes[0] } }
    },
    refused: [
      ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
      ['nothing shown', async (good) => ({ ...good, body: {} }), 422, 'validation_failed'],
      ['nothing that waits', async (good) => ({ ...good, token: (await app.trader()).token }), 409, 'wrong_state'],
    ],
  },
  'GET /notices': {
    good: mine,
    refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
  },
  'POST /notices/read': {
    good: () => mine({ body: { up_to: '1' } }),
    refused: [['a number that is none', withBody({ up_to: '-1' }), 422, 'validation_failed']],
  },
  'POST /users/set-plan': {
    good: async () => ({ token: (await funded(3_000)).token, body: { trading_plan: 'Beginner-3000' } }),
    refused: [
      ['a plan that is none', withBody({ trading_plan: 'Gold' }), 422, 'validation_failed'],
      ['a price of its own', withBody({ trading_plan: 'Gold-1' }), 422, 'validation_failed'],
      ['a dearer plan than the balance covers', withBody({ trading_plan: 'Gold-7600' }), 422, 'insufficient_balance'],
      ['a second plan', async (good) => ({ ...good, token: await withPlan() }), 409, 'wrong_state'],
    ],
  },
  'POST /users/request-plan-update': {
    good: async () => ({ token: await withPlan(), body: { trading_plan: 'Gold-7600' } }),
    refused: [
      ['a request without a plan', (good) => ({ ...good, token: eve.token }), 409, 'wrong_state'],
      ['the same plan', withBody({ trading_plan: 'Beginner-3000' }), 409, 'wrong_state'],
      ['no plan at all', withBody({ trading_plan: '' }), 422, 'validation_failed'],
    ],
  },
  'GET /deposit/wallet-address': {
    good: () => mine({ query: { currency: 'eth' } }),
    refused: [['a coin that is none', withQuery({ currency: 'DOGE' }), 422, 'validation_failed']],
  },
  'GET /deposit/convert': {
    good: () => mine({ query: { currency: 'eth', amount: '100' } }),
    refused: [
      ['no amount', () => mine({ query: { currency: 'eth' } }), 422, 'validation_failed'],
      ['an exponent', withQuery({ amount: '1e3' }), 422, 'validation_failed'],
      ['less than a dollar', withQuery({ amount: '0.99' }), 422, 'validation_failed'],
      ['a coin that is none', withQuery({ currency: 'DOGE' }), 422, 'validation_failed'],
    ],
  },
  'POST /deposit': {
    good: async () => ({
      token: (await withdrawing(1)).token,
      form: { usd_amount: '100', currency: 'btc' },
      file: picture,
    }),
    refused: [
      ['no receipt', ({ file: _, ...good }) => good, 422, 'validation_failed'],
      ['words as a receipt', (good) => ({ ...good, file: Buffer.from('words') }), 415, 'unsupported_media_type'],
      ['more than 5 MB', (good) => ({ ...good, file: Buffer.alloc(5_242_881) }), 413, 'too_large'],
      [
        'less than a dollar',
        (good) => ({ ...good, form: { ...good.form, usd_amount: '0.99' } }),
        422,
        'validation_failed',
      ],
      [
        'an address that is not confirmed',
        async (good) => ({ ...good, token: (await app.trader()).token }),
        422,
        'email_not_confirmed',
      ],
    ],
  },
  'POST /deposit/card': {
    good: () => mine({ body: { amount: 100 } }),
    lacking: [503, 'not_configured'],
    refused: [['less than a dollar', withBody({ amount: 0.99 }), 422, 'validation_failed']],
  },
  'POST /deposit/card/webhook': {
    good: async () => ({ body: {} }),
    lacking: [503, 'not_configured'],
    refused: [],
  },
  'GET /deposit': {
    good: mine,
    refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
  },
  'GET /deposit/:deposit_id/receipt': {
    good: async () => {
      const asked = await cases['POST /deposit'].good()
      const { data } = (await ask('POST /deposit', asked)).json as { data: { deposit_id: string } }
      return { token: asked.token!, params: { deposit_id: data.deposit_id } }
    },
    refused: [
      ['a deposit that is none', (good) => ({ ...good, params: { deposit_id: '0000000000000' } }), 404, 'not_found'],
      ['a receipt of somebody else', (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
    ],
  },
  'GET /withdraw/requirements': { good: mine, refused: [] },
  'POST /withdraw': {
    good: async () => ({ token: (await withdrawing(100)).token, body: { amount: 50, wallet: WALLET } }),
    refused: [
      ...withdrawRefusals,
      ['an address that is none', withBody({ wallet: 'my wallet' }), 422, 'validation_failed'],
      ['an address that was mistyped', withBody({ wallet: WALLET.replace('Aed', 'AeD') }), 422, 'validation_failed'],
    ],
  },
  'POST /withdraw/bank': {
    good: async () => ({ token: (await withdrawing(100)).token, body: { ...BANK, amount: 50 } }),
    refused: [
      ...withdrawRefusals,
      ['a kind of account that is none', withBody({ type: 'Gold' }), 422, 'validation_failed'],
      ['a number of words', withBody({ account_number: 'my account!' }), 422, 'validation_failed'],
    ],
  },
  'GET /withdraw': {
    good: mine,
    refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
  },
  'POST /withdraw/:withdraw_id/cancel': {
    good: async () => {
      const { token, id } = await withdrawn()
      return { token, params: { withdraw_id: id } }
    },
    refused: [
      ['one that is none', (good) => ({ ...good, params: { withdraw_id: '0000000000000' } }), 404, 'not_found'],
      ['one of somebody else', (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      [
        'one that is cancelled',
        async (good) => {
          await ask('POST /withdraw/:withdraw_id/cancel', good)
          return good
        },
        409,
        'wrong_state',
      ],
    ],
  },
  'GET /statement': {
    good: () => mine({ query: { mode: 'demo', from: '2026-01-01', to: '2030-12-31', format: 'csv' } }),
    refused: [
      ['a day that is none', withQuery({ from: '2026-02-30' }), 422, 'validation_failed'],
      ['an end before the beginning', withQuery({ to: '2025-12-31' }), 422, 'validation_failed'],
      ['a format that is none', withQuery({ format: 'xls' }), 422, 'validation_failed'],
      ['no days', () => mine({ query: { mode: 'demo' } }), 422, 'validation_failed'],
    ],
  },
  'GET /profile/user-verification': { good: mine, refused: [] },
  'POST /profile/user-verification': {
    good: async () => ({ token: (await app.trader()).token, form: { method: 'national_id' }, file: picture }),
    refused: [
      [
        'a second one while the first waits',
        async (good) => ({ ...good, token: await asHandedIn() }),
        409,
        'wrong_state',
      ],
      ['no file', ({ file: _, ...good }) => good, 422, 'validation_failed'],
      ['a method that is none', (good) => ({ ...good, form: { method: 'library_card' } }), 422, 'validation_failed'],
    ],
  },
  'GET /profile/user-verification/file/:name': {
    good: async () => {
      const token = await asHandedIn()
      const { data } = (await app.send('GET', '/api/profile/user-verification', { token })).json as {
        data: { id_file_url: string }
      }
      return { token, params: { name: data.id_file_url.split('/').at(-1)! } }
    },
    refused: [
      ['a file that nobody has', (good) => ({ ...good, params: { name: '0'.repeat(40) } }), 404, 'not_found'],
      ['a file of somebody else', (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
    ],
  },
  'GET /prices/instruments': { good: async () => ({}), refused: [] },
  'GET /prices/candles': {
    good: async () => ({ query: { symbol: 'BCHBTC', interval: '1m' } }),
    refused: [
      ['a symbol that is none', withQuery({ symbol: 'NOPE' }), 404, 'not_found'],
      ['an interval that is none', withQuery({ interval: '2m' }), 422, 'validation_failed'],
      ['no rows', withQuery({ limit: '0' }), 422, 'validation_failed'],
      ['a time that is none', withQuery({ before: 'yesterday' }), 422, 'validation_failed'],
    ],
  },
  'GET /prices/ticks': {
    good: async () => ({ query: { symbol: 'BCHBTC', from: String(Date.now() - 60_000) } }),
    refused: [
      ['a symbol that is none', withQuery({ symbol: 'NOPE' }), 404, 'not_found'],
      ['a time that is none', withQuery({ from: 'yesterday' }), 422, 'validation_failed'],
    ],
  },
  'GET /public/installation': { good: async () => ({}), refused: [] },
  'POST /public/contact': {
    good: async () => ({ body: { name: 'Ada Byron', email: 'ada@example.org', message: 'May I ask?' } }),
    refused: [
      ['a header in the address', withBody({ email: 'ok@x.org\r\nBcc: evil@x.org' }), 422, 'validation_failed'],
      ['no words', withBody({ message: ' ' }), 422, 'validation_failed'],
      ['too many words', withBody({ message: 'a'.repeat(4_001) }), 422, 'validation_failed'],
    ],
  },
  'GET /health': { good: async () => ({}), refused: [] },
  'POST /trading/submit': {
    good: () => mine({ body: { ...ORDER } }),
    refused: [
      ['a symbol that is none', withBody({ symbol: 'NOPE' }), 422, 'validation_failed'],
      [
        'a symbol that is only shown',
        withBody({ symbol: 'SPX', trading_type: 'Currencies' }),
        422,
        'validation_failed',
      ],
      ['a symbol of the other type', withBody({ trading_type: 'Currencies' }), 422, 'validation_failed'],
      ['less than a dollar', withBody({ amount: 0.99 }), 422, 'validation_failed'],
      ['a third decimal', withBody({ amount: 1.005 }), 422, 'validation_failed'],
      ['more than the balance', withBody({ amount: 9_999.99 }), 422, 'insufficient_balance'],
      ['more than one trade may be', withBody({ amount: 10_000.01 }), 422, 'limit_reached'],
      ['a duration of its own', withBody({ duration: 61 }), 422, 'validation_failed'],
      ['a rate of its own', withBody({ strike_rate: '99/99' }), 422, 'validation_failed'],
      ['a third side', withBody({ trade_mode: 'Hold' }), 422, 'validation_failed'],
      ['an empty live account', withBody({ mode: 'real' }), 422, 'insufficient_balance'],
    ],
  },
  'GET /trading': {
    good: () => mine({ query: { mode: 'demo' } }),
    refused: [
      ['no mode', () => mine(), 422, 'validation_failed'],
      ['a mode that is none', withQuery({ mode: 'play' }), 422, 'validation_failed'],
      ['no rows', withQuery({ limit: '0' }), 422, 'validation_failed'],
      ['too many rows', withQuery({ limit: '201' }), 422, 'validation_failed'],
      ['a cursor that is none', withQuery({ cursor: 'next' }), 422, 'validation_failed'],
    ],
  },
  'GET /trading/:trade_id': {
    good: async () => mine({ params: { trade_id: (await app.submit(ada)).trade_id } }),
    refused: [
      ['a trade that is none', (good) => ({ ...good, params: { trade_id: '0000000000000' } }), 404, 'not_found'],
      ['a trade of somebody else', (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
    ],
  },
  'POST /trading/demo/reset': { good: () => mine(), refused: [] },
  'GET /profit': {
    good: () => mine(),
    refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
  },
}

const NAMES = (Object.keys(api) as AnyCallName[]).filter((name): name is CallName => !name.includes(' /desk/'))
const endpointOf = (name: CallName): Endpoint => api[name]

function ask(name: CallName, { token, params = {}, query = {}, body, form, file, headers }: Ask): Promise<Reply> {
  const [method, pattern] = name.split(' ') as [string, string]
  const path = pattern.replaceAll(/:(\w+)/g, (_, part: string) => encodeURIComponent(params[part] ?? ''))
  const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''
  return app.send(method, `/api${path}${search}`, {
    token,
    ...(headers ? { headers } : {}),
    ...(form || file
      ? { body: multipart(form ?? {}, file, Object.keys(endpointOf(name).files ?? {})[0]) }
      : body
        ? { body }
        : {}),
  })
}

function multipart(fields: Record<string, string>, file: Buffer | undefined, fileField = 'id_file'): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  if (file) form.set(fileField, new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'id.jpg')
  return form
}

/** A refusal has one shape and a code whose status it has, says something to people, and tells nothing of our insides. */
function expectRefusal(reply: Reply, what: string): void {
  expect(reply.status, `${what}: ${reply.text.slice(0, 300)}`).toBeGreaterThanOrEqual(400)
  expect(reply.status, `${what}: ${reply.text.slice(0, 300)}`).toBeLessThan(500)
  const { json } = reply
  expect(json, what).toMatchObject({ status: false, code: expect.any(String), message: expect.stringMatching(/\S/) })
  expect(PROBLEMS[json!.code as keyof typeof PROBLEMS], `${what}: ${json!.code}`).toBe(reply.status)
  expect(reply.text, what).not.toMatch(/postgres|kysely|syntax error at|violates|node_modules|\.ts:\d|zod|ECONN/i)
  expect(reply.text.length, `${what}: what is wrong is not sent back`).toBeLessThan(6_000)
}

/** The only answers that a browser may keep. */
const CACHED: Partial<Record<CallName, string>> = {
  'GET /avatars/:name': 'public, max-age=31536000, immutable',
}

/** Forms whose fields may all be left out, and hold any words. */
const LOOSE_FORMS: readonly CallName[] = ['POST /users/update']

/** Runs many with a few at a time. */
async function each<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
}

test('there is a case for every call of the contract and for no other', () => {
  expect(Object.keys(cases).sort()).toEqual([...NAMES].sort())
})

describe.each(NAMES)('%s', (name) => {
  const endpoint = endpointOf(name)
  const { good, refused, lacking } = cases[name]
  const [method, pattern] = name.split(' ') as [string, string]
  /** Codes of 401 and 403 sign a client out: only these calls may answer them to somebody whose session lives. */
  const signsOut = name === 'POST /auth/refresh' || name === 'POST /auth/logout'

  test('answers what the contract and the OpenAPI document say', async () => {
    const reply = await ask(name, await good())
    if (lacking) {
      expect([reply.status, reply.json?.code], reply.text).toEqual(lacking)
      return
    }
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get('cache-control')).toBe(CACHED[name] ?? 'no-store')
    if (endpoint.reply === 'text') return
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const { paths } = (await app.send('GET', '/api/openapi.json')).json as unknown as OpenApi
    const operation = paths[`/api${pattern.replaceAll(/:(\w+)/g, '{$1}')}`]![method.toLowerCase()]!
    expect(mismatches(operation.responses['200']!.content['application/json']!.schema, reply.json)).toEqual([])
  })

  for (const [what, change, status, code] of refused) {
    test(`refuses ${what}`, async () => {
      const changed = await change(await good())
      const before = await app.balances(ada)
      const reply = await ask(name, changed)
      expectRefusal(reply, what)
      expect([reply.status, reply.json?.code], reply.text).toEqual([status, code])
      expect(await app.balances(ada)).toEqual(before)
    })
  }

  if (endpoint.access === 'user') {
    test('is for the signed-in', async () => {
      const asked = await good()
      for (const authorization of [
        '',
        'Bearer',
        'Bearer ',
        `Bearer ${'x'.repeat(43)}`,
        `Basic ${asked.token}`,
        `Bearer ${asked.token}x`,
        `Bearer ${'x'.repeat(4_000)}`,
        "Bearer ' or 1=1 --",
      ]) {
        const { token: _, ...rest } = asked
        const reply = await ask(name, { ...rest, headers: authorization ? { authorization } : {} })
        expectRefusal(reply, authorization)
        expect([reply.status, reply.json?.code]).toEqual([401, 'unauthenticated'])
      }
    })
  }

  if (endpoint.body) {
    test('no hostile value in any field of the body gets through, and none is an error of ours', async () => {
      const asked = await good()
      const path = `/api${pattern}`
      const tries = Object.entries(asked.body!).flatMap(([field, value]) =>
        HOSTILE.map((hostile) => ({ field, value, hostile })),
      )
      const before = await app.balances(ada)
      await each(tries, async ({ field, value, hostile }) => {
        const what = `${field}: ${hostile.name}`
        const reply = await app.send(method, path, { token: asked.token, body: replaced(asked.body!, field, hostile) })
        // A text may hold any words; whatever is not even a text, or no number where one is wanted, may not pass.
        if (reply.status === 200 && typeof value === 'string' && hostile.kind === 'text') return
        expectRefusal(reply, what)
        if (!signsOut) expect([401, 403], what).not.toContain(reply.status)
        if (hostile.kind === 'broken') expect(reply.status, what).toBe(400)
      })
      expect(await app.balances(ada)).toEqual(before)
    })

    test('every field that must be there is missed by its name', async () => {
      const asked = await good()
      for (const field of Object.keys(asked.body!)) {
        const { [field]: _, ...body } = asked.body!
        const reply = await ask(name, { ...asked, body })
        if (reply.status === 200) {
          expect(OPTIONAL, `${name} without ${field}`).toContain(field)
          return
        }
        expectRefusal(reply, field)
        expect(reply.json).toMatchObject({ code: 'validation_failed' })
        expect(reply.json!.errors).toContainEqual({ field, message: expect.any(String) })
      }
    })

    test('fields that nobody asked for are refused, never written', async () => {
      const asked = await good()
      await each(Object.entries(FOREIGN_FIELDS), async ([field, value]) => {
        if (Object.hasOwn(asked.body!, field)) return
        const reply = await ask(name, { ...asked, body: { ...asked.body, [field]: value } })
        expectRefusal(reply, field)
        expect([400, 422]).toContain(reply.status)
      })
      const proto = JSON.stringify(asked.body).replace(/\}$/, ',"__proto__":{"balance":1}}')
      expectRefusal(await app.send(method, `/api${pattern}`, { token: asked.token, body: proto }), '__proto__')
    })

    test('a body that is none, or of another kind, is refused', async () => {
      const { token, body } = await good()
      const send = (headers: Record<string, string>, sent?: string | Uint8Array) =>
        app.send(method, `/api${pattern}`, { token, headers, ...(sent === undefined ? {} : { body: sent }) })
      for (const hostile of HOSTILE_BODIES) {
        const reply = await send({}, hostile.body)
        expectRefusal(reply, hostile.name)
        expect(hostile.status, `${hostile.name}: ${reply.text.slice(0, 200)}`).toContain(reply.status)
      }
      const text = JSON.stringify(body)
      expect((await send({}, '')).status, 'an empty body').toBe(422)
      expect((await send({})).status, 'no body').toBe(422)
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'text/html',
        'nonsense',
      ]) {
        const reply = await send({ 'content-type': type }, text)
        expectRefusal(reply, type)
        expect(reply.status, type).toBe(415)
      }
      const form = await app.send(method, `/api${pattern}`, { token, body: multipart({ a: 'b' }, undefined) })
      expectRefusal(form, 'a form')
      const latin = new Uint8Array([...Buffer.from('{"a":"'), 0xff, 0xfe, 0xc3, ...Buffer.from('"}')])
      expectRefusal(await send({}, latin), 'bytes that are no text')
      expectRefusal(await send({ 'content-encoding': 'gzip' }, new Uint8Array([31, 139, 8, 0])), 'compressed')
    })
  } else if (!endpoint.form) {
    test('takes no body', async () => {
      if (method === 'GET') return
      const { headers, ...asked } = await good()
      const reply = await ask(name, { ...asked, ...(headers ? { headers } : {}), body: { balance: 1_000_000 } })
      expectRefusal(reply, 'a body')
      expect(reply.status).toBe(422)
    })
  }

  if (endpoint.form) {
    test('no hostile form gets through', async () => {
      const asked = await good()
      const path = `/api${pattern}`
      const texts = HOSTILE.filter((hostile) => hostile.kind === 'text')
      const isLoose = LOOSE_FORMS.includes(name)
      for (const field of Object.keys(asked.form!)) {
        await each(texts, async (hostile) => {
          const value = JSON.parse(hostile.json) as string
          const reply = await ask(name, { ...asked, form: { ...asked.form, [field]: value } })
          if (isLoose && reply.status === 200) return
          // A form carries its amounts as plain decimal text.
          if (field === 'usd_amount' && hostile.name === 'a number as text') return
          expectRefusal(reply, `${field}: ${hostile.name}`)
        })
        const { [field]: _, ...form } = asked.form!
        const reply = await ask(name, { ...asked, form })
        if (isLoose) {
          expect(reply.status, `without ${field}`).toBe(200)
          continue
        }
        if (reply.status === 200) {
          expect(OPTIONAL, `${name} without ${field}`).toContain(field)
          continue
        }
        expectRefusal(reply, `without ${field}`)
        expect(reply.json!.errors).toContainEqual({ field, message: expect.any(String) })
      }
      for (const field of ['balance', 'email_verified', 'status', 'constructor', 'user_id'])
        expectRefusal(await ask(name, { ...asked, form: { ...asked.form, [field]: '1' } }), field)
      const twice = multipart(asked.form!, asked.file)
      twice.append('method', 'others')
      expectRefusal(await app.send(method, path, { token: asked.token, body: twice }), 'a field twice')
      const many = multipart(asked.form!, asked.file)
      for (let n = 0; n < 100; n++) many.append(`f${n}`, 'x')
      expectRefusal(await app.send(method, path, { token: asked.token, body: many }), 'a hundred fields')
      const json = await app.send(method, path, { token: asked.token, body: { method: 'national_id' } })
      expect(json.status, 'JSON').toBe(415)
      for (const [type, body] of [
        ['multipart/form-data', 'x'],
        ['multipart/form-data; boundary=b', ''],
        ['multipart/form-data; boundary=b', '--b\r\nnonsense'],
        ['multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="method"\r\n\r\nx'],
        [`multipart/form-data; boundary=${'b'.repeat(500)}`, '--b--'],
      ] as const) {
        const headers = { 'content-type': type }
        expectRefusal(
          await app.send(method, path, { token: asked.token, headers, body }),
          `${type.slice(0, 60)} ${body}`,
        )
      }
    })
  }

  test('no hostile query gets through', async () => {
    const asked = await good()
    const known = Object.keys(asked.query ?? {})
    const texts = HOSTILE.filter((hostile) => hostile.kind === 'text' && hostile.json.length < 10_000)
    await each(known, async (field) => {
      for (const hostile of texts) {
        const value = hostile.name === 'a lone surrogate' ? 'a\ufffdb' : (JSON.parse(hostile.json) as string)
        const reply = await ask(name, { ...asked, query: { ...asked.query, [field]: value } })
        if (reply.status !== 200) expectRefusal(reply, `${field}: ${hostile.name}`)
      }
    })
    const { headers = {}, token } = asked
    const path = `/api${pattern.replaceAll(/:(\w+)/g, (_, part: string) => asked.params?.[part] ?? '')}`
    const search = new URLSearchParams(asked.query).toString()
    const raw = [
      'x=1',
      'x=1&x=2',
      'balance=1',
      '__proto__=1',
      'constructor=1',
      ...known.map((field) => `${field}=1&${field}=2`),
      ...known.map((field) => `${field}[]=1`),
      ...known.map((field) => `${field}[a]=1`),
    ]
    const { body, form, file } = asked
    for (const query of raw) {
      const reply = await app.send(method, `${path}?${search ? `${search}&` : ''}${query}`, {
        token,
        headers,
        ...(form ? { body: multipart(form, file) } : body ? { body } : {}),
      })
      expectRefusal(reply, query)
      if (!signsOut) expect(reply.status, `${query}: ${reply.text}`).toBe(422)
    }
    for (const query of ['%', '%zz', '%ff', `a=${'x'.repeat(9_000)}`]) {
      const reply = await app.send(method, `${path}?${query}`, { token, headers })
      expect(reply.status, query).toBeLessThan(500)
    }
  })

  if (endpoint.params) {
    test('no hostile path gets through', async () => {
      const asked = await good()
      const base = `/api${pattern.replace(/:\w+$/, '')}`
      const segments = [
        ...HOSTILE.filter((hostile) => hostile.kind === 'text' && hostile.name !== 'a lone surrogate')
          .map((hostile) => encodeURIComponent(JSON.parse(hostile.json) as string))
          .filter((segment) => segment.length < 8_000),
        '%00',
        '%',
        '%ff%fe',
        '..%2f..%2fetc%2fpasswd',
        '%2e%2e',
        '-1',
        '9223372036854775808',
        '99999999999999999999999999999999',
        '1e3',
        '0x1',
      ]
      await each(segments, async (segment) => {
        const reply = await app.send(method, base + segment, { token: asked.token })
        expectRefusal(reply, segment.slice(0, 60))
        expect([400, 404, 422]).toContain(reply.status)
      })
    })
  }

  test('other methods on its address are refused plainly, and a question for the options too', async () => {
    const { token } = await good()
    const path = `/api${pattern.replaceAll(/:(\w+)/g, 'x')}`
    const taken = NAMES.filter((other) => other.split(' ')[1] === pattern).map((other) => other.split(' ')[0]!)
    for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']) {
      if (taken.includes(other)) continue
      // `GET /auth/sessions/x` and its like may be the address of another call with a parameter.
      const reply = await bare(other, path, token)
      expect(reply.status, `${other} ${path}`).toBeGreaterThanOrEqual(400)
      expect(reply.status, `${other} ${path}`).toBeLessThan(500)
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    }
    const head = await bare('HEAD', path, token)
    expect(head.status).toBeLessThan(500)
    expect(head.text).toBe('')
  })
})

/** Fields of the good requests that may be left out. */
const OPTIONAL = ['phone', 'referral_code', 'remember', 'code', 'currency']

function replaced(body: Record<string, unknown>, field: string, hostile: Hostile): string {
  const mark = 'the-value-to-be-replaced'
  return JSON.stringify({ ...body, [field]: mark }).replace(`"${mark}"`, () => hostile.json)
}

/** A request by hand, with methods that fetch does not send. */
function bare(method: string, path: string, token: string | undefined) {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const request = httpRequest(
      app.origin + path,
      { method, headers: token ? { authorization: `Bearer ${token}` } : {} },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode!, text, headers: response.headers }))
      },
    )
    request.on('error', reject)
    request.end()
  })
}

interface OpenApi {
  openapi: string
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: Record<string, { schema: Record<string, unknown> }> }> }>
  >
}

describe('the OpenAPI document', () => {
  test('names every call with its answers, and its page can be read', async () => {
    const { json } = await app.send('GET', '/api/openapi.json')
    const { openapi, paths } = json as unknown as OpenApi
    expect(openapi).toBe('3.1.0')
    const named = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(named.sort()).toEqual(
      Object.keys(api)
        .map((name) => name.replace(' ', ' /api').replaceAll(/:(\w+)/g, '{$1}'))
        .sort(),
    )
    const page = await app.send('GET', '/api/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    for (const path of Object.keys(paths)) expect(page.text).toContain(path)
  })

  test('says which refusals a call has: those seen here are named', async () => {
    const { paths } = (await app.send('GET', '/api/openapi.json')).json as unknown as OpenApi
    for (const name of NAMES) {
      const [method, pattern] = name.split(' ') as [string, string]
      const { responses } = paths[`/api${pattern.replaceAll(/:(\w+)/g, '{$1}')}`]![method.toLowerCase()]!
      for (const [what, , status] of cases[name].refused)
        expect(Object.keys(responses), `${name}: ${what}`).toContain(String(status))
    }
  })

  test('what lies beside the calls is not there, in the same words', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api//users/me', '/API/health']) {
      const reply = await app.send('GET', path)
      expect(reply.status, path).toBe(404)
      if (path.startsWith('/api/')) expectRefusal(reply, path)
    }
  })
})

describe('idempotency keys', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })

  test('the same key and body: the same answer, one effect; whatever the order of the fields', async () => {
    const trader = await app.trader()
    const headers = key()
    const body = { ...ORDER, amount: 120.5 }
    const first = await ask('POST /trading/submit', { token: trader.token, body, headers })
    const turned = Object.fromEntries(Object.entries(body).reverse())
    const again = await Promise.all(
      [body, turned, body, body].map((sent) =>
        ask('POST /trading/submit', { token: trader.token, body: sent, headers }),
      ),
    )
    for (const reply of again) expect(reply.json).toEqual(first.json)
    expect(await app.balances(trader)).toEqual({ balance: 0, demo_balance: 9_879.5 })
  })

  test('twenty at once with one key are one trade', async () => {
    const trader = await app.trader()
    const headers = key()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () =>
        ask('POST /trading/submit', { token: trader.token, body: { ...ORDER }, headers }),
      ),
    )
    expect(new Set(replies.map((reply) => (reply.json!.data as { trade_id: string }).trade_id)).size).toBe(1)
    expect((await app.balances(trader)).demo_balance).toBe(9_990)
  })

  test('the same key and another body, or another call: 409, and no money moves', async () => {
    const trader = await app.trader()
    const headers = key()
    await app.submit(trader, {}, headers)
    for (const [name, more] of [
      ['POST /trading/submit', { body: { ...ORDER, amount: 10.01 } }],
      ['POST /trading/submit', { body: { ...ORDER, trade_mode: 'Sell' } }],
      ['POST /trading/demo/reset', {}],
    ] as const) {
      const reply = await ask(name, { token: trader.token, headers, ...more })
      expect([reply.status, reply.json?.code], reply.text).toEqual([409, 'idempotency_mismatch'])
    }
    expect((await app.balances(trader)).demo_balance).toBe(9_990)
  })

  test('keys are per user', async () => {
    const [one, two] = await Promise.all([app.trader(), app.trader()])
    const headers = key()
    const trades = [await app.submit(one, {}, headers), await app.submit(two, {}, headers)]
    expect(trades[0]!.trade_id).not.toBe(trades[1]!.trade_id)
  })

  test('a refusal frees the key', async () => {
    const trader = await app.trader()
    const headers = key()
    const refused = await ask('POST /trading/submit', {
      token: trader.token,
      headers,
      body: { ...ORDER, mode: 'real' },
    })
    expect(refused.status).toBe(422)
    expect((await app.submit(trader, {}, headers)).status).toBe('Pending')
  })

  test('a reset with a key happens once; without one it always does', async () => {
    const trader = await app.trader()
    const headers = key()
    const reset = () => ask('POST /trading/demo/reset', { token: trader.token, headers })
    await app.submit(trader)
    expect((await reset()).json).toMatchObject({ data: { demo_balance: 10_000 } })
    await app.submit(trader)
    await reset()
    expect((await app.balances(trader)).demo_balance).toBe(9_990)
  })

  test('a key has from 1 to 255 characters', async () => {
    const trader = await app.trader()
    for (const [length, status] of [
      [0, 422],
      [1, 200],
      [255, 200],
      [256, 422],
    ] as const) {
      const headers = { 'idempotency-key': 'k'.repeat(length) }
      const reply = await ask('POST /trading/submit', { token: trader.token, body: { ...ORDER }, headers })
      expect(reply.status, `${length} characters: ${reply.text}`).toBe(status)
    }
  })
})

describe('lists', () => {
  test('all pages together hold every trade once, newest first, while new ones arrive', async () => {
    const trader = await app.trader()
    const ids: string[] = []
    for (let n = 0; n < 23; n++) ids.push((await app.submit(trader, { amount: (100 + n) / 100 })).trade_id)
    ids.reverse()
    for (const limit of [1, 2, 7, 22, 23, 24, 200]) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const query = { mode: 'demo', limit: String(limit), ...(cursor ? { cursor } : {}) }
        const { json } = await ask('GET /trading', { token: trader.token, query })
        const rows = json!.data as { trade_id: string }[]
        expect(rows.length).toBeGreaterThan(0)
        expect(rows.length).toBeLessThanOrEqual(limit)
        seen.push(...rows.map((row) => row.trade_id))
        cursor = json!.next_cursor as string | undefined
        // Newer than everything that is still to come.
        if (limit === 7) await app.submit(trader, { amount: 1 })
      } while (cursor)
      expect(
        seen.filter((id) => ids.includes(id)),
        `pages of ${limit}`,
      ).toEqual(ids)
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  test('filters leave out what they should, and live trades are not demo trades', async () => {
    const trader = await app.trader()
    await app.submit(trader, { trade_mode: 'Buy' })
    await app.submit(trader, { trade_mode: 'Sell', symbol: 'ETHUSDT' })
    const count = async (query: Record<string, string>) =>
      ((await ask('GET /trading', { token: trader.token, query })).json!.data as unknown[]).length
    expect(await count({ mode: 'demo' })).toBe(2)
    expect(await count({ mode: 'real' })).toBe(0)
    expect(await count({ mode: 'demo', trade_mode: 'Sell' })).toBe(1)
    expect(await count({ mode: 'demo', symbol: 'BTCUSDT' })).toBe(1)
    expect(await count({ mode: 'demo', symbol: 'NOPE' })).toBe(0)
    expect(await count({ mode: 'demo', status: 'Pending' })).toBe(2)
    expect(await count({ mode: 'demo', status: 'Won' })).toBe(0)
  })

  test.each(['0', '201', '-1', '1.5', '1e1', 'ten', '１０', ' 5', '+5', '', '0x5', '05 ', '9999', 'NaN', 'Infinity'])(
    'a limit of %j is refused',
    async (limit) => {
      for (const name of ['GET /trading', 'GET /profit'] as const) {
        const reply = await ask(name, {
          token: ada.token,
          query: { ...(name === 'GET /trading' ? { mode: 'demo' } : {}), limit },
        })
        expect([reply.status, reply.json?.code], `${name} ${reply.text}`).toEqual([422, 'validation_failed'])
      }
    },
  )

  test.each([
    '',
    ' ',
    'x',
    '0',
    '-1',
    'null',
    'zzzzzzzzzzzzz',
    'ZZZZZZZZZZZZZ',
    "' or 1=1 --",
    '０００００００００００００',
    'a'.repeat(300),
  ])('a cursor of %j is refused', async (cursor) => {
    const reply = await ask('GET /trading', { token: ada.token, query: { mode: 'demo', cursor } })
    expect([reply.status, reply.json?.code], reply.text).toEqual([422, 'validation_failed'])
  })
})

test('a money-moving call that is refused moves none, however it is wrong', async () => {
  const trader = await app.trader()
  const tries = Object.keys(ORDER).flatMap((field) => HOSTILE.map((hostile) => ({ field, hostile })))
  await each(tries, async ({ field, hostile }) => {
    const body = replaced({ ...ORDER }, field, hostile)
    const reply = await app.send('POST', '/api/trading/submit', { token: trader.token, body })
    expect(reply.status, `${field}: ${hostile.name}`).not.toBe(200)
  })
  expect(await app.balances(trader)).toEqual({ balance: 0, demo_balance: 10_000 })
  expect((await ask('GET /trading', { token: trader.token, query: { mode: 'demo' } })).json!.data).toEqual([])
})
