import { expect } from 'vitest'
import type { Alert } from '#contract/trading/alerts.ts'
import { type Ask, type Case, withBody } from '#tests/support/calls.ts'
import type { CallName, ContractScene } from '#tests/support/contract.ts'

/** Returns the cases of the calls about alerts. */
export function alertCases({ app, ask, eve, mine }: ContractScene) {
  const rsi = { id: 'rsi', inputs: [14], output: 'value', interval: '1m', level: 70 }
  const far = { kind: 'price', symbol: 'BTCUSDT', direction: 'up', level: '9000000' }

  /** Makes an alert of a new trader: nobody's places fill up. */
  async function made(): Promise<Ask> {
    const { token } = await app.trader()
    const reply = await ask('POST /alerts', { token, body: far })
    expect(reply.status).toBe(200)
    const { id } = reply.json!.data as Alert
    return { token, params: { id } }
  }
  const asEve = (good: Ask): Ask => ({ ...good, token: eve.token })

  return {
    'GET /alerts': { good: () => mine(), refused: [] },
    'POST /alerts': {
      good: () => mine({ body: far }),
      refused: [
        ['a symbol that is not known', withBody({ symbol: 'NOPE' }), 422, 'validation_failed'],
        ['a level below the price', withBody({ level: '0.01' }), 422, 'validation_failed'],
        ['a level as a power of ten', withBody({ level: '7e4' }), 422, 'validation_failed'],
        ['too many decimals', withBody({ level: '9000000.123456789' }), 422, 'validation_failed'],
        ['a price and a move', withBody({ percent: 2, minutes: 15 }), 422, 'validation_failed'],
        ['a move without a length', withBody({ kind: 'move', level: undefined, percent: 2 }), 422, 'validation_failed'],
        ['an indicator without one', withBody({ kind: 'indicator', level: undefined }), 422, 'validation_failed'],
        [
          'an indicator of the objects of JavaScript',
          withBody({ kind: 'indicator', level: undefined, indicator: { ...rsi, id: 'constructor' } }),
          422,
          'validation_failed',
        ],
        [
          'a line that the indicator lacks',
          withBody({ kind: 'indicator', level: undefined, indicator: { ...rsi, output: 'upper' } }),
          422,
          'validation_failed',
        ],
      ],
    },
    'PUT /alerts/:id': {
      good: async () => ({ ...(await made()), body: { ...far, level: '9000001' } }),
      refused: [
        ["another trader's alert", asEve, 404, 'not_found'],
        ['no direction', withBody({ direction: undefined }), 422, 'validation_failed'],
      ],
    },
    'POST /alerts/:id/arm': { good: made, refused: [["another trader's alert", asEve, 404, 'not_found']] },
    'DELETE /alerts/:id': { good: made, refused: [["another trader's alert", asEve, 404, 'not_found']] },
  } satisfies Partial<Record<CallName, Case>>
}
