import { expect } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { signCheckpoint } from '#server/proof/checkpoints/checkpoints.ts'
import { openProofKey } from '#server/proof/index.ts'
import { voidTrade } from '#server/trading/index.ts'
import { type Case, withBody, withQuery } from '#tests/support/calls.ts'
import type { CallName, ContractScene } from '#tests/support/contract.ts'
import { ORDER } from '#tests/support/servers/app.ts'

/** Returns the cases of the calls about trades and prices, and of the public ones. */
export function tradingCases({ app, ada, ask, eve, mine, olderTrade, tradeBeingSold }: ContractScene) {
  async function twoOperators(): Promise<bigint[]> {
    const { rows } = await sql<{ id: bigint }>`
    insert into operators (email, password_hash, totp_secret, roles)
    select gen_random_uuid() || '@desk.example', 'x', '\\x00', '{risk}' from generate_series(1, 2) returning id`.execute(
      app.db,
    )
    return rows.map(({ id }) => id)
  }

  /** Signs a checkpoint now instead of waiting for the engine. */
  async function signNow(): Promise<void> {
    const key = openProofKey(app.folder)
    await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey}) on conflict do nothing`.execute(
      app.db,
    )
    await signCheckpoint({ db: app.db, key, instruments: await loadInstruments(app.db) })
  }

  async function tradeWithReceipt(): Promise<string> {
    const { trade_id } = await app.submit(ada)
    const tradeId = parsePublicId(trade_id)!
    // Two operators void it, so that it has its result at once.
    for (const operatorId of await twoOperators())
      await inTransaction(app.db, (tx) => voidTrade(tx, { tradeId, operatorId, reason: 'A wrong price.' }))
    await signNow()
    return trade_id
  }

  async function sharedReceipt(): Promise<{ trade_id: string; token: string }> {
    const trade_id = await tradeWithReceipt()
    const { json } = await ask('PUT /trading/:trade_id/receipt-link', { token: ada.token, params: { trade_id } })
    return { trade_id, token: (json!.data as { path: string }).path.replace('/verify#', '') }
  }

  return {
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
    'GET /prices/sparklines': { good: async () => ({}), refused: [] },
    'GET /prices/variances': { good: async () => ({}), refused: [] },
    'GET /prices/ticks': {
      good: async () => ({ query: { symbol: 'BCHBTC', from: String(Date.now() - 60_000) } }),
      refused: [
        ['a symbol that is none', withQuery({ symbol: 'NOPE' }), 404, 'not_found'],
        ['a time that is none', withQuery({ from: 'yesterday' }), 422, 'validation_failed'],
      ],
    },
    'GET /prices/composition': {
      good: async () => ({ query: { symbol: 'BCHBTC' } }),
      refused: [
        ['a symbol that is none', withQuery({ symbol: 'NOPE' }), 404, 'not_found'],
        ['no symbol', () => ({}), 422, 'validation_failed'],
      ],
    },
    'GET /prices/switches': {
      good: async () => ({ query: { symbol: 'BCHBTC', from: String(Date.now() - 60_000) } }),
      refused: [
        ['a symbol that is none', withQuery({ symbol: 'NOPE' }), 404, 'not_found'],
        ['a time that is none', withQuery({ from: 'yesterday' }), 422, 'validation_failed'],
        ['an end before the beginning', withQuery({ to: '1' }), 422, 'validation_failed'],
      ],
    },
    'GET /prices/tape': {
      good: async () => ({ query: { symbol: 'BCHBTC', day: new Date().toISOString().slice(0, 10) } }),
      refused: [
        ['a symbol that is none', withQuery({ symbol: 'NOPE' }), 404, 'not_found'],
        ['a day that is none', withQuery({ day: '2026-13-40' }), 422, 'validation_failed'],
        ['a time instead of a day', withQuery({ day: 'yesterday' }), 422, 'validation_failed'],
      ],
    },
    'GET /public/figures': { good: async () => ({}), refused: [] },
    'GET /public/price-lists': {
      good: async () => ({ query: { version: '1' } }),
      refused: [
        ['a version that is none', withQuery({ version: '999' }), 404, 'not_found'],
        ['a version that is no number', withQuery({ version: 'one' }), 422, 'validation_failed'],
      ],
    },
    'GET /public/payouts': { good: async () => ({}), refused: [] },
    'GET /public/incidents': { good: async () => ({}), refused: [] },
    'GET /public/signals/statistics': {
      good: async () => ({ query: { period: '24h' } }),
      refused: [
        ['an unknown period', () => ({ query: { period: '1y' } }), 422, 'validation_failed'],
        ['an unknown duration', () => ({ query: { period: '24h', duration: '7200' } }), 422, 'validation_failed'],
      ],
    },
    'GET /public/signals': {
      good: async () => ({ query: { strategy: 'trend', duration: '60', symbol: 'BTCUSDT', limit: '20' } }),
      refused: [
        ['an unknown strategy', () => ({ query: { strategy: 'sure-thing' } }), 422, 'validation_failed'],
        ['a cursor that is no number', () => ({ query: { cursor: '-1' } }), 422, 'validation_failed'],
      ],
    },
    'GET /public/signals/chain': {
      good: async () => ({ query: { from: '1' } }),
      refused: [['number 0', () => ({ query: { from: '0' } }), 422, 'validation_failed']],
    },
    'GET /public/installation': { good: async () => ({}), refused: [] },
    'GET /health': {
      good: async () => {
        // An event loop that was late once is reported for up to 20 s.
        await expect.poll(() => ask('GET /health', {}).then(({ status }) => status)).toBe(200)
        return {}
      },
      refused: [],
    },
    'GET /ready': { good: async () => ({}), refused: [] },
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
        ['an invented rate', withBody({ strike_rate: '99/99' }), 422, 'odds_unavailable'],
        ['a third side', withBody({ trade_mode: 'Hold' }), 422, 'validation_failed'],
        ['an empty live account', withBody({ mode: 'real' }), 422, 'insufficient_balance'],
      ],
    },
    'GET /trading': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [
        ['no mode', () => mine(), 422, 'validation_failed'],
        ['a mode that is none', withQuery({ mode: 'play' }), 422, 'validation_failed'],
        ['a form that is none', withQuery({ form: 'xlsx' }), 422, 'validation_failed'],
        ['no rows', withQuery({ limit: '0' }), 422, 'validation_failed'],
        ['too many rows', withQuery({ limit: '201' }), 422, 'validation_failed'],
        ['a cursor that is none', withQuery({ cursor: 'next' }), 422, 'validation_failed'],
        ['a time that is none', withQuery({ from: 'yesterday' }), 422, 'validation_failed'],
      ],
    },
    'GET /trading/results': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [
        ['no mode', () => mine(), 422, 'validation_failed'],
        ['a time with a fraction', withQuery({ from: '1.5' }), 422, 'validation_failed'],
        ['a time that is too far', withQuery({ until: '9'.repeat(14) }), 422, 'validation_failed'],
        ['an end that is none', withQuery({ ended_from: '-1' }), 422, 'validation_failed'],
        ['an hour that is none', withQuery({ hour: '24' }), 422, 'validation_failed'],
        ['a day of the week that is none', withQuery({ weekday: '-1' }), 422, 'validation_failed'],
        ['odds that are none', withQuery({ percent: '1e1' }), 422, 'validation_failed'],
        ['a duration that is none', withQuery({ duration: '' }), 422, 'validation_failed'],
        ['an origin that is none', withQuery({ origin: 'robot' }), 422, 'validation_failed'],
      ],
    },
    'GET /trading/statistics': {
      good: () =>
        mine({
          query: {
            mode: 'demo',
            symbol: 'BCHBTC',
            duration: '60',
            zone: 'Asia/Kolkata',
          },
        }),
      refused: [
        ['no zone', () => mine({ query: { mode: 'demo' } }), 422, 'validation_failed'],
        ['a zone that is none', withQuery({ zone: 'Mars/Base' }), 422, 'validation_failed'],
        ['an offset for a zone', withQuery({ zone: '+05:30' }), 422, 'validation_failed'],
        ['an end that is none', withQuery({ ended_until: 'today' }), 422, 'validation_failed'],
        ['a duration that is none', withQuery({ duration: '1m' }), 422, 'validation_failed'],
      ],
    },
    'GET /trading/tags': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [['no mode', () => mine(), 422, 'validation_failed']],
    },
    'PUT /trading/:trade_id/note': {
      good: async () => ({
        token: ada.token,
        params: { trade_id: (await app.submit(ada)).trade_id },
        body: { note: 'Sold too early.', tags: ['breakout', 'news'] },
      }),
      takes: (field, { json }) => field === 'note' || (field === 'tags' && json === '[]'),
      refused: [
        ["another trader's trade", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
        ['a note that is too long', withBody({ note: 'n'.repeat(501) }), 422, 'validation_failed'],
        ['a sixth tag', withBody({ tags: ['1', '2', '3', '4', '5', '6'] }), 422, 'validation_failed'],
        ['a tag that is too long', withBody({ tags: ['t'.repeat(25)] }), 422, 'validation_failed'],
        ['a tag twice', withBody({ tags: ['news', 'news'] }), 422, 'validation_failed'],
        ['an empty tag', withBody({ tags: [' '] }), 422, 'validation_failed'],
        ['no tags', withBody({ tags: undefined }), 422, 'validation_failed'],
      ],
    },
    'POST /trading/:trade_id/sell': {
      good: async () => ({
        token: ada.token,
        params: { trade_id: await olderTrade() },
        body: { minimum: 0.5 },
      }),
      refused: [
        ["another trader's trade", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
        ['no minimum', withBody({ minimum: undefined }), 422, 'validation_failed'],
        ['a minimum of nothing', withBody({ minimum: 0 }), 422, 'validation_failed'],
        ['a third decimal', withBody({ minimum: 1.005 }), 422, 'validation_failed'],
        ['a press of long ago', withBody({ pressed_at: 1 }), 422, 'order_expired'],
        [
          'a trade of a moment ago',
          async (good) => ({ ...good, params: { trade_id: (await app.submit(ada)).trade_id } }),
          409,
          'wrong_state',
        ],
        [
          'a sale under way',
          async (good) => ({ ...good, params: { trade_id: await tradeBeingSold() } }),
          409,
          'wrong_state',
        ],
      ],
    },
    'GET /trading/file': {
      good: () => mine({ query: { mode: 'demo' } }),
      refused: [
        ['a mode that is none', withQuery({ mode: 'play' }), 422, 'validation_failed'],
        ['a time that is none', withQuery({ until: '2026-11-26' }), 422, 'validation_failed'],
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
    'GET /trading/:trade_id/receipt': {
      good: async () => mine({ params: { trade_id: await tradeWithReceipt() } }),
      refused: [
        ['a trade that is none', (good) => ({ ...good, params: { trade_id: '0000000000000' } }), 404, 'not_found'],
        ["another user's trade", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
        [
          'a trade that is open',
          async () => mine({ params: { trade_id: (await app.submit(ada)).trade_id } }),
          409,
          'wrong_state',
        ],
      ],
    },
    'PUT /trading/:trade_id/receipt-link': {
      good: async () => mine({ params: { trade_id: await tradeWithReceipt() } }),
      refused: [
        ['a trade that is none', (good) => ({ ...good, params: { trade_id: '0000000000000' } }), 404, 'not_found'],
        ["another user's trade", (good) => ({ ...good, token: eve.token }), 404, 'not_found'],
        [
          'a trade that is open',
          async () => mine({ params: { trade_id: (await app.submit(ada)).trade_id } }),
          409,
          'wrong_state',
        ],
      ],
    },
    'GET /trading/:trade_id/receipt-link': {
      good: async () => mine({ params: { trade_id: (await sharedReceipt()).trade_id } }),
      refused: [],
    },
    'DELETE /trading/:trade_id/receipt-link': {
      good: async () => mine({ params: { trade_id: (await sharedReceipt()).trade_id } }),
      refused: [],
    },
    'GET /proof/receipt/:token': {
      good: async () => ({ params: { token: (await sharedReceipt()).token } }),
      refused: [
        ['a link that is none', () => ({ params: { token: 'x'.repeat(22) } }), 404, 'not_found'],
        ['a token that is too short', () => ({ params: { token: 'x' } }), 404, 'not_found'],
      ],
    },
    'GET /proof/checkpoints': {
      good: async () => ({}),
      refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
    },
    'GET /proof/timestamps': {
      good: async () => ({}),
      refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
    },
    'GET /proof/keys': { good: async () => ({}), refused: [] },
    'GET /proof/day': {
      async good() {
        await signNow()
        const { rows } = await sql<{ day: string }>`
        select to_char(to_timestamp(max(t) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD') as day from checkpoints`.execute(
          app.db,
        )
        return { query: { day: rows[0]!.day } }
      },
      refused: [
        ['a day without checkpoints', withQuery({ day: '2020-01-01' }), 404, 'not_found'],
        ['a day that is none', withQuery({ day: '2026-13-40' }), 422, 'validation_failed'],
      ],
    },
    'GET /proof/solvency': {
      good: async () => ({}),
      refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
    },
    'GET /proof/assets': { good: async () => ({}), refused: [] },
    'GET /proof/solvency/own': { good: async () => mine(), refused: [] },
    'POST /trading/demo/reset': { good: () => mine(), refused: [] },
  } satisfies Partial<Record<CallName, Case>>
}
