import type { RawBuilder } from 'kysely'
import { MODES } from '#contract/terms.ts'
import { last } from '#kernel/must.ts'
import { accountOf } from '../ledger/index.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'

/** What one table has about a trader. */
interface Part {
  /** Its rows, up to the column that names their owner. */
  from: RawBuilder<unknown>
  /** The owner is an account of the trader, of which they have two. */
  isPerAccount?: true
  /** SQL of what is exported. Never a secret, nor who of the operators did something. */
  columns: string
  /** A column that numbers the rows of one owner: tables that grow are read by it, page by page. */
  by?: string
}

const ROWS_AT_ONCE = 500
/** Rows of a table without `by`: none comes near it. */
const ROWS_MAX = 10_000

/** The tables of the export, in its order. Each is named for what it holds. */
const PARTS: Readonly<Record<string, Part>> = {
  users: {
    from: sql`from users where id`,
    columns:
      'id, email, email_confirmed_at, firstname, lastname, phone, gender, date_of_birth, country, state, city, address, referral_code, trading_plan, plan_request, plan_request_status, plan_requested_at, created_at, guest_until',
  },
  accounts: { from: sql`from accounts where user_id`, columns: 'mode, balance, escrow, hold, owed, trading_locked' },
  transfers: {
    from: sql`from transfers where account_id`,
    isPerAccount: true,
    by: 'account_seq',
    columns: 'account_seq, at, mode, cause, cause_id, debit, credit, amount, balance_after',
  },
  trades: {
    from: sql`from trades where account_id`,
    isPerAccount: true,
    by: 'id',
    columns:
      'id, mode, symbol_id, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time, status, entry_price, entry_time, exit_price, exit_time, settled_at, payout, outcome_reason, signal',
  },
  sale_orders: {
    from: sql`from sale_orders where account_id`,
    isPerAccount: true,
    columns: 'trade_id, at, minimum, decided_at, outcome, says, tick_time, tick_price, variance, fee, payout',
  },
  trade_notes: { from: sql`from trade_notes where account_id`, isPerAccount: true, columns: 'trade_id, note, tags' },
  trade_remedies: {
    from: sql`from trade_remedies where account_id`,
    isPerAccount: true,
    columns: 'trade_id, amount, at',
  },
  archived_sums: {
    from: sql`from archived_sums where account_id`,
    isPerAccount: true,
    columns: 'trades, transfers, result, last_at',
  },
  expired_grant_sums: {
    from: sql`from expired_grant_sums where account_id`,
    isPerAccount: true,
    columns: 'grants, granted, last_at',
  },
  deposit_requests: {
    from: sql`from deposit_requests where user_id`,
    columns: 'id, coin, submitted, coin_amount, rate, address, created_at',
  },
  deposits: {
    from: sql`from deposits where user_id`,
    by: 'id',
    columns:
      'id, method, coin, submitted, coin_amount, rate, address, status, credited, reversed, reason, created_at, decided_at',
  },
  deposit_arrivals: {
    from: sql`from deposit_arrivals where user_id`,
    columns: 'deposit_id, coin, transaction_id, coins, arrived_at, rate, amount, at',
  },
  withdrawals: {
    from: sql`from withdrawals where user_id`,
    by: 'id',
    columns:
      'id, method, coin, wallet, bank_name, bank_type, bank_ending, amount, coin_amount, rate, status, reason, reference, created_at, processing_at, ended_at',
  },
  payout_addresses: {
    from: sql`from payout_addresses where user_id`,
    columns:
      'name, method, coin, wallet, bank_name, bank_ending, beneficiary, hosted_by, created_at, usable_at, removed_at',
  },
  payout_guards: { from: sql`from payout_guards where user_id`, columns: 'on_since, off_at' },
  withdrawal_pauses: { from: sql`from withdrawal_pauses where user_id`, columns: 'cause, started_at, until, ended_at' },
  plan_requests: {
    from: sql`from plan_requests where user_id`,
    columns: 'from_plan, plan, status, reason, requested_at, decided_at',
  },
  plan_charges: { from: sql`from plan_charges where user_id`, columns: 'from_plan, plan, amount, at' },
  identity_checks: {
    from: sql`from identity_checks where user_id`,
    columns: 'kind, method, status, reason, created_at, decided_at, erased_at',
  },
  automations: {
    from: sql`from automations where account_id`,
    isPerAccount: true,
    columns:
      'mode, days, from_hour, to_hour, loss_a_day, loss_in_all, trades_a_day, losses_in_row, profit_a_day, profit_in_all, pause_losses, pause_minutes, time_zone, state, stop_reason, started_at',
  },
  followed_strategies: {
    from: sql`from followed_strategies where account_id`,
    isPerAccount: true,
    columns: 'place, strategy, version, symbol_ids, duration_seconds, sides, strike_rate, stake, stake_percent',
  },
  automatic_orders: {
    from: sql`from automatic_orders where account_id`,
    isPerAccount: true,
    by: 'signal',
    columns: 'signal, mode, signal_at, stake, status, reason, trade_id, payout, paused_until',
  },
  guards: {
    from: sql`from guards where account_id`,
    isPerAccount: true,
    columns:
      'deposits_day, deposits_week, deposits_month, losses_day, losses_week, losses_month, stakes_day, stakes_week, stakes_month, time_day, time_week, time_month, check_minutes, blocked_until',
  },
  guard_changes: {
    from: sql`from guard_changes where account_id`,
    isPerAccount: true,
    columns: 'guard, from_value, to_value, requested_at, due_at, applied_at, cancelled_at',
  },
  exclusions: {
    from: sql`from exclusions where user_id`,
    columns: 'kind, starts_at, ends_at, reason, return_at, lifted_at',
  },
  user_locks: { from: sql`from user_locks where user_id`, columns: 'kind, reason, at' },
  complaints: {
    from: sql`from complaints where user_id`,
    columns: 'id, item, item_id, reason, text, status, filed_at, due_at, closed_at',
  },
  chats: {
    from: sql`from chats where user_id`,
    columns: `id, status, created_at, closed_at, (
      select jsonb_agg(jsonb_build_object('at', m.at, 'by', case when m.operator_id is null then 'you' else 'support' end, 'text', m.text) order by m.id)
      from chat_messages m where m.chat_id = chats.id) as messages`,
  },
  notices: { from: sql`from notices where user_id`, by: 'id', columns: 'id, kind, title, text, at, read_at' },
  notice_preferences: { from: sql`from notice_preferences where user_id`, columns: 'kind, in_app, email, push' },
  alerts: {
    from: sql`from alerts where user_id`,
    columns:
      'kind, symbol_id, direction, level, basis_points, minutes, indicator, inputs, output, interval_ms, threshold, armed_at, fired_at, fired_price',
  },
  waiting_orders: {
    from: sql`from waiting_orders where account_id`,
    isPerAccount: true,
    by: 'id',
    columns:
      'id, symbol_id, side, strike_rate, stake, duration_seconds, condition, level, at_ms, valid_until_ms, created_at, status, trigger_price, trigger_ms, trade_id, reason, ended_at',
  },
  own_strategies: {
    from: sql`from own_strategies where user_id`,
    by: 'id',
    columns: `id, name, kind, version, created_at, archived_at, (
      select jsonb_agg(to_jsonb(v) - 'strategy_id' order by v.version) from own_strategy_versions v where v.strategy_id = own_strategies.id) as versions, (
      select to_jsonb(p) - 'strategy_id' from published_strategies p where p.strategy_id = own_strategies.id) as published, (
      select jsonb_agg(to_jsonb(r) - 'strategy_id' - 'body_hash' order by r.id) from received_signals r where r.strategy_id = own_strategies.id) as received`,
  },
  screen_choices: {
    from: sql`from screen_choices where user_id`,
    columns: 'mode, symbol, duration_seconds, strike_rate, stake, favourites, recents, presets, coached, time_zone',
  },
  charts: { from: sql`from charts where user_id`, columns: 'document' },
  receipt_links: { from: sql`from receipt_links where user_id`, columns: 'trade_id, created_at' },
  sessions: {
    from: sql`from sessions where user_id`,
    by: 'id',
    columns: 'id, created_at, last_seen_at, device, address, ended_at, end_reason',
  },
  known_devices: { from: sql`from known_devices where user_id`, columns: 'created_at, last_used_at' },
  passkeys: { from: sql`from passkeys where user_id`, columns: 'name, created_at, last_used_at' },
  push_subscriptions: { from: sql`from push_subscriptions where user_id`, columns: 'created_at' },
  email_changes: {
    from: sql`from email_changes where user_id`,
    columns: 'old_email, new_email, requested_at, old_confirmed_at, new_confirmed_at, outcome, ended_at',
  },
  factor_resets: { from: sql`from factor_resets where user_id`, columns: 'due_at, ended_at, outcome' },
  account_closures: {
    from: sql`from account_closures where user_id`,
    columns: 'requested_at, due_at, kept_at, closed_at',
  },
}

