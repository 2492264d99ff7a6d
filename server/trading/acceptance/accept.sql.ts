import type { Mode } from '#contract/trading/trading.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { GUARDS_SQL, type GuardStop } from '../../guardrails/index.ts'
import {
  accountOfSql,
  type Balances,
  countedSql,
  dayOfSql,
  modeOf,
  periodStartsSql,
  userOfSql,
} from '../../ledger/index.ts'
import { numbers, words } from '../../platform/database/connection.ts'
import type { LaneRoom } from './limits/lane-rooms.ts'
import type { Order } from './order.ts'

/**
 * A result row: one per rejected account, or a single row without an account when none was rejected. Every row also
 * carries the batch's totals: the time of its trades and the number of accepted accounts.
 */
export interface AcceptRow {
  id: bigint | null
  /**
   * Another transaction has locked the account or one of its symbols, or has changed the account since this statement
   * began: nothing else in this row is certain, except that a key was used.
   */
  busy: boolean
  /** Balance before this batch, read under the lock; null if the account doesn't exist. */
  balance: Usd | null
  escrow: Usd
  /** One of its keys has already been used, for a trade or anything else, as far as keys were checked. */
  repeated: boolean
  /** One of its symbols has reached its limit. */
  full: boolean
  /** The house may lose no more on some of its orders' sides than a part of them would cost. */
  crowded: boolean
  /** The rooms that the batch had too little of: number, cents, and how much all lanes have, if that's known. Null: none. */
  rooms: string | null
  /** An operator has locked trading on this account. */
  locked: boolean
  /** The symbols that operators have stopped, and -1 while real trading is: numbers with spaces between. Null: none. */
  stops: string | null
  /** Why the trader's own limits allow no trade at all; null if they allow some. */
  stop: GuardStop | null
  /** The tightest of the trader's own limits, and how many cents it allows; null without limits. */
  guard: string | null
  guard_room: bigint | null
  /** The database's clock is ahead of the tape, so it can't date a trade. */
  ahead: boolean
  /** Tape time of the trades. */
  trade_time: bigint
  /** The version of the price lists that applies at that time. */
  price_list: number
  /** Number of accounts whose orders were accepted. */
  accepted: bigint
  /**
   * For each of these accounts: its id, and its owner's real and demo balances in cents. Null if there are none, or if the
   * batch didn't need them.
   */
  balances: string | null
}

/**
 * How far the database's clock may run ahead of the tape. Longer than a price may be stale, so only a clock that jumped
 * exceeds it.
 */
const AHEAD_MS = 12_000

/** How old an order may be when it is accepted: from the press to the clock that the statement reads under the locks. */
export const LATE_MS = 2_000

/** Optional parts of the statement that a batch needs. */
export interface AcceptNeeds {
  /** Some of its trades are real trades on symbols with a limit. */
  limited: boolean
  /** Some of its trades are real trades whose profit must have room (`server/risk`). */
  rooms: boolean
  /**
   * Which accounts' keys are checked before anything is written. Always those of accounts that would be rejected,
   * because a stored response takes precedence. The keys of the others are nearly all new, and a used one makes the
   * statement fail.
   */
  checkKeys: 'all' | 'rejected'
  /** An owner's screen is open here, and shows the balances that the statement leaves. */
  balances: boolean
}

/** The balance of the debited account's owner in one mode. Only the debited account's row is as the statement leaves it. */
const balanceIn = (mode: Mode) =>
  `case d.mode when '${mode}' then d.balance else coalesce((select o.balance from accounts o where o.id = ${accountOfSql('d.user_id', mode)}), 0) end`

/** What a trade pays when it is won, beyond its stake. */
const PROFIT = '(t.stake * t.percent + 50) / 100'

/** Whether an order's account is among these. A lookup in a hash, however few rows the planner expects. */
const isIn = (accounts: string) => `(nullif(t.account_id in (${accounts}), false) is not null)`

/**
 * Takes each trade's profit from the lane's own rooms. Where the lane has too little for the batch, accounts are
 * accepted in the order of their orders; those from the first on that doesn't fit are held back. Nothing is locked before
 * the update: only the engine changes these rows too, and if it has just reduced a grant, the table's check fails the
 * statement, and the batch runs again.
 */
