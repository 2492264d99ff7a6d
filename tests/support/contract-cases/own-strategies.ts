import { expect } from 'vitest'
import { DEFAULT_AUTOMATION, DEFAULT_FOLLOWED } from '#contract/trading/automatic.ts'
import type { OwnStrategy, RuleBody } from '#contract/trading/own-strategies.ts'
import { type Ask, type Case, withBody } from '#tests/support/calls.ts'
import type { CallName, ContractScene } from '#tests/support/contract.ts'
import { takesAutomaticSetting } from './guardrails.ts'

const RSI = { indicator: 'rsi', inputs: [14], output: 'value' }
const RULE: RuleBody = {
  buy: { join: 'all', conditions: [{ left: RSI, crosses: 'above', right: { number: '30' } }] },
  sell: { join: 'any', conditions: [{ from: '08:00', to: '20:00', days: [1, 2] }] },
}
const withRule = (change: Partial<RuleBody>) => withBody({ rule: { ...RULE, ...change } })
const buying = (...conditions: object[]) =>
  withRule({ buy: { join: 'all', conditions: conditions as RuleBody['buy']['conditions'] } })

/** Returns the cases of the calls about own strategies. */
export function ownStrategiesCases({ app, ask, eve, mine }: ContractScene) {
  const body = { name: 'Dips', rule: RULE, duration: 300, symbols: ['BTCUSDT'], zone: 'Europe/Berlin' }
  const { strategies: _, ...limits } = DEFAULT_AUTOMATION
  const { strategy: __, ...settings } = { ...DEFAULT_FOLLOWED, ...limits }
  const tried = { symbols: ['BTCUSDT'], balance: 1_000, source: 'tape', from: '2026-01-05', to: '2026-01-05' }

  /** Saves a strategy of a new trader: nobody's list fills up. */
  async function saved(): Promise<Ask> {
    const { token } = await app.trader()
    const reply = await ask('POST /strategies', { token, body })
    expect(reply.status, reply.text).toBe(200)
    return { token, params: { id: (reply.json!.data as OwnStrategy).id } }
  }
  const asEve = (good: Ask): Ask => ({ ...good, token: eve.token })
  const close = { price: 'close' }

  return {
    'GET /strategies': { good: () => mine(), refused: [] },
    'POST /strategies': {
      good: async () => ({ token: (await app.trader()).token, body }),
      refused: [
        ['no condition', withRule(emptyRule()), 422, 'validation_failed'],
        ['a symbol that is not traded', withBody({ symbols: ['EURUSD'] }), 422, 'validation_failed'],
        ['no symbol', withBody({ symbols: [] }), 422, 'validation_failed'],
        ['a zone that does not exist', withBody({ zone: 'Mars/Base' }), 422, 'validation_failed'],
        ['a name of digits only', withBody({ name: '12' }), 422, 'validation_failed'],
        [
          'an indicator that needs volume',
          buying({ left: { indicator: 'vwma', inputs: [20], output: 'value' }, is: 'above', right: close }),
          422,
          'validation_failed',
        ],
        [
          'an indicator with the parameters of another',
          buying({ left: { ...RSI, inputs: [14, 3] }, is: 'above', right: { number: '1' } }),
          422,
          'validation_failed',
        ],
        ['a price and an index', buying({ left: close, is: 'above', right: RSI }), 422, 'validation_failed'],
        [
          'a number as a power of ten',
          buying({ left: close, is: 'above', right: { number: '7e4' } }),
          422,
          'validation_failed',
        ],
        ['more candles than there are', withBody({ duration: 3600, rule: longRule() }), 422, 'validation_failed'],
      ],
    },
    'PUT /strategies/:id': {
      good: async () => ({ ...(await saved()), body: { ...body, name: 'Other', version: 1 } }),
      refused: [
        ["another trader's strategy", asEve, 404, 'not_found'],
        ['a version that is not the newest', withBody({ version: 2, duration: 60 }), 409, 'wrong_state'],
      ],
    },
    'DELETE /strategies/:id': { good: saved, refused: [["another trader's strategy", asEve, 404, 'not_found']] },
    'POST /strategies/backtest': {
      good: () => mine({ body: { ...settings, ...tried, strategy: { rule: RULE, zone: 'UTC' } } }),
      takes: takesAutomaticSetting,
      refused: [
        ['32 days', withBody({ to: '2026-02-05' }), 422, 'validation_failed'],
        ['no condition', withBody({ strategy: { rule: emptyRule(), zone: 'UTC' } }), 422, 'validation_failed'],
        ['the name of a strategy', withBody({ strategy: 'trend' }), 422, 'validation_failed'],
      ],
    },
  } satisfies Partial<Record<CallName, Case>>
}

const emptyRule = (): RuleBody => ({
  buy: { join: 'all', conditions: [] },
  sell: { join: 'all', conditions: [] },
})

const longRule = (): RuleBody => ({
  ...emptyRule(),
  buy: {
    join: 'all',
    conditions: [{ left: { indicator: 'sma', inputs: [24], output: 'value' }, is: 'above', right: { price: 'close' } }],
  },
})
