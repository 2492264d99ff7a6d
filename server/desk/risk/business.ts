import type { DeskBusiness, DeskBusinessDay } from '#contract/desk/money/business.ts'
import { BUSINESS_DAYS } from '#contract/desk/terms.ts'
import { WITHDRAWAL_BUSINESS_DAYS } from '#contract/terms.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { first, last, must } from '#kernel/must.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, startOf, toIso } from '#kernel/time.ts'
import { afterBusinessDays } from '../../cashier/index.ts'
import { userOf } from '../../ledger/index.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { cachedFor } from '../../platform/process/cached-for.ts'
import { FACTORS, factorRoom, lastFigures, symbolRoom } from '../../risk/index.ts'
import { IN_AND_OUT_SQL, NET_SQL } from './in-and-out.ts'
import { payoutsDue } from './payouts-due.ts'

/** What a UTC day brought, in cents. */
interface Day {
  start: Ms
  deposits: bigint
  withdrawals: bigint
  trades: bigint
  staked: bigint
  paidOut: bigint
  /** Users with a real trade that settled. */
  traders: readonly number[]
  payouts: number
  payoutsInTime: number
  /** From request to payment, of each. */
  payoutMs: readonly number[]
}

/** Today is counted at most this often. */
const TODAY_FOR_MS = 30 * SECOND_MS
const OPEN_FOR_MS = 5 * SECOND_MS
/** What belongs to a day commits within this time after it. */
const COMPLETE_AFTER_MS = MINUTE_MS
const DAYS_KEPT = Number(last(BUSINESS_DAYS))

/**
 * Returns the function that reads the figures of the business, from the ledger and the settled trades. A day that is
 * over doesn't change, so it's counted once and kept; each day is read by the index of its time.
 */
export function openBusiness(now: () => Ms): (db: Db, days: number) => Promise<DeskBusiness> {
  const over = new Map<Ms, Promise<Day>>()
  const today = cachedFor(TODAY_FOR_MS, (db: Db, start: Ms) => countDay(db, start))
  const open = cachedFor(OPEN_FOR_MS, readOpen)

  function dayFrom(db: Db, start: Ms): Promise<Day> {
    const kept = over.get(start)
    if (kept !== undefined) return kept
    const counted = countDay(db, start)
    if (now() < start + DAY_MS + COMPLETE_AFTER_MS) return counted
    over.set(start, counted)
    counted.catch(() => over.delete(start))
    return counted
  }

  return async (db, count) => {
    const newest = startOf(now(), DAY_MS)
    for (const start of over.keys()) if (start < newest - DAYS_KEPT * DAY_MS) over.delete(start)
    const days: Day[] = []
    // One after the other: the first call after a start counts them all.
    for (let start = newest - (count - 1) * DAY_MS; start < newest; start += DAY_MS) days.push(await dayFrom(db, start))
    const counted = await today(db, newest)
    // Counted before midnight, and kept for some seconds.
    days.push(counted.start === newest ? counted : await countDay(db, newest))
    return { ...figuresOf(days), days: days.map(toDay), ...(await open(db)) }
  }
}

const toDay = (day: Day): DeskBusinessDay => ({ day: toIso(day.start).slice(0, 10), ...figuresOf([day]) })

function figuresOf(days: readonly Day[]) {
  const cents = (of: (day: Day) => bigint) => usdToNumber(usd(days.reduce((sum, day) => sum + of(day), 0n)))
  const count = (of: (day: Day) => number) => days.reduce((sum, day) => sum + of(day), 0)
  return {
    deposits: cents((day) => day.deposits),
    withdrawals: cents((day) => day.withdrawals),
    trades: count((day) => Number(day.trades)),
    staked: cents((day) => day.staked),
    paid_out: cents((day) => day.paidOut),
    traders: new Set(days.flatMap((day) => day.traders)).size,
    payouts: count((day) => day.payouts),
    payouts_in_time: count((day) => day.payoutsInTime),
    payout_seconds: medianSeconds(days.flatMap((day) => day.payoutMs)),
  }
}

function medianSeconds(ms: readonly number[]): number | null {
  const sorted = ms.toSorted((a, b) => a - b)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  return middle === undefined ? null : Math.round(middle / SECOND_MS)
}