const ROOMS_SQL = `, asked_of_rooms as materialized (
  select x.room, sum(${PROFIT}) as total from asked t cross join lateral (values (t.room1), (t.room2), (t.room3)) x(room)
  where x.room >= 0 and ${isIn('select id from within')} group by x.room
), short as materialized (
  select a.room, coalesce(r.granted - r.used, 0) as free, r.room_left
  from asked_of_rooms a left join risk_rooms r on r.lane = $28 and r.room = a.room
  where coalesce(r.granted - r.used, 0) < a.total
), crowded as materialized (
  select distinct id from (
    select t.account_id as id, s.free, sum(${PROFIT}) over (partition by s.room order by t.id) as running
    from asked t join short s on s.room in (t.room1, t.room2, t.room3)
    where (select count(*) from short) > 0 and ${isIn('select id from within')}
  ) in_order where running > free
), fits as materialized (
  select * from within where id not in (select id from crowded)
), taken as (
  update risk_rooms r set used = r.used + n.total
  from (
    select room, total from asked_of_rooms where (select count(*) from short) = 0
    union all
    select x.room, sum(${PROFIT}) from asked t cross join lateral (values (t.room1), (t.room2), (t.room3)) x(room)
    where (select count(*) from short) > 0 and x.room >= 0 and ${isIn('select id from fits')} group by x.room
  ) n
  where r.lane = $28 and r.room = n.room
)`

/**
 * Accepts a batch in one statement: locks its accounts in id order, reads the clock, debits the accounts that can cover
 * all their stakes, and writes their trades and movements. An account that can't cover all of its stakes, or has an order
 * that is too old, is left untouched. So is one that another transaction has locked: waiting for it would make everyone
 * else in the batch wait, and their orders get older.
 */
