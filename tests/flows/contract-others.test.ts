import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_AUTOMATION } from '#contract/automatic.ts'
import { parsePublicId } from '#kernel/id.ts'
import { inTransaction, sql } from '#server/platform/db.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { openProofKey, signCheckpoint } from '#server/proof/index.ts'
import { voidTrade } from '#server/trading/index.ts'
import { ORDER } from '#tests/support/app.ts'
import { generatedBars, storeBars } from '#tests/support/bars.ts'
import { type Ask, type Case, testCalls, withBody, withQuery } from '#tests/support/calls.ts'
import {
  type AccountCall,
  BANK,
  type CallName,
  isAccountCall,
  NAMES,
  startContract,
  WALLET,
} from '#tests/support/contract.ts'
import { ageChanges, ageExclusions } from '#tests/support/guardrails.ts'

const { app, ada, eve, picture, ask, mine, asSubmitted, withdrawing, withdrawn, withdrawRefusals, common, stop } =
  await startContract()
afterAll(stop)
beforeAll(() => storeBars(app.db, 'BTCUSDT', generatedBars(Date.parse('2026-01-05'), 1_440, 7)))

/**
 * No symbols are all symbols; without a percentage the stake is fixed; the stop of losses in a row may be left out.
 */
const takesAutomaticSetting: Case['takes'] = (field, { json }) =>
  (field === 'symbols' && json === '[]') ||
  (field === 'days' && json === '[1]') ||
  (field === 'from_hour' && Number(json) === 0) ||
  (['stake_percent', 'losses_in_row'].includes(field) && json === 'null')

async function twoOperators(): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    insert into operators (email, password_hash, totp_secret, roles)
    select gen_random_uuid() || '@desk.example', 'x', '\\x00', '{risk}' from generate_series(1, 2) returning id`.execute(
    app.db,
  )
  return rows.map(({ id }) => id)
}

/** Asks for a looser limit; with `due`, a day ago. */
async function looserLimit(due: boolean): Promise<Ask> {
  const { id, token } = await app.trader()
  const set = (max: number) => ask('PUT /guardrails/limits', { token, body: { guarded: 'stakes', period: 'day', max } })
  await set(100)
  await set(200)
  if (due) await ageChanges(app.ownerUrl, id)
  const { rows } = await sql<{ id: bigint }>`
    select id from guard_changes where account_id = ${BigInt(id) * 2n} and applied_at is null`.execute(app.db)
  return { token, params: { id: String(rows[0]!.id) } }
}

/** Returns the token of a trader whose self-exclusion is over. */
async function overExclusion(): Promise<string> {
  const account = await app.register()
  const { id, token } = await app.trader(account)
  await ask('POST /guardrails/exclusion', { token, body: { months: 6 } })
  await ageExclusions(app.ownerUrl, id, '1 year')
  return (await app.trader(account)).token
}

/** Signs a checkpoint without waiting for the engine to. */
async function signNow(): Promise<void> {
  const key = openProofKey(app.folder)
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey}) on conflict do nothing`.execute(
    app.db,
  )
  await signCheckpoint({ db: app.db, key, instruments: await loadInstruments(app.db) })
}

