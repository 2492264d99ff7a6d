import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import type { SignalAddress } from '#contract/trading/webhooks.ts'
import { type Ask, type Case, withBody } from '#tests/support/calls.ts'
import type { CallName, ContractScene } from '#tests/support/contract.ts'
import { confirmAddress } from '#tests/support/trades/money.ts'

/** Returns the cases of the calls about signals from outside, and about what traders publish. */
export function webhookCases({ app, ask, eve }: ContractScene) {
  const body = { name: 'Outside', duration: 60, symbols: ['BTCUSDT'] }
  const nothing = { join: 'all', conditions: [] }
  const always = { join: 'all', conditions: [{ left: { price: 'close' }, is: 'above', right: { number: '1' } }] }
  const rule = { buy: always, sell: nothing }
  let named = 0

  /** Makes a strategy of a new trader: nobody's list fills up. */
  async function made(call: 'POST /strategies' | 'POST /strategies/webhook', more: object): Promise<Ask> {
    const { token, id } = await app.trader()
    await confirmAddress(app.db, BigInt(id))
    const reply = await ask(call, { token, body: { ...body, ...more } })
    expect(reply.status, reply.text).toBe(200)
    return { token, params: { id: (reply.json!.data as OwnStrategy).id } }
  }
  const saved = () => made('POST /strategies', { rule, zone: 'UTC' })
  const outside = () => made('POST /strategies/webhook', {})
  async function published(): Promise<Ask> {
    const asked = await saved()
    const reply = await ask('POST /strategies/:id/publish', { ...asked, body: { name: `Contract ${++named}` } })
    expect(reply.status, reply.text).toBe(200)
    return asked
  }
  /** A strategy that takes signals, where, and a message for it. */
  async function addressed() {
    const strategy = await outside()
    await ask('PUT /strategies/:id/signals', { ...strategy, body: { on: true } })
    const { url, key } = (await ask('POST /strategies/:id/address', strategy)).json!.data as SignalAddress
    const message = { symbol: 'BTCUSDT', side: 'buy', time: new Date().toISOString() }
    return { strategy, secret: url.split('/').at(-1)!, key, message }
  }
  const asEve = (good: Ask): Ask => ({ ...good, token: eve.token })
  const unconfirmed = async (good: Ask): Promise<Ask> => {
    const { token } = await app.trader()
    const { json } = await ask('POST /strategies', { token, body: { ...body, rule, zone: 'UTC' } })
    return { ...good, token, params: { id: (json!.data as OwnStrategy).id } }
  }
  const notEves: Case['refused'][number] = ["another trader's strategy", asEve, 404, 'not_found']

  return {
    'POST /strategies/webhook': {
      good: async () => ({ token: (await app.trader()).token, body }),
      refused: [
        ['a symbol that is not traded', withBody({ symbols: ['EURUSD'] }), 422, 'validation_failed'],
        ['a duration without signals', withBody({ duration: 7200 }), 422, 'validation_failed'],
      ],
    },
    'POST /strategies/:id/address': {
      good: outside,
      refused: [notEves, ['a strategy with a rule', async () => saved(), 409, 'wrong_state']],
    },
    'GET /strategies/:id/signals': { good: saved, refused: [notEves] },
    'GET /strategies/:id/received': { good: outside, refused: [notEves] },
    'PUT /strategies/:id/signals': {
      good: async () => ({ ...(await saved()), body: { on: true } }),
      refused: [
        notEves,
        ['an address that is not confirmed', unconfirmed, 422, 'email_not_confirmed'],
        [
          'off while it is published',
          async () => ({ ...(await published()), body: { on: false } }),
          409,
          'wrong_state',
        ],
      ],
    },
    'POST /strategies/:id/publish': {
      good: async () => ({ ...(await saved()), body: { name: `Contract ${++named}` } }),
      refused: [
        notEves,
        ['an address that is not confirmed', unconfirmed, 422, 'email_not_confirmed'],
        ['a name of ours', withBody({ name: 'coin toss' }), 409, 'already_exists'],
        ['a name of digits only', withBody({ name: '12' }), 422, 'validation_failed'],
      ],
    },
    'DELETE /strategies/:id/publish': {
      good: published,
      refused: [notEves, ['one that is not published', async () => saved(), 409, 'wrong_state']],
    },
    'POST /webhooks/:secret': {
      good: async () => {
        const { secret, message } = await addressed()
        return { params: { secret }, body: message }
      },
      refused: [
        ['an unknown address', (good) => ({ ...good, params: { secret: 'A'.repeat(43) } }), 404, 'not_found'],
        ['a time of yesterday', withBody({ time: '2026-01-01T00:00:00Z' }), 409, 'wrong_state'],
        ['no side', withBody({ side: undefined }), 400, 'malformed'],
      ],
    },
    'POST /webhooks/:id/signed': {
      good: async () => {
        const { strategy, key, message } = await addressed()
        const signature = createHmac('sha256', key)
          .update(`nonce-of-a-test.${JSON.stringify(message)}`)
          .digest('hex')
        return {
          params: strategy.params!,
          body: message,
          headers: { 'x-nonce': 'nonce-of-a-test', 'x-signature': signature },
        }
      },
      refused: [
        ['another body than was signed', withBody({ side: 'sell' }), 404, 'not_found'],
        ['no nonce', (good) => ({ ...good, headers: {} }), 400, 'malformed'],
      ],
    },
  } satisfies Partial<Record<CallName, Case>>
}