export const acceptSql = ({ limited, rooms, checkKeys, balances }: AcceptNeeds) => `
with wanted as materialized (
  select * from unnest($1::bigint[], $2::bigint[], $3::int[], $20::bigint[], $22::int[], $23::bigint[], $24::bigint[])
    as w(id, total, parts, oldest, price_list, offered_from, offered_until)
), asked as materialized (
  select * from unnest($4::bigint[], $5::bigint[], $6::smallint[], $7::smallint[], $8::int[], $9::text[], $10::text[], $11::smallint[],
    $12::bigint[], $13::int[], $14::int[], $15::bigint[], $16::text[], $17::text[], $19::bigint[], $21::text[]${rooms ? ', $25::int[], $26::int[], $27::int[]' : ''})
    as t(id, account_id, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration, ordinal, running, key, fingerprint, signal, salt
      ${rooms ? ', room1, room2, room3' : ''})
), locked as materialized (
  select a.id, a.mode, a.balance, a.escrow, a.seq, a.trading_locked, a.guarded, a.counted_on,
    a.staked_day, a.staked_week, a.staked_month, a.lost_day, a.lost_week, a.lost_month
  from accounts a where a.id = any ($1::bigint[]) order by a.id for no key update skip locked
), clock as materialized (
  select ms, ${periodStartsSql(dayOfSql('ms'))}, ahead
  from (
    select greatest(at, head) as ms, head > 0 and at > head + ${AHEAD_MS} as ahead
    from (
      select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at, (select t from tape_head) as head
      from (select count(*) from locked) after_the_locks
    ) read
  ) now
), listed as materialized (
  select max(version) as version from price_list_versions where from_ms <= (select ms from clock)
), stops as materialized (
  select symbol_id from trading_stops()
), stopped as materialized (
  select t.account_id as id from asked t join locked l on l.id = t.account_id
  join stops s on s.symbol_id = t.symbol_id or s.symbol_id = -1 and l.mode = 'real'
), guarded as materialized (
  ${GUARDS_SQL}
), able as materialized (
  select l.id, l.mode, w.total, w.parts from locked l join wanted w using (id) left join guarded g using (id)
  where l.balance >= w.total and l.escrow + w.total <= $18::bigint and not l.trading_locked and not (select ahead from clock)
    and l.id not in (select id from stopped)
    and w.oldest >= (select ms from clock) - ${LATE_MS}
    and w.price_list = (select version from listed)
    and w.offered_from <= (select ms from clock) and w.offered_until > (select ms from clock)
    and g.stop is null and (g.room is null or w.total <= g.room)
), repeated as materialized (
  -- One index lookup for each key, whatever size the planner expects.
  select distinct t.account_id as id
  from asked t, lateral (
    select from trades x where ${userOfSql('x.account_id')} = ${userOfSql('t.account_id')} and x.key = t.key
    union all
    select from request_keys x where x.user_id = ${userOfSql('t.account_id')} and x.key = t.key
    limit 1
  ) x
  where t.key is not null ${checkKeys === 'all' ? '' : 'and t.account_id not in (select id from able)'}
), covered as materialized (
  select * from able ${checkKeys === 'all' ? 'where id not in (select id from repeated)' : ''}
)${
  limited
    ? `, asked_of_symbols as materialized (
  select t.symbol_id, sum(t.stake) as total
  from asked t join covered c on c.id = t.account_id and c.mode = 'real'
  group by t.symbol_id
), symbols as materialized (
  select s.symbol_id, s.open, least(s.open_max, s.thin_max) as most from symbol_open s
  where s.symbol_id in (select symbol_id from asked_of_symbols) order by s.symbol_id for no key update skip locked
), held_back as materialized (
  -- By a symbol that has no room for them all, or that another transaction has locked.
  select t.account_id as id, bool_or(s.symbol_id is null) as busy from asked t
  join locked l on l.id = t.account_id and l.mode = 'real'
  join asked_of_symbols a using (symbol_id) join symbol_open o using (symbol_id) left join symbols s using (symbol_id)
  where s.symbol_id is null or s.open + a.total > s.most
  group by t.account_id
), within as materialized (
  select * from covered where id not in (select id from held_back)
)${rooms ? ROOMS_SQL : ', fits as materialized (select * from within)'}, grown as (
  update symbol_open s set open = s.open + n.total
  from (
    select t.symbol_id, sum(t.stake) as total from asked t join fits f on f.id = t.account_id and f.mode = 'real' group by t.symbol_id
  ) n join symbols using (symbol_id)
  where s.symbol_id = n.symbol_id
)`
    : `, within as materialized (select * from covered)${rooms ? ROOMS_SQL : ', fits as materialized (select * from within)'}`
}, debited as (
  update accounts a
  set balance = a.balance - f.total, escrow = a.escrow + f.total, seq = a.seq + f.parts, last_at = greatest(clock_timestamp(), a.last_at),
    ${countedSql('clock', { staked: 'f.total' })}
  from fits f, clock
  where a.id = f.id
  returning a.id, a.user_id, a.mode, a.balance, a.seq, a.last_at, f.total, f.parts
), opened as (
  insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
    duration_seconds, trade_time, end_time, key, fingerprint, signal, salt, price_list)
  select t.id, t.account_id, d.mode, t.symbol_id, t.source_kind, t.stale_after_ms, t.side::trade_side, t.strike_rate::strike_rate, t.percent, t.stake,
    t.duration, clock.ms, clock.ms + t.duration * 1000::bigint, t.key, decode(t.fingerprint, 'hex'), t.signal, decode(t.salt, 'hex'), listed.version
  from asked t join debited d on d.id = t.account_id, clock, listed
), moved as (
  insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
  select 'trade_open', t.id, 1, t.account_id, d.mode, 'balance', 'escrow', t.stake,
    d.seq - d.parts + t.ordinal, d.balance + d.total - t.running, d.last_at
  from asked t join debited d on d.id = t.account_id
)
select refused.*, clock.ahead, clock.ms as trade_time, (select version from listed) as price_list, (select count(*) from debited) as accepted,
  ${balances ? `(select string_agg(concat_ws(' ', d.id, ${balanceIn('real')}, ${balanceIn('demo')}), ',') from debited d)` : 'null'} as balances
from clock left join (
  select w.id, l.balance, l.escrow, l.trading_locked as locked, (select string_agg(symbol_id::text, ' ') from stops) as stops, g.stop, g.guard, g.room as guard_room, r.id is not null as repeated, ${limited ? 'x.id is not null' : 'false'} as full,
    ${rooms ? "y.id is not null as crowded, (select string_agg(concat_ws(' ', s.room, s.free, s.room_left), ',') from short s) as rooms" : 'false as crowded, null as rooms'},
    -- Without the lock there is no row of it; with another number of movements, the statement's snapshot is too old to judge.
    coalesce((select a.seq from accounts a where a.id = w.id) is distinct from l.seq${limited ? ' or x.busy' : ''}, false) as busy
  from wanted w left join locked l using (id) left join guarded g using (id) left join debited d using (id) left join repeated r using (id)${limited ? ' left join held_back x using (id)' : ''}${rooms ? ' left join crowded y using (id)' : ''}
  where d.id is null
) refused on true`

