import { DEFAULT_AUTOMATION, DEFAULT_FOLLOWED } from '#contract/trading/automatic.ts'
import { sql } from '#server/platform/database/db.ts'
import { type Ask, type Case, withBody, withQuery } from '#tests/support/calls.ts'
import type { CallName, ContractScene } from '#tests/support/contract.ts'
import { ageChanges, ageExclusions } from '#tests/support/people/guardrails.ts'

/** Returns the cases of the calls about limits and automatic trades. */
export function guardrailsCases({ app, eve, ask, mine }: ContractScene) {
  /** Requests a looser limit; with `due`, backdated by a day. */
  async function looserLimit(due: boolean): Promise<Ask> {
    const { id, token } = await app.trader()
    const set = (max: number) =>
      ask('PUT /guardrails/limits', { token, body: { guarded: 'stakes', period: 'day', max } })
    await set(100)
    await set(200)
    if (due) await ageChanges(app.ownerUrl, id)
    const { rows } = await sql<{ id: bigint }>`
    select id from guard_changes where account_id = ${BigInt(id) * 2n} and applied_at is null`.execute(app.db)
    return { token, params: { id: String(rows[0]!.id) } }
  }

  /** Returns the token of a trader whose self-exclusion has ended. */
  async function overExclusion(): Promise<string> {
    const account = await app.register()
    const { id, token } = await app.trader(account)
    await ask('POST /guardrails/exclusion', { token, body: { months: 6 } })
    await ageExclusions(app.ownerUrl, id, '1 year')
    return (await app.trader(account)).token
  }

  return {
    'GET /automatic': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [['no mode', () => mine(), 422, 'validation_failed']],
    },
    'PUT /automatic': {
      takes: takesAutomaticSetting,
      good: () => mine({ body: { mode: 'demo', ...DEFAULT_AUTOMATION } }),
      refused: [
        ['an unknown strategy', withStrategy({ strategy: 'sure-thing' }), 422, 'validation_failed'],
        ['a symbol that is not traded', withStrategy({ symbols: ['SPX'] }), 422, 'validation_failed'],
        ['a duration without signals', withStrategy({ duration: 86_400 }), 422, 'validation_failed'],
        ['no strategy', withBody({ strategies: [] }), 422, 'validation_failed'],
        ['a strategy twice', withBody({ strategies: [DEFAULT_FOLLOWED, DEFAULT_FOLLOWED] }), 422, 'validation_failed'],
        ['no day', withBody({ days: [] }), 422, 'validation_failed'],
        ['hours that end when they begin', withBody({ from_hour: 9, to_hour: 9 }), 422, 'validation_failed'],
        ['a zone that is none', withBody({ time_zone: 'Mars/Base' }), 422, 'validation_failed'],
        ['a profit below a dollar', withBody({ profit_a_day: 0.5 }), 422, 'validation_failed'],
        [
          'a profit of a day above the profit in all',
          withBody({ profit_a_day: 9, profit_in_all: 8 }),
          422,
          'validation_failed',
        ],
        ['a pause without an end', withBody({ pause_losses: 2 }), 422, 'validation_failed'],
        ['a pause that its stop prevents', withBody({ pause_losses: 5, pause_minutes: 5 }), 422, 'validation_failed'],
        ['more trades than any plan has', withBody({ trades_a_day: 15 }), 422, 'validation_failed'],
        ['a stake above the loss of a day', withStrategy({ stake: 51 }), 422, 'validation_failed'],
        ['a loss of a day above the loss in all', withBody({ loss_a_day: 201 }), 422, 'validation_failed'],
        ['half a percent', withStrategy({ stake_percent: 0.5 }), 422, 'validation_failed'],
      ],
    },
    'POST /automatic/start': {
      good: () => mine({ body: { mode: 'demo' } }),
      refused: [['real money without settings', withBody({ mode: 'real', confirmed: true }), 409, 'wrong_state']],
    },
    'POST /automatic/pause': {
      good: () => mine({ body: { mode: 'demo' } }),
      refused: [['an unknown mode', withBody({ mode: 'paper' }), 422, 'validation_failed']],
    },
    'POST /automatic/stop': {
      good: () => mine({ body: { mode: 'demo' } }),
      refused: [['an unknown mode', withBody({ mode: 'paper' }), 422, 'validation_failed']],
    },
    'GET /guardrails': { good: mine, refused: [] },
    'PUT /guardrails/limits': {
      good: () => mine({ body: { guarded: 'stakes', period: 'day', max: 500 } }),
      // null removes the limit.
      takes: (field, { json }) => field === 'max' && json === 'null',
      refused: [
        ['something that has no limit', withBody({ guarded: 'wins' }), 422, 'validation_failed'],
        ['a limit below a dollar', withBody({ max: 0.5 }), 422, 'validation_failed'],
        ['half a minute', withBody({ guarded: 'time', max: 20.5 }), 422, 'validation_failed'],
        ['ten minutes', withBody({ guarded: 'time', max: 10 }), 422, 'validation_failed'],
        ['more minutes than a day has', withBody({ guarded: 'time', max: 1_441 }), 422, 'validation_failed'],
      ],
    },
    'PUT /guardrails/reality-check': {
      good: () => mine({ body: { minutes: 60 } }),
      takes: (field, { json }) => field === 'minutes' && json === 'null',
      refused: [['every minute', withBody({ minutes: 1 }), 422, 'validation_failed']],
    },
    'POST /guardrails/changes/:id/confirm': {
      good: () => looserLimit(true),
      refused: [
        ['too early', () => looserLimit(false), 409, 'wrong_state'],
        ['a change that does not exist', () => mine({ params: { id: '999999' } }), 404, 'not_found'],
        ["another trader's", async (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
      ],
    },
    'POST /guardrails/changes/:id/cancel': {
      good: () => looserLimit(false),
      refused: [["another trader's", async (good) => ({ ...good, token: eve.token }), 404, 'not_found']],
    },
    'POST /guardrails/reality-check/confirm': {
      good: async () => {
        const { id, token } = await app.trader()
        await ask('PUT /guardrails/reality-check', { token, body: { minutes: 15 } })
        await sql`update guards set unchecked_seconds = 900 where account_id = ${BigInt(id) * 2n}`.execute(app.db)
        return { token, body: { number: 1 } }
      },
      refused: [['one that is not due', withBody({ number: 2 }), 409, 'wrong_state']],
    },
    'POST /guardrails/time-out': {
      good: async () => ({ token: (await app.trader()).token, body: { days: 1 } }),
      refused: [['half a year', withBody({ days: 180 }), 422, 'validation_failed']],
    },
    'POST /guardrails/exclusion': {
      good: async () => ({ token: (await app.trader()).token, body: { months: 6 } }),
      takes: (field, { json }) => field === 'months' && json === 'null',
      refused: [['a month', withBody({ months: 1 }), 422, 'validation_failed']],
    },
    'POST /guardrails/return': {
      good: async () => ({ token: await overExclusion() }),
      refused: [['without an exclusion', () => mine(), 409, 'wrong_state']],
    },
    'GET /automatic/backtest/sources': { good: mine, refused: [] },
    'POST /automatic/backtest': {
      good: () =>
        mine({
          body: {
            ...DEFAULT_AUTOMATION,
            strategies: [{ ...DEFAULT_FOLLOWED, symbols: ['BTCUSDT'] }],
            ...{ balance: 1_000, source: 'tape', from: '2026-01-05', to: '2026-01-05' },
          },
        }),
      takes: takesAutomaticSetting,
      refused: [
        ['a symbol that is not traded', withStrategy({ symbols: ['EURUSD'] }), 422, 'validation_failed'],
        ['32 days', withBody({ to: '2026-02-05' }), 422, 'validation_failed'],
        ['a day that is not recorded', withBody({ source: '2026-01-05' }), 422, 'validation_failed'],
        ['hours that end when they begin', withBody({ from_hour: 9, to_hour: 9 }), 422, 'validation_failed'],
      ],
    },
    'GET /automatic/orders': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [
        ['no mode', () => mine(), 422, 'validation_failed'],
        ['a cursor that is no number', withQuery({ cursor: 'next' }), 422, 'validation_failed'],
      ],
    },
  } satisfies Partial<Record<CallName, Case>>
}

/**
 * No symbols means all symbols; no percentage means a fixed stake; the stop after losses in a row, the
 * take-profits and the pause are optional.
 */
export const takesAutomaticSetting: Case['takes'] = (field, { json }) =>
  (field.endsWith('symbols') && json === '[]') ||
  (field === 'days' && json === '[1]') ||
  (field === 'from_hour' && Number(json) === 0) ||
  (OPTIONAL_SETTINGS.includes(field.split('.').at(-1) ?? '') && json === 'null')

/** With one strategy, which is the default one, changed. */
const withStrategy = (change: object) => withBody({ strategies: [{ ...DEFAULT_FOLLOWED, ...change }] })

const OPTIONAL_SETTINGS = [
  ...['stake_percent', 'losses_in_row', 'profit_a_day', 'profit_in_all', 'pause_losses', 'pause_minutes'],
]
