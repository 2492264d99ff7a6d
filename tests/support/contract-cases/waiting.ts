import { expect } from 'vitest'
import type { WaitingOrder } from '#contract/trading/waiting.ts'
import { type Ask, type Case, withBody } from '#tests/support/calls.ts'
import type { CallName, ContractScene } from '#tests/support/contract.ts'

/** Returns the cases of the calls about orders that wait. */
export function waitingCases({ app, ask, eve, mine }: ContractScene) {
  const far = {
    ...{ symbol: 'BTCUSDT', trade_mode: 'Buy', amount: 10, duration: 60, strike_rate: '75/3', mode: 'demo' },
    ...{ condition: 'at_or_above', level: '9000000' },
  }
  const later = () => new Date(Date.now() + 3_600_000).toISOString()
  const timed = (good: Ask): Ask => ({
    ...good,
    body: { ...far, condition: 'at_time', level: undefined, at: later() },
  })

  /** Places an order of a new trader: nobody's places fill up. */
  async function placed(): Promise<Ask> {
    const { token } = await app.trader()
    const reply = await ask('POST /waiting-orders', { token, body: far })
    expect(reply.status).toBe(200)
    const { id } = reply.json!.data as WaitingOrder
    return { token, params: { id } }
  }
  const asEve = (good: Ask): Ask => ({ ...good, token: eve.token })

  return {
    'GET /waiting-orders': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [['no mode', (good) => ({ ...good, query: {} }), 422, 'validation_failed']],
    },
    'GET /waiting-orders/:id': { good: placed, refused: [["another trader's order", asEve, 404, 'not_found']] },
    'POST /waiting-orders': {
      good: async () => ({ token: (await app.trader()).token, body: far }),
      refused: [
        ['a symbol that is not known', withBody({ symbol: 'NOPE' }), 422, 'validation_failed'],
        ['a price that is there already', withBody({ level: '0.01' }), 422, 'validation_failed'],
        ['a price as a power of ten', withBody({ level: '7e4' }), 422, 'validation_failed'],
        ['too many decimals', withBody({ level: '9000000.123456789' }), 422, 'validation_failed'],
        ['a price and a time', withBody({ at: later() }), 422, 'validation_failed'],
        ['a time without one', withBody({ condition: 'at_time', level: undefined }), 422, 'validation_failed'],
        [
          'a time in the past',
          (good) => ({ ...timed(good), body: { ...timed(good).body, at: '2020-01-01T00:00:00Z' } }),
          422,
          'validation_failed',
        ],
        [
          'a time that is valid for a while',
          (good) => ({ ...timed(good), body: { ...timed(good).body, valid_until: later() } }),
          422,
          'validation_failed',
        ],
        [
          'valid for a moment',
          withBody({ valid_until: new Date(Date.now() + 5_000).toISOString() }),
          422,
          'validation_failed',
        ],
        ['valid for ages', withBody({ valid_until: '2999-01-01T00:00:00Z' }), 422, 'validation_failed'],
        ['a local time', withBody({ valid_until: '2027-01-01T00:00:00' }), 422, 'validation_failed'],
        ['an amount as text', withBody({ amount: '10' }), 422, 'validation_failed'],
      ],
    },
    'PUT /waiting-orders/:id': {
      good: async () => ({ ...(await placed()), body: { level: '9000001' } }),
      refused: [
        ["another trader's order", asEve, 404, 'not_found'],
        ['a price that is there already', withBody({ level: '0.01' }), 422, 'validation_failed'],
      ],
    },
    'DELETE /waiting-orders/:id': { good: placed, refused: [["another trader's order", asEve, 404, 'not_found']] },
  } satisfies Partial<Record<CallName, Case>>
}