/** Counts a UTC day. */
export async function countDay(db: Db, start: Ms): Promise<Day> {
  const [from, until] = [new Date(start), new Date(start + DAY_MS)]
  const { rows } = await sql<{ deposits: bigint; withdrawals: bigint }>`
    select coalesce(${NET_SQL} filter (where cause <> 'withdraw_paid'), 0)::bigint as deposits,
      coalesce(sum(amount) filter (where cause = 'withdraw_paid'), 0)::bigint as withdrawals
    from transfers where ${IN_AND_OUT_SQL} and at >= ${from} and at < ${until}`.execute(db)
  const { rows: paid } = await sql<{ created_at: Date; at: Date }>`
    select w.created_at, m.at from transfers m join withdrawals w on w.id = m.cause_id
    where m.cause = 'withdraw_paid' and m.at >= ${from} and m.at < ${until}`.execute(db)
  const { rows: settled } = await sql<{ account_id: bigint; trades: bigint; staked: bigint; paid: bigint }>`
    select account_id, count(*) as trades, sum(stake)::bigint as staked, sum(payout)::bigint as paid from trades
    where mode = 'real' and status <> 'Pending' and settled_at >= ${from} and settled_at < ${until} group by account_id`.execute(
    db,
  )
  const sum = (of: (row: (typeof settled)[number]) => bigint) => settled.reduce((total, row) => total + of(row), 0n)
  return {
    start,
    ...first(rows),
    trades: sum((row) => row.trades),
    staked: sum((row) => row.staked),
    paidOut: sum((row) => row.paid),
    traders: settled.map((row) => Number(userOf(row.account_id))),
    payouts: paid.length,
    payoutMs: paid.map(({ created_at, at }) => at.getTime() - created_at.getTime()),
    payoutsInTime: paid.filter(
      ({ created_at, at }) => at.getTime() <= afterBusinessDays(created_at.getTime(), WITHDRAWAL_BUSINESS_DAYS),
    ).length,
  }
}

async function readOpen(db: Db): Promise<Pick<DeskBusiness, 'open' | 'payouts_due' | 'risk'>> {
  const { rows } = await sql<{ trades: number; stake: bigint; profit: bigint }>`
    select count(*)::int as trades, coalesce(sum(stake), 0)::bigint as stake,
      coalesce(sum((stake * percent + 50) / 100), 0)::bigint as profit
    from trades where status = 'Pending' and mode = 'real'`.execute(db)
  const { trades, stake, profit } = must(rows[0])
  return {
    open: { trades, stake: usdToNumber(usd(stake)), worst_loss: usdToNumber(usd(profit)) },
    payouts_due: await payoutsDue(db),
    risk: await readRisk(db),
  }
}

async function readRisk(db: Db): Promise<DeskBusiness['risk']> {
  const last = await lastFigures(db)
  if (!last) return null
  const { at, figures } = last
  const cents = (amount: number) => usdToNumber(usd(BigInt(Math.round(amount))))
  const symbols = await db.selectFrom('instruments').select(['id', 'symbol']).execute()
  const limited = await db.selectFrom('risk_limits').select('name').execute()
  const moveOf = (name: string, rooms: readonly [up: number, down: number]) => {
    const [up, down] = rooms.map((room) => figures.rooms[room])
    const most = up?.most ?? 0
    return {
      ...{ name, up: cents(up?.loss ?? 0), down: cents(down?.loss ?? 0) },
      most: figures.bound === null ? null : cents(most),
    }
  }
  const moves = [
    ...FACTORS.map((factor) => moveOf(factor, [factorRoom(factor, 'up'), factorRoom(factor, 'down')])),
    ...symbols
      .filter(({ symbol }) => limited.some(({ name }) => name === symbol))
      .map(({ id, symbol }) => moveOf(symbol, [symbolRoom(id, 'up'), symbolRoom(id, 'down')])),
  ]
  return {
    counted_at: at.toISOString(),
    equity: cents(figures.capital + figures.result),
    play: figures.isPlay,
    bound: figures.bound === null ? null : cents(figures.bound),
    grace_until: figures.graceUntil,
    worst_loss: cents(figures.worst),
    moves: moves
      .filter(({ up, down }) => up > 0 || down > 0)
      .sort((a, b) => Math.max(b.up, b.down) - Math.max(a.up, a.down)),
  }
}
