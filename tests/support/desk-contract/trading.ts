import type { DeskCallName } from '#contract/desk/index.ts'
import type { StrategyId } from '#contract/terms.ts'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import type { Waiting } from '#tests/support/people/desk.ts'
import { confirmAddress } from '#tests/support/trades/money.ts'
import { noReason, noSuch, type Office, reasons } from './office.ts'

/** Returns the cases of the calls about trades and automatic trades. */
export function tradingCases({ app, items, boss, other, mine, on, data, list, withStatus }: Office) {
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

  let named = 0
  /** Publishes a strategy of a new trader. */
  async function published(): Promise<Waiting> {
    const trader = await app.trader()
    await confirmAddress(app.db, BigInt(trader.id))
    const reply = await app.send('POST', '/api/strategies/webhook', {
      token: trader.token,
      body: { name: 'Outside', duration: 60, symbols: ['BTCUSDT'] },
    })
    const { id } = reply.json!.data as OwnStrategy
    const { token } = trader
    await app.send('POST', `/api/strategies/${id}/publish`, { token, body: { name: `Desk ${++named}` } })
    return { id, trader }
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
    'GET /desk/published-strategies': list({ query: { name: 'a' } }),
    'POST /desk/published-strategies/:id/withdraw': {
      good: on(published, reasons),
      refused: [noSuch('999999'), noReason],
    },
    'GET /desk/automatic': { good: mine, refused: [] },
    'POST /desk/automatic/switch-off': {
      good: () => mine({ body: { strategy: 'coin-toss', reason: 'r' } }),
      refused: [noReason, ['a strategy that is none', withBody({ strategy: 'luck' }), 422, 'validation_failed']],
    },
  } satisfies Partial<Record<DeskCallName, Case>>
}
