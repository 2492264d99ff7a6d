import type { DeskCallName } from '#contract/desk/index.ts'
import type { StrategyId } from '#contract/terms.ts'
import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about trades and automatic trades. */
export function tradingCases({ items, boss, other, mine, on, data, withStatus }: Office) {
  /** Makes sure that a strategy is switched off and that switching it on isn't proposed. */
  const switchedOff = async (strategy: StrategyId) => {
    await data(other.ask('POST', '/automatic/switch-off', { body: { strategy, reason: 'r' } }))
    const { json } = await boss.ask('GET', '/strategy-restarts?status=Pending')
    for (const { id, own, strategy: of } of json!.data as { id: string; own: boolean; strategy: StrategyId }[])
      if (of === strategy) await data((own ? other : boss).ask('POST', `/strategy-restarts/${id}/reject`, reasons))
  }
  const restart = async (strategy: StrategyId) => {
    await switchedOff(strategy)
    return data(other.ask('POST', '/strategy-restarts', { body: { strategy, reason: 'r' } }))
  }

  return {
    'GET /desk/strategy-restarts': withStatus(),
    'POST /desk/strategy-restarts': {
      good: async () => {
        await switchedOff('trend')
        return mine({ body: { strategy: 'trend', reason: 'r' } })
      },
      refused: [
        noReason,
        [
          'one that is proposed already',
          async (good) => {
            await restart('trend')
            return good
          },
          409,
          'wrong_state',
        ],
        ['a strategy that is none', withBody({ strategy: 'luck' }), 422, 'validation_failed'],
      ],
    },
    'POST /desk/strategy-restarts/:id/approve': {
      good: async () => mine({ params: { id: (await restart('reversion')).id } }),
      refused: [
        noSuch('999999999'),
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
      ],
    },
    'POST /desk/strategy-restarts/:id/reject': {
      good: async () => mine({ params: { id: (await restart('breakout')).id }, ...reasons }),
      refused: [
        noSuch('999999999'),
        noReason,
        ['the proposer', async (good) => ({ ...good, token: other.token }), 409, 'second_person_required'],
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
    'GET /desk/business': {
      good: () => mine({ query: { days: '7' } }),
      refused: [['a period that is none', withQuery({ days: '2' }), 422, 'validation_failed']],
    },
    'GET /desk/money': {
      good: () => mine({ query: { days: '30', limit: '2' } }),
      refused: [
        ['a period that is none', withQuery({ days: '2' }), 422, 'validation_failed'],
        ['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed'],
      ],
    },
    'GET /desk/exposure': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [['a mode that is none', withQuery({ mode: 'play' }), 422, 'validation_failed']],
    },
    'GET /desk/automatic': { good: mine, refused: [] },
    'POST /desk/automatic/switch-off': {
      good: () => mine({ body: { strategy: 'coin-toss', reason: 'r' } }),
      refused: [noReason, ['a strategy that is none', withBody({ strategy: 'luck' }), 422, 'validation_failed']],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