/** A short room: how many cents of profit it has for this lane, and for all lanes together if that's known. */
interface ShortRoom {
  free: bigint
  /** Below 0: real trading is closed. */
  left: bigint | undefined
}

/** Reads the rooms that a batch had too little of. */
export function shortRooms({ rooms }: Pick<AcceptRow, 'rooms'>): Map<number, ShortRoom> {
  return new Map(
    (rooms?.split(',') ?? []).map((text) => {
      const [room, free, left] = text.split(' ') as [string, string, string?]
      return [Number(room), { free: BigInt(free), left: left === undefined ? undefined : BigInt(left) }]
    }),
  )
}

/** Reads the balances of the owners of accepted accounts, by account. */
export function acceptedBalances({ balances }: Pick<AcceptRow, 'balances'>): Map<bigint, Balances> {
  return new Map(
    (balances?.split(',') ?? []).map((text) => {
      const [id, balance, demoBalance] = text.split(' ') as [string, string, string]
      return [BigInt(id), { balance: usd(BigInt(balance)), demoBalance: usd(BigInt(demoBalance)) }]
    }),
  )
}

/** What the statement checks of the orders of an account together. */
interface AccountTotals {
  total: bigint
  parts: number
  oldest: number
  priceList: number
  from: number
  until: number
}
/** Orders by different versions: no version has this number, so they are judged one by one. */
const MIXED = 0

/** Builds the statement's arrays. Orders of one account are numbered in arrival order. */
export function acceptValues(orders: readonly Order[], openStakeMax: Usd, rooms?: LaneRoom): unknown[] {
  const totals = new Map<bigint, AccountTotals>()
  const ordinals: number[] = []
  const running: bigint[] = []
  for (const {
    accountId,
    stake,
    pressedAt,
    offer: { version, fromMs, untilMs },
  } of orders) {
    const account = totals.get(accountId) ?? {
      ...{ total: 0n, parts: 0, oldest: pressedAt, priceList: version, from: fromMs, until: untilMs },
    }
    if (account.priceList !== version) account.priceList = MIXED
    account.from = Math.max(account.from, fromMs)
    account.until = Math.min(account.until, untilMs)
    account.oldest = Math.min(account.oldest, pressedAt)
    account.total += stake
    account.parts += 1
    totals.set(accountId, account)
    ordinals.push(account.parts)
    running.push(account.total)
  }
  const accounts = [...totals]
  return [
    numbers(accounts.map(([id]) => id)),
    numbers(accounts.map(([, { total }]) => total)),
    numbers(accounts.map(([, { parts }]) => parts)),
    numbers(orders.map((order) => order.id)),
    numbers(orders.map((order) => order.accountId)),
    numbers(orders.map((order) => order.symbolId)),
    numbers(orders.map((order) => order.sourceKind)),
    numbers(orders.map((order) => order.staleAfterMs)),
    words(orders.map((order) => order.side)),
    words(orders.map((order) => order.strikeRate)),
    numbers(orders.map((order) => order.percent)),
    numbers(orders.map((order) => order.stake)),
    numbers(orders.map((order) => order.durationSeconds)),
    numbers(ordinals),
    numbers(running),
    // Keys are client-supplied text, so the driver must quote them.
    orders.map((order) => order.key ?? null),
    orders.map((order) => (order.key === undefined ? null : order.fingerprint.toString('hex'))),
    openStakeMax,
    orders.map((order) => order.signal ?? null),
    numbers(accounts.map(([, { oldest }]) => oldest)),
    words(orders.map((order) => order.salt)),
    numbers(accounts.map(([, { priceList }]) => priceList)),
    numbers(accounts.map(([, { from }]) => from)),
    numbers(accounts.map(([, { until }]) => until)),
    ...(rooms ? roomValues(orders, rooms) : []),
  ]
}

/** The rooms that each order takes its profit from (-1: none, as in demo mode), and the lane whose rooms they are. */
function roomValues(orders: readonly Order[], { lane, roomsOf }: LaneRoom): unknown[] {
  const rooms = orders.map(({ accountId, symbolId, side }) =>
    modeOf(accountId) === 'real' ? roomsOf(symbolId, side) : [],
  )
  return [...[0, 1, 2].map((place) => numbers(rooms.map((own) => own[place] ?? -1))), lane]
}