/** A case for each other call: a new one doesn't compile without. */
const cases: Record<Exclude<CallName, AccountCall>, Case> = {
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
  'GET /notices': {
    good: mine,
    refused: [['a cursor that is none', withQuery({ cursor: 'x' }), 422, 'validation_failed']],
  },
  'POST /notices/read': {
    good: () => mine({ body: { up_to: '1' } }),
    refused: [['a number that is none', withBody({ up_to: '-1' }), 422, 'validation_failed']],
  },
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
  'GET /prices/making': {
    good: async () => ({ query: { symbol: 'BCHBTC' } }),
    refused: [
      ['a symbol that is none', withQuery({ symbol: 'NOPE' }), 404, 'not_found'],
      ['no symbol', () => ({}), 422, 'validation_failed'],
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
  'GET /public/payouts': { good: async () => ({}), refused: [] },
  'GET /automatic': {
    good: () => mine({ query: { mode: 'demo' } }),
    refused: [['no mode', () => mine(), 422, 'validation_failed']],
  },
  'PUT /automatic': {
    takes: takesAutomaticSetting,
    good: () => mine({ body: { mode: 'demo', ...DEFAULT_AUTOMATION } }),
    refused: [
      ['an unknown strategy', withBody({ strategy: 'sure-thing' }), 422, 'validation_failed'],
      ['a symbol that is not traded', withBody({ symbols: ['SPX'] }), 422, 'validation_failed'],
      ['a duration without signals', withBody({ duration: 86_400 }), 422, 'validation_failed'],
      ['no day', withBody({ days: [] }), 422, 'validation_failed'],
      ['hours that end before they begin', withBody({ from_hour: 9, to_hour: 9 }), 422, 'validation_failed'],
      ['more trades than any plan has', withBody({ trades_a_day: 15 }), 422, 'validation_failed'],
      ['a stake above the loss of a day', withBody({ stake: 51 }), 422, 'validation_failed'],
      ['a loss of a day above the loss in all', withBody({ loss_a_day: 201 }), 422, 'validation_failed'],
      ['half a percent', withBody({ stake_percent: 0.5 }), 422, 'validation_failed'],
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
  'GET /public/incidents': { good: async () => ({}), refused: [] },
  'GET /guardrails': { good: mine, refused: [] },
  'PUT /guardrails/limits': {
    good: () => mine({ body: { guarded: 'stakes', period: 'day', max: 500 } }),
    // No limit.
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
          ...{ symbols: ['BTCUSDT'], balance: 1_000, source: 'tape', from: '2026-01-05', to: '2026-01-05' },
        },
      }),
    takes: takesAutomaticSetting,
    refused: [
      ['a symbol that is not traded', withBody({ symbols: ['EURUSD'] }), 422, 'validation_failed'],
      ['32 days', withBody({ to: '2026-02-05' }), 422, 'validation_failed'],
      ['a day that is not recorded', withBody({ source: '2026-01-05' }), 422, 'validation_failed'],
      ['hours that end before they begin', withBody({ from_hour: 9, to_hour: 9 }), 422, 'validation_failed'],
    ],
  },
  'GET /automatic/orders': {
    good: () => mine({ query: { mode: 'demo' } }),
    refused: [
      ['no mode', () => mine(), 422, 'validation_failed'],
      ['a cursor that is no number', withQuery({ cursor: 'next' }), 422, 'validation_failed'],
    ],
  },
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
  'POST /public/contact': {
    good: async () => ({ body: { name: 'Ada Byron', email: 'ada@example.org', message: 'May I ask?' } }),
    refused: [
      ['a header in the address', withBody({ email: 'ok@x.org\r\nBcc: evil@x.org' }), 422, 'validation_failed'],
      ['no words', withBody({ message: ' ' }), 422, 'validation_failed'],
      ['too many words', withBody({ message: 'a'.repeat(4_001) }), 422, 'validation_failed'],
    ],
  },
  'GET /health': { good: async () => ({}), refused: [] },
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
  'GET /trading/:trade_id/receipt': {
    async good() {
      const { trade_id } = await app.submit(ada)
      const tradeId = parsePublicId(trade_id)!
      // Voided by two operators, it has its result at once.
      for (const operatorId of await twoOperators())
        await inTransaction(app.db, (tx) => voidTrade(tx, { tradeId, operatorId, reason: 'A wrong price.' }))
      await signNow()
      return mine({ params: { trade_id } })
    },
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
  'GET /proof/checkpoints': {
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
  'GET /profit': {
    good: () => mine(),
    refused: [['a cursor that is none', withQuery({ cursor: '%' }), 422, 'validation_failed']],
  },
}

const names = NAMES.filter((name) => !isAccountCall(name))

test('there is a case for each of these calls and for no other', () => {
  expect(Object.keys(cases).sort()).toEqual([...names].sort())
})

testCalls({
  ...common,
  names,
  cases,
  signsOut: [],
  cached: { 'GET /avatars/:name': 'public, max-age=31536000, immutable' },
})
