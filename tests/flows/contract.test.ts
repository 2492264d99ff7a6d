import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallName as AnyCallName, api } from '#contract/api.ts'
import type { DeskCallName } from '#contract/desk/index.ts'
import { totpCode } from '#server/platform/totp.ts'
import { ORDER, type Reply, startWholeApp, type Trader, type WholeApp } from '#tests/support/app.ts'
import { softwareKey } from '#tests/support/authenticator.ts'
import {
  type Ask,
  ask as askOf,
  type Case,
  each,
  expectRefusal,
  type OpenApi,
  type Refusal,
  replaced,
  testCalls,
  withBody,
  withQuery,
} from '#tests/support/calls.ts'
import { type DeskOperator, operator } from '#tests/support/desk.ts'
import { HOSTILE } from '#tests/support/hostile.ts'
import { photo } from '#tests/support/pictures.ts'

/** The desk's calls are asked in desk-contract.test.ts. */
type CallName = Exclude<AnyCallName, DeskCallName>

let app: WholeApp
let ada: Trader
let eve: Trader
let picture: Buffer

beforeAll(async () => {
  app = await startWholeApp()
  ;[ada, eve] = await Promise.all([app.confirmedTrader(), app.trader()])
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
async function asSubmitted(): Promise<string> {
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

/** The token of a trader with the Beginner plan. */
async function withPlan(): Promise<string> {
  const { token } = await funded(3_000)
  const reply = await ask('POST /users/set-plan', { token, body: { trading_plan: 'Beginner-3000' } })
  expect(reply.status).toBe(200)
  return token
}

/** A trader with an authenticator app, and its recovery codes. */
async function withTotp(): Promise<{ trader: Trader; codes: string[] }> {
  const trader = await app.confirmedTrader()
  const { token, password } = trader
  const begun = await ask('POST /auth/2fa/totp', { token, body: { password } })
  const { secret } = begun.json!.data as { secret: string }
  const confirmed = await ask('POST /auth/2fa/totp/confirm', { token, body: { code: totpCode(secret) } })
  return { trader, codes: (confirmed.json!.data as { recovery_codes: string[] }).recovery_codes }
}

/** A trader whose second factor the desk is about to remove. */
async function resetApproved(): Promise<Trader> {
  const { trader } = await withTotp()
  resetOperators ??= [await operator(app, ['compliance']), await operator(app, ['compliance'])]
  const [one, two] = resetOperators
  const proposed = await one.ask('POST', `/users/${trader.id}/factor-resets`, { body: { reason: 'r' } })
  const { id } = proposed.json!.data as { id: string }
  const approved = await two.ask('POST', `/factor-resets/${id}/approve`)
  expect(approved.status, approved.text).toBe(200)
  return trader
}
let resetOperators: [DeskOperator, DeskOperator] | undefined

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

/** A trader who may withdraw, with money. */
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
    'a trader without an identity',
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
          const hash = await app.hashFor(email, /Confirm/i)
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
      ["another user's session", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
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
          return withBody({ hash: await app.hashFor(email, /Confirm/i) })(good)
        },
        422,
        'invalid_hash',
      ],
    ],
  },
  'POST /auth/verify-email': {
    good: async () => ({ body: { hash: await app.hashFor((await app.register()).email, /Confirm/i) } }),
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
          const hash = await app.hashFor(trader.email, /Confirm/i)
          await app.send('POST', '/api/auth/verify-email', { token: trader.token, body: { hash } })
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
        'an invented plan',
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
        'a submitted ID',
        async () => {
          const token = await asSubmitted()
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
    refused: [
      ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
      [
        'an address that is not confirmed',
        () => ({ token: eve.token, body: { password: eve.password } }),
        422,
        'email_not_confirmed',
      ],
    ],
  },
  'POST /auth/2fa/totp/confirm': {
    good: async () => {
      const { token, password } = await app.confirmedTrader()
      const begun = await ask('POST /auth/2fa/totp', { token, body: { password } })
      const { secret } = begun.json!.data as { secret: string }
      return { token, body: { code: totpCode(secret) } }
    },
    refused: [
      ['a wrong code', withBody({ code: '000000' }), 422, 'invalid_credentials'],
      ['nothing begun', async (good) => ({ ...good, token: (await app.confirmedTrader()).token }), 409, 'wrong_state'],
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
    refused: [
      ['a wrong password', withBody({ password: 'a guess' }), 422, 'invalid_credentials'],
      [
        'an address that is not confirmed',
        () => ({ token: eve.token, body: { password: eve.password } }),
        422,
        'email_not_confirmed',
      ],
    ],
  },
  'POST /auth/2fa/passkeys': {
    good: async () => {
      const { token, password } = await app.confirmedTrader()
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
  'DELETE /auth/2fa/reset': {
    good: async () => ({ token: (await resetApproved()).token }),
    refused: [['none that is under way', async () => ({ token: eve.token }), 409, 'wrong_state']],
  },
  'POST /auth/2fa/reset/stop': {
    good: async () => ({ body: { hash: await app.hashFor((await resetApproved()).email, /second factor/) } }),
    refused: [
      ['a hash of nobody', withBody({ hash: 'x'.repeat(43) }), 422, 'invalid_hash'],
      ['a hash that resets a password', async () => ({ body: { hash: await resetHash() } }), 422, 'invalid_hash'],
    ],
  },
  'POST /auth/login/passkey-options': {
    good: async () => {
      const { token, email, password } = await app.confirmedTrader()
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
      const { token, password } = await app.confirmedTrader()
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
      ['an invented price', withBody({ trading_plan: 'Gold-1' }), 422, 'validation_failed'],
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
  'POST /users/withdraw-plan-request': {
    good: async () => {
      const token = await withPlan()
      await ask('POST /users/request-plan-update', { token, body: { trading_plan: 'Gold-7600' } })
      return { token }
    },
    refused: [['nothing pending', async (good) => ({ ...good, token: await withPlan() }), 409, 'wrong_state']],
  },
  'GET /users/plan-request': { good: mine, refused: [] },
  'GET /deposit/methods': { good: mine, refused: [] },
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
      ["another user's receipt", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
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
      ["another user's", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
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
        async (good) => ({ ...good, token: await asSubmitted() }),
        409,
        'wrong_state',
      ],
      ['no file', ({ file: _, ...good }) => good, 422, 'validation_failed'],
      ['a method that is none', (good) => ({ ...good, form: { method: 'library_card' } }), 422, 'validation_failed'],
    ],
  },
  'GET /profile/address-verification': { good: mine, refused: [] },
  'POST /profile/address-verification': {
    good: async () => ({ token: (await app.trader()).token, form: { method: 'utility_bill' }, file: picture }),
    refused: [
      ['no file', ({ file: _, ...good }) => good, 422, 'validation_failed'],
      ['a method of the ID', (good) => ({ ...good, form: { method: 'national_id' } }), 422, 'validation_failed'],
      ['words as a picture', (good) => ({ ...good, file: Buffer.from('words') }), 415, 'unsupported_media_type'],
    ],
  },
  'GET /profile/user-verification/file/:name': {
    good: async () => {
      const token = await asSubmitted()
      const { data } = (await app.send('GET', '/api/profile/user-verification', { token })).json as {
        data: { id_file_url: string }
      }
      return { token, params: { name: data.id_file_url.split('/').at(-1)! } }
    },
    refused: [
      ['a file that nobody has', (good) => ({ ...good, params: { name: '0'.repeat(40) } }), 404, 'not_found'],
      ["another user's file", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
    ],
  },
  'GET /prices/instruments': {
    good: async () => ({ query: { symbols: 'BTCUSD,SPX' } }),
    refused: [['a symbol that cannot be one', withQuery({ symbols: 'btc usd' }), 422, 'validation_failed']],
  },
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
  'GET /public/figures': { good: async () => ({}), refused: [] },
  'GET /public/payouts': { good: async () => ({}), refused: [] },
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
      ['an invented duration', withBody({ duration: 61 }), 422, 'validation_failed'],
      ['an invented rate', withBody({ strike_rate: '99/99' }), 422, 'validation_failed'],
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
  'GET /trading/limits': {
    good: () => mine({ query: { mode: 'demo', symbol: 'BTCUSDT' } }),
    refused: [
      ['a symbol that is too long', withQuery({ symbol: 'B'.repeat(21) }), 422, 'validation_failed'],
      ['a mode that is none', withQuery({ mode: 'play' }), 422, 'validation_failed'],
    ],
  },
  'GET /trading/:trade_id': {
    good: async () => mine({ params: { trade_id: (await app.submit(ada)).trade_id } }),
    refused: [
      ['a trade that is none', (good) => ({ ...good, params: { trade_id: '0000000000000' } }), 404, 'not_found'],
      ["another user's trade", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
    ],
  },
  'POST /trading/demo/reset': { good: () => mine(), refused: [] },
  'GET /profit': {
    good: () => mine(),
    refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
  },
}

const NAMES = (Object.keys(api) as AnyCallName[]).filter((name): name is CallName => !name.includes(' /desk/'))
const ask = (name: CallName, asked: Ask): Promise<Reply> => askOf(app, name, asked)

test('there is a case for every endpoint of the contract and no other', () => {
  expect(Object.keys(cases).sort()).toEqual([...NAMES].sort())
})

testCalls({
  app: () => app,
  names: NAMES,
  cases,
  unchanged: () => app.balances(ada),
  optional: ['phone', 'referral_code', 'remember', 'code', 'currency'],
  signsOut: ['POST /auth/refresh', 'POST /auth/logout'],
  cached: { 'GET /avatars/:name': 'public, max-age=31536000, immutable' },
  loose: ['POST /users/update'],
})

describe('the OpenAPI document', () => {
  test('lists every endpoint with its responses, and its page is accessible', async () => {
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

  test('documents every error seen in these tests', async () => {
    const { paths } = (await app.send('GET', '/api/openapi.json')).json as unknown as OpenApi
    for (const name of NAMES) {
      const [method, pattern] = name.split(' ') as [string, string]
      const { responses } = paths[`/api${pattern.replaceAll(/:(\w+)/g, '{$1}')}`]![method.toLowerCase()]!
      for (const [what, , status] of cases[name].refused)
        expect(Object.keys(responses), `${name}: ${what}`).toContain(String(status))
    }
  })

  test('returns the same 404 for unknown endpoints', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api//users/me', '/API/health']) {
      const reply = await app.send('GET', path)
      expect(reply.status, path).toBe(404)
      if (path.startsWith('/api/')) expectRefusal(reply, path)
    }
  })
})

describe('idempotency keys', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })

  test('the same key and body give the same response and one effect, in any field order', async () => {
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

  test('twenty parallel orders with one key are one trade', async () => {
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

  test('the same key with another body or endpoint returns 409 and moves no money', async () => {
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

  test('a demo reset and a plan purchase repeat their first response', async () => {
    const trader = await app.trader()
    await app.fund(trader, 3_100)
    const [reset, plan] = [key(), key()]
    const buy = () =>
      ask('POST /users/set-plan', { token: trader.token, body: { trading_plan: 'Beginner-3000' }, headers: plan })
    const first = {
      reset: await ask('POST /trading/demo/reset', { token: trader.token, headers: reset }),
      plan: await buy(),
    }
    await app.submit(trader, { amount: 100 })
    await app.fund(trader, 50)
    expect((await ask('POST /trading/demo/reset', { token: trader.token, headers: reset })).json).toEqual(
      first.reset.json,
    )
    expect((await buy()).json).toEqual(first.plan.json)
    expect(await app.balances(trader)).toEqual({ balance: 150, demo_balance: 9_900 })
  })

  test('keys are per user', async () => {
    const [one, two] = await Promise.all([app.confirmedTrader(), app.trader()])
    const headers = key()
    const trades = [await app.submit(one, {}, headers), await app.submit(two, {}, headers)]
    expect(trades[0]!.trade_id).not.toBe(trades[1]!.trade_id)
  })

  test('a rejection frees the key', async () => {
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

  test('a reset with a key happens once; without one, every time', async () => {
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
  test('all pages together contain every trade once, newest first, while new ones arrive', async () => {
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

  test("filters exclude what they should, and live trades aren't demo trades", async () => {
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
    'rejects a limit of %j',
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
  ])('rejects a cursor of %j', async (cursor) => {
    const reply = await ask('GET /trading', { token: ada.token, query: { mode: 'demo', cursor } })
    expect([reply.status, reply.json?.code], reply.text).toEqual([422, 'validation_failed'])
  })
})

test('a rejected request moves no money, however it is wrong', async () => {
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