/**
 * Yields everything that is stored about a trader, as one JSON object with a list for each table. Amounts of money are
 * cents, prices are in units of the symbol's scale.
 */
export async function* accountData(
  { db, instruments }: { db: Db; instruments: Instruments },
  userId: bigint,
  about: { brand: string; at: string },
): AsyncGenerator<string> {
  yield `{"about":${JSON.stringify({ ...about, money: 'US cents', prices: "units of the symbol's scale" })}`
  yield `,"symbols":${JSON.stringify(instruments.list.map(({ id, symbol, scale }) => ({ symbol_id: id, symbol, scale })))}`
  for (const [table, part] of Object.entries(PARTS)) {
    yield `,${JSON.stringify(table)}:[`
    let comma = ''
    for await (const row of rowsOf(db, part, userId)) {
      yield comma + row
      comma = ','
    }
    yield ']'
  }
  yield '}\n'
}

/** Rows of a table that a trader is stored in. */
export interface DataRows {
  table: string
  rows: Record<string, unknown>[]
}

const ROWS_IN_MEMORY = 100

/** Yields the same table by table, in parts of up to a hundred rows; a table without any once, empty. */
export async function* accountRows(db: Db, userId: bigint): AsyncGenerator<DataRows> {
  for (const [table, part] of Object.entries(PARTS)) {
    let rows: DataRows['rows'] = []
    let isEmpty = true
    for await (const row of rowsOf(db, part, userId)) {
      isEmpty = false
      rows.push(JSON.parse(row) as DataRows['rows'][number])
      if (rows.length < ROWS_IN_MEMORY) continue
      yield { table, rows }
      rows = []
    }
    if (rows.length > 0 || isEmpty) yield { table, rows }
  }
}

/** Returns the columns that are amounts of money, as `table.column`. */
export async function moneyColumns(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and domain_name = 'cents'`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** Yields a table's rows of a trader as JSON. */
async function* rowsOf(db: Db, { from, columns, by, isPerAccount }: Part, userId: bigint): AsyncGenerator<string> {
  const owners = isPerAccount ? MODES.map((mode) => accountOf(userId, mode)) : [userId]
  for (const owner of owners) {
    let after = '-1'
    for (;;) {
      const { rows } = await sql<{ row: string; place: string }>`
        select (to_jsonb(r) - 'row_place')::text as row, row_place::text as place from (
          select ${sql.raw(columns)}, ${by ? sql.ref(by) : sql.lit(0)} as row_place ${from} = ${owner} ${by ? sql`and ${sql.ref(by)} > ${after}::bigint order by ${sql.ref(by)}` : sql``}
          limit ${by ? ROWS_AT_ONCE : ROWS_MAX}
        ) r`.execute(db)
      for (const { row } of rows) yield row
      if (!by || rows.length < ROWS_AT_ONCE) break
      after = last(rows).place
    }
  }
}
