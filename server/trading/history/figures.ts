import { SOURCES } from '#contract/prices/prices.ts'
import type { figuresCalls, Payout, WinRate } from '#contract/trading/figures.ts'
import { USEFUL_SAMPLE } from '#contract/trading/figures.ts'
import type { Mode, TradeSide } from '#contract/trading/trading.ts'
import { idFloor } from '#kernel/id.ts'
import type { Usd } from '#kernel/money.ts'
import { first, must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { creditTime, payoutTime } from '../../cashier/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { Handlers } from '../../platform/http/index.ts'
import { cachedFor } from '../../platform/process/cached-for.ts'
import type { Clock } from '../../platform/process/clock.ts'
import type { Instruments, Tape } from '../../prices/index.ts'

interface FiguresDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  tape: Tape
  instruments: Instruments
}

const FIGURES_FOR_MS = 60_000
const PAYOUTS_FOR_MS = 2_000
const PAYOUTS = 50

/** Public figures about settled trades, cached so that traffic doesn't reach the database. */
export function figuresRoutes(deps: FiguresDeps): Handlers<keyof typeof figuresCalls> {
  const { db, clock, tape, instruments } = deps
  const figures = cachedFor(FIGURES_FOR_MS, async (reads: Db) => {
    const kind = tape.kindNow()
    await countOn(db, clock.now())
    return {
      source: must(SOURCES[kind]),
      symbols: instruments.current().filter((one) => one.tradingType !== null && one.closedReason === null).length,
      win_rates: await winRates(reads, kind),
      deposits: await creditTime(reads, clock.now()),
      withdrawals: await payoutTime(reads, clock.now()),
    }
  })
  const payouts = cachedFor(PAYOUTS_FOR_MS, async (reads: Db) => {
    const kind = tape.kindNow()
    return { source: must(SOURCES[kind]), payouts: await newestPayouts(reads, instruments, kind) }
  })
  return {
    'GET /public/figures': async ({ reads }) => ({ status: true, data: await figures(reads) }),
    'GET /public/payouts': async ({ reads }) => ({ status: true, data: await payouts(reads) }),
  }
}

/** Trades that one transaction passes: it takes a fraction of a second. */
const PASSED_AT_ONCE = 20_000
/** Transactions of one run: a table that was never counted takes several runs. */
const STEPS = 20

/**
 * Counts the trades settled since the last run. Trades are passed once, in id order; those that are still open then are
 * remembered, and counted once they are settled. So each is counted once, and none waits for another. Each step passes a
 * bounded number of trades and commits, so that a run ends soon however many there are; the next one continues.
 */
export async function countOn(db: Db, now: Ms, atOnce = PASSED_AT_ONCE): Promise<void> {
  for (let step = 0; step < STEPS; step++) if (!(await countStep(db, now, atOnce))) return
}

/** Returns whether there are more to pass. */
const countStep = (db: Db, now: Ms, atOnce: number): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const { rows } = await sql<{ counted_to: bigint }>`select counted_to from trade_figures_head for update`.execute(tx)
    const from = first(rows).counted_to
    await sql`
      with counted as (
        delete from trade_figures_open o using trades t where t.id = o.trade_id and t.status <> 'Pending' returning t.*
      ) ${ADD_COUNTED}`.execute(tx)
    // Below this id every trade is in the table: its transaction began within a minute, and none that old is under way.
    const newest = idFloor(Math.min(now, await oldestWrite(tx)) - MINUTE_MS)
    if (newest <= from) return false
    const { rows: full } = await sql<{ id: bigint }>`
      select id from trades where id > ${from} and id <= ${newest} order by id offset ${atOnce - 1} limit 1`.execute(tx)
    const until = full[0]?.id ?? newest
    await sql`
      with passed as not materialized (
        select * from trades where id > ${from} and id <= ${until}
      ), open as (
        insert into trade_figures_open select id from passed where status = 'Pending'
      ), counted as not materialized (
        select * from passed where status <> 'Pending'
      ) ${ADD_COUNTED}`.execute(tx)
    await sql`update trade_figures_head set counted_to = ${until}`.execute(tx)
    return full.length > 0
  })

/** Returns when the oldest transaction began that has written and not ended, such as one whose commit waits for a standby. */
async function oldestWrite(tx: Tx): Promise<Ms> {
  const { rows } = await sql<{ began: Date | null }>`
    select min(xact_start) as began from pg_stat_activity
    where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()`.execute(tx)
  return first(rows).began?.getTime() ?? Number.POSITIVE_INFINITY
}

/** The end of a statement: adds the outcomes of the trades `counted` to the figures. */
const ADD_COUNTED = sql`
  insert into trade_figures as f (mode, source_kind, won, lost, draws, voids, first_end, last_end)
  select mode, source_kind, count(*) filter (where status = 'Won'), count(*) filter (where status = 'Lost'),
    count(*) filter (where status = 'Draw'), count(*) filter (where status = 'Void'), min(end_time), max(end_time)
  from counted group by mode, source_kind
  on conflict (mode, source_kind) do update set won = f.won + excluded.won, lost = f.lost + excluded.lost,
    draws = f.draws + excluded.draws, voids = f.voids + excluded.voids,
    first_end = least(f.first_end, excluded.first_end), last_end = greatest(f.last_end, excluded.last_end)`

/** Returns the win rates of trades on one kind of prices, for each mode with a useful sample. */
export async function winRates(db: Db, kind: number): Promise<WinRate[]> {
  const { rows } = await sql<{
    mode: Mode
    won: bigint
    lost: bigint
    draws: bigint
    voids: bigint
    first_end: bigint
    last_end: bigint
  }>`
    select mode, won, lost, draws, voids, first_end, last_end from trade_figures
    where source_kind = ${kind} and won + lost >= ${USEFUL_SAMPLE} order by mode`.execute(db)
  return rows.map((row) => ({
    mode: row.mode,
    percent: winPercent(row.won, row.lost),
    won: Number(row.won),
    lost: Number(row.lost),
    draws: Number(row.draws),
    voids: Number(row.voids),
    from: new Date(Number(row.first_end)).toISOString(),
    to: new Date(Number(row.last_end)).toISOString(),
  }))
}

/** Formats a percentage with one decimal, rounded down so that nothing looks better than it was. */
export const winPercent = (won: bigint, lost: bigint): number => Number((won * 1000n) / (won + lost)) / 10

async function newestPayouts(db: Db, instruments: Instruments, kind: number): Promise<Payout[]> {
  const { rows } = await sql<{
    symbol_id: number
    side: TradeSide
    stake: Usd
    payout: Usd
    settled_at: Date
  }>`
    select symbol_id, side, stake, payout, settled_at from trades
    where mode = 'real' and status = 'Won' and source_kind = ${kind} order by settled_at desc limit ${PAYOUTS}`.execute(
    db,
  )
  return rows.map((row) => ({
    symbol: instruments.byId(row.symbol_id)?.symbol ?? '',
    trade_mode: row.side,
    stake: Number(row.stake / 100n),
    payout: Number(row.payout / 100n),
    at: new Date(startOf(row.settled_at.getTime(), MINUTE_MS)).toISOString(),
  }))
}
