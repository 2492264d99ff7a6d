import { expect } from 'vitest'
import { type CallName as AnyCallName, api } from '#contract/api.ts'
import type { DeskCallName } from '#contract/desk/index.ts'
import { parsePublicId } from '#kernel/id.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import { type Ask, ask as askOf, type Refusal, withBody } from './calls.ts'
import { softwareKey } from './outside/authenticator.ts'
import { type DeskOperator, operator } from './people/desk.ts'
import { photo } from './pictures.ts'
import { type Reply, sharedApp, type Trader, type WholeApp } from './servers/app.ts'
import { confirmAddress } from './trades/money.ts'

export const profile = {
  gender: 'female',
  date_of_birth: '1985-12-10',
  address: 'a',
  city: 'b',
  state: 'c',
  country: 'France',
}
const { date_of_birth: _born, ...place } = profile
export const wholeProfile = { firstname: 'Ada', lastname: 'Byron', phone: '+44 20 7946 0000', ...place }
export const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
export const BANK = {
  bank_name: 'Bank of Ada',
  type: 'Checking',
  account_number: '000123456789',
  routing_number: '021000021',
}

/** Calls of the desk are tested in desk-contract.test.ts. */
export type CallName = Exclude<AnyCallName, DeskCallName>

/** Calls about the account itself. */
export type AccountCall = Extract<CallName, `${string} /${'auth' | 'users'}${string}`>

/** All calls but the desk's. */
export const NAMES = (Object.keys(api) as AnyCallName[]).filter((name): name is CallName => !name.includes(' /desk/'))

export const isAccountCall = (name: CallName): name is AccountCall => /^\S+ \/(auth|users)\b/.test(name)

export type ContractScene = Awaited<ReturnType<typeof startContract>>

/**
 * Starts the whole server (unless one is given) with two traders, and returns what the requests of the contract tests
 * need.
 */
export async function startContract(running?: WholeApp) {
  const app = running ?? (await sharedApp())
  const [ada, eve] = await Promise.all([app.confirmedTrader(), app.trader()])
  const picture = await photo()
  await app.submit(ada)
  const ask = (name: CallName, asked: Ask): Promise<Reply> => askOf(app, name, asked)

  const mine = async (more: Ask = {}): Promise<Ask> => ({ token: ada.token, ...more })

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

  /** Creates a trader with the Beginner plan and returns their token. */
  async function withPlan(): Promise<string> {
    const { token } = await funded(3_000)
    const reply = await ask('POST /users/set-plan', { token, body: { trading_plan: 'Beginner-3000' } })
    expect(reply.status).toBe(200)
    return token
  }

  /** Creates a trader with an authenticator app, and returns them with their recovery codes. */
  async function withTotp(): Promise<{ trader: Trader; codes: string[] }> {
    const trader = await app.confirmedTrader()
    const { token, password } = trader
    const begun = await ask('POST /auth/2fa/totp', { token, body: { password } })
    const { secret } = begun.json!.data as { secret: string }
    const confirmed = await ask('POST /auth/2fa/totp/confirm', { token, body: { code: totpCode(secret) } })
    return { trader, codes: (confirmed.json!.data as { recovery_codes: string[] }).recovery_codes }
  }

  /** Creates a trader whose second-factor reset has been approved and is waiting. */
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

  /** Makes a call that requires a step-up, and returns the same request with the step-up token. */
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

  /** Creates a trader who has this much real money and may withdraw it. */
  async function withdrawing(dollars: number): Promise<Trader> {
    const trader = await funded(dollars)
    await app.verify(trader)
    return trader
  }

  /** Requests a withdrawal, and returns its id and the trader's token. */
  async function withdrawn(): Promise<{ token: string; id: string }> {
    const { token } = await withdrawing(100)
    const reply = await ask('POST /withdraw', { token, body: { amount: 50, wallet: WALLET } })
    expect(reply.status, reply.text).toBe(200)
    return { token, id: (reply.json!.data as { withdraw_id: string }).withdraw_id }
  }

  /** Rejections that all calls for withdrawing share. */
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
        await confirmAddress(app.db, BigInt(trader.id))
        return { ...good, token: trader.token }
      },
      422,
      'identity_required',
    ],
  ]

  /** A trade that looks as if it was placed half a minute ago, so that it can be sold at once; `verify` finds it. */
  async function olderTrade(): Promise<string> {
    const { trade_id } = await app.submit(ada, { duration: 300 })
    await app.asSuper(
      `update trades set trade_time = trade_time - 30000, end_time = end_time - 30000,
        entry_seq = 1, entry_price = 1, entry_time = trade_time - 29000 where id = ${parsePublicId(trade_id)}`,
    )
    return trade_id
  }

  /** A trade with an order to sell that no price decides during the tests: it's an hour ahead of the tape. */
  async function tradeBeingSold(): Promise<string> {
    const trade_id = await olderTrade()
    await app.asSuper(
      `with ordered as (
        update trades set sale_ordered_at = trade_time + 3600000 where id = ${parsePublicId(trade_id)} returning *
      )
      insert into sale_orders (account_id, trade_id, at, minimum) select account_id, id, sale_ordered_at, 50 from ordered`,
    )
    return trade_id
  }

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

  return {
    app,
    ada,
    eve,
    picture,
    ask,
    mine,
    asSubmitted,
    funded,
    withPlan,
    withTotp,
    resetApproved,
    steppedUp,
    pageOrigin,
    madePasskey,
    withdrawing,
    withdrawn,
    withdrawRefusals,
    resetHash,
    renewalCookie,
    olderTrade,
    tradeBeingSold,

    /** Options of `testCalls` that both test files share. */
    common: {
      app: () => app,
      unchanged: () => app.balances(ada),
      optional: [
        'phone',
        'referral_code',
        'remember',
        'code',
        'currency',
        'text',
        'mode',
        'indicators',
        'beneficiary',
        'hosted_by',
      ],
    },

    /** Stops the server. Fails unless all money adds up. */
    async stop() {
      const broken = await app.broken()
      await app.stop()
      expect(broken, 'the money adds up after all of it').toEqual([])
    },
  }
}
