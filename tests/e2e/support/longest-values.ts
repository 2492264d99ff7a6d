import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SKIP_REASONS } from '#contract/trading/automatic.ts'
import { RECEIVED_VOID } from '#contract/trading/webhooks.ts'
import { parsePublicId, publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { switchOff } from '#server/automatic/index.ts'
import { MEASURING_METHOD } from '#server/automatic/measured.ts'
import { START_AFTER_PROFIT } from '#server/automatic/reservations/reserve.sql.ts'
import { accountOf, post } from '#server/ledger/index.ts'
import { inTransaction, openDatabase, sql, type Tx } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { fund, newId } from '#tests/support/trades/money.ts'

/** Eight digits before the point, in cents. */
const BALANCE = usd(98_765_432_10n)
const HELD = usd(88_888_888_88n)
/** Five digits before the point, in cents. */
const STAKE = 98_765_43n
const DAY_MS = 86_400_000

/** Prices as whole numbers at the symbol's scale: eight and more decimals, and six digits before the point. */
const PRICES: Record<string, bigint> = { BCHBTC: 88_888_888n, BTCUSDT: 888_888_88n, SHIBBTC: 88_888_888n }

/**
 * Gives a trader the longest values a screen must show: eight-digit balances, five-digit stakes, long prices, and every
 * status of a trade, a deposit and a withdrawal. Trades and deposits have no movements, so the ledger of this database
 * doesn't add up: use a separate server.
 */
export async function giveLongestValues(dataDir: string, email: string): Promise<void> {
  const url = readFileSync(join(dataDir, 'database-url'), 'utf8').trim()
  const { db, close } = openDatabase(url, { max: 1, name: 'longest values', log: createLog('silent') })
  try {
    const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
    await inTransaction(db, async (tx) => {
      await addMoney(tx, id)
      await addLimits(tx, accountOf(id, 'real'))
      for (const mode of ['real', 'demo'] as const) {
        for (const symbol of Object.keys(PRICES)) await addTrades(tx, id, mode, symbol)
        await addAutomaticTrades(tx, accountOf(id, mode), mode)
        await addWaitingOrders(tx, accountOf(id, mode))
      }
      await addStrategies(tx, id)
    })
  } finally {
    await close()
  }
}

/** Adds every limit, nearly used up or exceeded, each with a pending looser one. */
async function addLimits(tx: Tx, accountId: bigint): Promise<void> {
  await sql`insert into guards (account_id) values (${accountId})`.execute(tx)
  const periods = ['day', 'week', 'month']
  const limits = [
    ...['deposits', 'losses', 'stakes'].flatMap((one) => periods.map((period) => [`${one}_${period}`, HELD] as const)),
    ...periods.map((period, at) => [`time_${period}`, [1_439n, 10_079n, 44_639n][at]!] as const),
    ['check_minutes', 120n] as const,
  ]
  for (const [guard, value] of limits) {
    await sql`
      insert into guard_changes (account_id, guard, from_value, to_value, due_at, applied_at)
      values (${accountId}, ${guard}, null, ${value}, transaction_timestamp(), clock_timestamp())`.execute(tx)
    await sql`
      insert into guard_changes (account_id, guard, from_value, to_value, due_at)
      values (${accountId}, ${guard}, ${value}, null, transaction_timestamp() + interval '24 hours')`.execute(tx)
    await sql`update guards set ${sql.ref(guard)} = ${value} where account_id = ${accountId}`.execute(tx)
  }
  await sql`
    update guards set time_on = '2099-12-31', spent_day = 86399, spent_week = 604799, spent_month = 2678399
    where account_id = ${accountId}`.execute(tx)
  await sql`
    update accounts set guarded = true, counted_on = '2099-12-31', staked_day = ${HELD - 1n}, staked_week = ${HELD - 1n},
      staked_month = ${BALANCE}, lost_day = ${HELD - 1n}, lost_week = ${HELD - 1n}, lost_month = ${BALANCE}
    where id = ${accountId}`.execute(tx)
  await sql`
    insert into exclusions (user_id, kind, ends_at, email_key, name_key)
    values (${accountId / 2n}, 'time_out', transaction_timestamp() + interval '42 days', '', '')`.execute(tx)
}

async function addMoney(tx: Tx, userId: bigint): Promise<void> {
  await fund(tx, userId, BALANCE)
  await fund(tx, userId, HELD)
  await post(tx, {
    userId,
    mode: 'demo',
    cause: 'demo_grant',
    causeId: newId(),
    parts: [{ debit: 'mint', credit: 'balance', amount: BALANCE }],
  })
  await sql`
    insert into deposits (id, user_id, method, coin, submitted, coin_amount, rate, address, receipt, receipt_hash)
    values (${newId()}, ${userId}, 'crypto', 'BTC', ${BALANCE}, 888888.88888888, 111.11, ${'1'.repeat(34)},
      ${randomBytes(20).toString('hex')}, ${randomBytes(32)})`.execute(tx)
  const withdrawal = newId()
  await sql`
    insert into withdrawals (id, user_id, method, coin, wallet, amount)
    values (${withdrawal}, ${userId}, 'crypto', 'BTC', ${`bc1p${'w'.repeat(58)}`}, ${HELD})`.execute(tx)
  await post(tx, {
    userId,
    mode: 'real',
    cause: 'withdraw_hold',
    causeId: withdrawal,
    parts: [{ debit: 'balance', credit: 'hold', amount: HELD }],
  })
}

let tradeIds = 0
/** Returns a new ID of the widest characters, or of the narrowest: what is next to it must fit next to any. */
function tradeId(character: 'J' | 'W'): bigint {
  tradeIds += 1
  return must(parsePublicId(publicId(newId()).slice(0, 6) + character.repeat(5) + String(tradeIds).padStart(2, '0')))
}

/** Adds one trade of each status. The open one runs for a day. */
async function addTrades(tx: Tx, userId: bigint, mode: 'real' | 'demo', symbol: string): Promise<void> {
  const entry = PRICES[symbol]!
  const exits = { Won: entry - 1n, Lost: entry + 1n, Draw: entry, Void: null, Pending: null }
  for (const [status, exit] of Object.entries(exits)) {
    const isOpen = status === 'Pending'
    const placed = BigInt(Date.now() - (isOpen ? 60_000 : DAY_MS + 60_000))
    const end = placed + BigInt(DAY_MS)
    const payout = { Won: STAKE + (STAKE * 75n + 50n) / 100n, Lost: 0n, Draw: STAKE, Void: STAKE }[status] ?? null
    const hasEntry = status !== 'Void'
    await sql`
      insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
        duration_seconds, trade_time, end_time, status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq,
        settled_at, payout, outcome_reason)
      select ${tradeId(status === 'Won' ? 'J' : 'W')}, ${accountOf(userId, mode)}, ${mode}, i.id, 2, 10000, 'Sell', '75/3', 75, ${STAKE},
        ${DAY_MS / 1000}, ${placed}, ${end}, ${status}, ${hasEntry ? entry : null}, ${hasEntry ? placed + 1n : null},
        ${hasEntry ? 1 : null}, ${exit}, ${exit === null ? null : end - 1n}, ${exit === null ? null : 2},
        ${isOpen ? null : new Date(Number(end))}, ${payout}, ${isOpen ? null : 'The tape has no price for this trade.'}
      from instruments i where i.symbol = ${symbol}`.execute(tx)
  }
}

/** Adds an order that waits for a price which none reaches, one for a time, and one that was refused. */
async function addWaitingOrders(tx: Tx, accountId: bigint): Promise<void> {
  const until = BigInt(Date.now() + 300 * DAY_MS)
  for (const [slot, symbol] of Object.keys(PRICES).entries()) {
    const price = PRICES[symbol]!
    const atTime = slot === 1
    await sql`
      insert into waiting_orders (account_id, slot, symbol_id, side, strike_rate, stake, duration_seconds, condition, level,
        at_ms, valid_until_ms, base_price, base_seq, base_ms, status, trigger_price, trigger_seq, trigger_ms, reason, ended_at, notice_id)
      select ${accountId}, ${slot === 2 ? null : slot + 1}, i.id, 'Sell', '75/3', ${STAKE}, ${DAY_MS / 1000},
        ${atTime ? 'at_time' : 'at_or_above'}, ${atTime ? null : price}, ${atTime ? until - 60_000n : null}, ${until},
        ${price - 1n}, 9000000000000000, 1, ${slot === 2 ? 'Refused' : 'Waiting'}, ${slot === 2 ? price : null},
        ${slot === 2 ? 9000000000000001n : null}, ${slot === 2 ? until - 1n : null},
        ${slot === 2 ? 'The open stakes of this symbol are at their limit, and your account has a limit of its stakes a day.' : null},
        ${slot === 2 ? new Date() : null}, ${slot === 2 ? 1 : null}
      from instruments i where i.symbol = ${symbol}`.execute(tx)
  }
}

/** Adds own strategies: the longest rule, and one whose signals come from outside, published, with messages. */
async function addStrategies(tx: Tx, userId: bigint): Promise<void> {
  const stochastic = (output: string) => ({ indicator: 'stochrsi', inputs: [14.0, 14, 3, 3], output, before: 20 })
  const conditions = [
    { left: stochastic('k'), crosses: 'above', right: stochastic('d') },
    {
      left: { indicator: 'macd', inputs: [12, 26, 9], output: 'histogram' },
      is: 'below',
      right: { number: '-123456789012.1234567891' },
    },
    {
      left: { indicator: 'ichimoku', inputs: [9, 26, 52], output: 'conversion', before: 20 },
      crosses: 'below',
      right: { price: 'close' },
    },
    { from: '22:00', to: '06:00', days: [1, 3, 5] },
  ]
  const rule = JSON.stringify({ buy: { join: 'any', conditions }, sell: { join: 'all', conditions } })
  for (const [kind, letter] of [
    ['rule', 'W'],
    ['webhook', 'M'],
  ] as const) {
    await sql`
      with s as (insert into own_strategies (user_id, name, kind) values (${userId}, ${letter.repeat(40)}, ${kind}) returning id)
      insert into own_strategy_versions (strategy_id, version, rule, duration_seconds, symbol_ids, zone)
      select s.id, 1, ${kind === 'rule' ? rule : null}::jsonb, 1800, (select array_agg(id) from
        (select id from instruments where trading_type is not null order by length(symbol) desc, id limit 10) i),
        'America/Argentina/ComodRivadavia' from s`.execute(tx)
  }
  const outside = sql`(select id from own_strategies where user_id = ${userId} and kind = 'webhook')`
  await sql`insert into recorded_strategies (strategy_id, user_id, slot) values (${outside}, ${userId}, 1)`.execute(tx)
  await sql`
    insert into published_strategies (strategy_id, name, first_version)
    values (${outside}, ${'W'.repeat(40)}, 1)`.execute(tx)
  for (const [at, why] of RECEIVED_VOID.entries()) {
    const reason = why === 'malformed' ? 'In the message, time must be a time such as 2026-01-31T12:00:00Z.' : null
    await sql`
      insert into received_signals (strategy_id, body_hash, symbol_id, side, void, reason)
      select ${outside}, ${createHash('sha256').update(String(at)).digest()}, ${why === 'malformed' ? null : sql`i.id`},
        ${why === 'malformed' ? null : 'Sell'}, ${why}, ${reason}
      from instruments i where i.trading_type is not null order by length(i.symbol) desc, i.id limit 1`.execute(tx)
  }
}

/**
 * Adds automatic trades with the largest settings: stopped with the longest reason on the demo account, and running on
 * the real one while its strategy is switched off. One order for each trade, and one for each reason to skip a signal.
 */
async function addAutomaticTrades(tx: Tx, accountId: bigint, mode: 'real' | 'demo'): Promise<void> {
  const isRunning = mode === 'real'
  const strategy = isRunning ? 'reversion' : 'coin-toss'
  await sql`
    insert into automations (account_id, mode, days, from_hour, to_hour, loss_a_day, loss_in_all, trades_a_day, losses_in_row,
      profit_a_day, profit_in_all, pause_losses, pause_minutes, time_zone, state, stop_reason, started_at, confirmed,
      confirmed_method)
    values (${accountId}, ${mode}, 63, 22, 10, ${BALANCE}, ${BALANCE}, 14, 50, ${BALANCE}, ${BALANCE}, 49, 1440,
      'America/Argentina/ComodRivadavia', ${isRunning ? 'Running' : 'Stopped'}, ${
        isRunning ? null : `Stopped because your profit since the start reached your take-profit. ${START_AFTER_PROFIT}`
      }, now(), 'Measured.', ${MEASURING_METHOD})`.execute(tx)
  for (const [at, duration] of [1800, 3600, 900, 300, 180].entries())
    await sql`
      insert into followed_strategies (account_id, place, strategy, version, symbol_ids, duration_seconds, sides, strike_rate,
        stake, stake_percent)
      values (${accountId}, ${at + 1}, ${strategy}, 1, array(select id from instruments where trading_type is not null),
        ${duration}, 'both', '11/13', ${STAKE}, 100)`.execute(tx)
  if (isRunning) await switchOff(tx, [strategy], 'Its signals are under review. '.repeat(16))

  const { rows: trades } = await sql<{ id: bigint; payout: bigint | null }>`
    select id, payout from trades where account_id = ${accountId} order by payout nulls last limit 10`.execute(tx)
  const traded = trades.map(({ id, payout }, at) => ({ id, payout, slot: at + 1, reason: null }))
  const skipped = SKIP_REASONS.map((reason) => ({ id: null, payout: null, slot: null, reason }))
  // Only one order may be open.
  const isFirstOpen = (at: number) => traded.findIndex(({ payout }) => payout === null) === at
  for (const [at, order] of [...traded, ...skipped].entries()) {
    if (order.id !== null && order.payout === null && !isFirstOpen(at)) continue
    const { rows } = await sql<{ n: bigint }>`
      insert into signals (strategy, version, symbol_id, side, duration_seconds, candle_close, source_kind, stale_after_ms)
      select ${strategy}, 1, i.id, 'Sell', 1800, greatest(floor(extract(epoch from clock_timestamp()) * 1000)::bigint, h.t) - 10,
        2, 10000
      from instruments i, tape_head h where i.trading_type is not null order by length(i.symbol) desc, i.id offset ${at} limit 1
      returning n`.execute(tx)
    await sql`
      insert into automatic_orders (signal, account_id, mode, signal_at, at, day, slot, stake, status, reason, trade_id, payout)
      select ${rows[0]!.n}, ${accountId}, ${mode}, t, t, (now() at time zone 'utc')::date, ${order.slot}, ${STAKE},
        ${order.id === null ? 'Skipped' : 'Traded'}, ${order.reason}, ${order.id}, ${order.payout}
      from tape_head`.execute(tx)
  }
}
