import { DAY_MS } from '#kernel/time.ts'
import { type Db, sql } from '#server/platform/database/db.ts'
import { lastRuns } from '#server/platform/database/maintenance.ts'

/** Verification and backup must have succeeded this recently. */
const RECENT_DAYS = 7

interface PlannedDay {
  /** YYYY-MM-DD, in UTC. */
  day: string
  /** Trades in the checkpoints of the day, of both modes. Those that something still needs will stay. */
  trades: number
}

interface ArchivePlan {
  /** The first day that stays; undefined if nothing can be removed now. */
  until: string | undefined
  /** Days whose trades can be removed, oldest first. */
  days: PlannedDay[]
  /** The reasons why nothing can be removed now, or not up to the requested day; one sentence each. */
  refusals: string[]
}

interface PlanOptions {
  /** `demo`: trades in demo expire. `archive`: all trades are archived. */
  what: 'archive' | 'demo'
  /** The first day that stays, YYYY-MM-DD. */
  before: string
  now: number
  /** The minimum number of days that every trade is kept. */
  minDays: number
  /** The operator vouches for backups that `npm run backup` doesn't know of. */
  backedUpElsewhere?: boolean
}

/** Says what would be removed, and what prevents it. Changes nothing. */
export async function planArchive(
  db: Db,
  { what, before, now, minDays, backedUpElsewhere = false }: PlanOptions,
): Promise<ArchivePlan> {
  const refusals: string[] = []
  const runs = await lastRuns(db)
  const isRecent = (command: 'verify' | 'backup') => {
    const at = runs.find((run) => run.command === command)?.succeededAt
    return at != null && now - at.getTime() <= RECENT_DAYS * DAY_MS
  }
  const failed = runs.find((run) => run.command === 'verify')?.succeeded === false
  if (!isRecent('verify') || failed) refusals.push(`npm run verify must have passed in the last ${RECENT_DAYS} days.`)
  if (!isRecent('backup') && !backedUpElsewhere)
    refusals.push(
      `npm run backup must have succeeded in the last ${RECENT_DAYS} days. If you make backups otherwise, add --backed-up-elsewhere.`,
    )
  const { rows: halts } = await sql`select from payout_halts where ended_at is null`.execute(db)
  if (halts.length > 0) refusals.push("Payouts are halted because the books don't agree.")
  if (refusals.length > 0) return { until: undefined, days: [], refusals }

  const newest = dayAt(now - minDays * DAY_MS)
  const wanted = before < newest ? before : newest
  if (before > newest) refusals.push(`Trades are kept for at least ${minDays} days: nothing from ${newest} on.`)
  const open = await openComplaintDay(db)
  const until = open !== undefined && open < wanted ? open : wanted
  if (until !== wanted) refusals.push(`A complaint about a trade of ${open} is open: nothing from that day on.`)
  const { rows } = await sql<{ day: string; trades: number }>`
    select day, sum(octet_length(c.trade_ids) / 8)::int as trades
    from checkpoints c, lateral (select to_char(to_timestamp(c.t / 1000.0) at time zone 'UTC', 'YYYY-MM-DD') as day) d
    where c.t < ${Date.parse(until)} and not exists (select from archived_days a where a.day = d.day::date)
      and (${what === 'archive'} or not exists (select from expired_days e where e.day = d.day::date))
    group by day having sum(octet_length(c.trade_ids)) > 0 order by day`.execute(db)
  return { until, days: rows, refusals }
}

/** Returns the day of the oldest trade that an open complaint or an unpaid ruling is about. */
async function openComplaintDay(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ oldest: bigint | null }>`
    select min(t.trade_time) as oldest from complaints c join trades t on t.id = c.item_id
    where c.item = 'trade' and (c.closed_at is null or exists (
      select from complaint_rulings r where r.complaint_id = c.id and r.approved_at is not null and r.paid_at is null))`.execute(
    db,
  )
  const oldest = rows[0]?.oldest
  return oldest == null ? undefined : dayAt(Number(oldest))
}

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
