import type { ComplaintItem } from '#contract/terms.ts'
import { HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { inTransaction, isDatabaseDown, isLockTimeout, isRetryable, sql } from '../platform/database/db.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import { type DecidingTick, returnStakes, tradesOn } from '../trading/index.ts'
import { checkRecords } from './check-records.ts'
import type { ComplaintWorkDeps } from './deps.ts'
import { complaintNews } from './news.ts'

const EVERY_MS = 2_000
/** Interval after a minute without work. Events on this node wake the loop. */
const IDLE_EVERY_MS = 30_000
const IDLE_AFTER_MS = 60_000
/** After this long, another node may retry the check. */
const CHECK_LEASE_SECONDS = 30
/** How often an unsigned receipt is checked again, and after how long the check ends without one. */
const LATER_SECONDS = 10
const RECEIPT_WITHIN_SECONDS = 600
/** Delay before a ruling whose stakes couldn't be returned is retried. It doubles each time, up to an hour. */
const RETRY_MS = MINUTE_MS
const RETRY_AT_MOST_MS = HOUR_MS
/** Stakes that are returned in one transaction, which holds the locks of their accounts. */
const STAKES_AT_ONCE = 100

/**
 * Checks the records of new complaints and returns the stakes of rulings, one at a time, on any node with the role
 * `web`, because no trader's request may reach the engine. All state is in the database; a crash loses nothing.
 */
export function startComplaintWork(deps: ComplaintWorkDeps): Loop {
  let workedAt = performance.now()
  const pause = () => (performance.now() - workedAt > IDLE_AFTER_MS ? IDLE_EVERY_MS : EVERY_MS)
  const blocked: BlockedRulings = new Map()
  const loop: Loop = startLoop('complaints', pause, deps.log, async () => {
    const checked = await checkNext(deps)
    const paid = await payNext(deps, blocked)
    if (!checked && !paid) return
    workedAt = performance.now()
    loop.wake()
  })
  return loop
}

/** Checks the records of one complaint. Returns whether there was one to check. */
export async function checkNext(deps: ComplaintWorkDeps): Promise<boolean> {
  const { rows } = await sql<{ id: bigint; item: ComplaintItem; item_id: bigint; final: boolean }>`
    update complaints set check_after = clock_timestamp() + make_interval(secs => ${CHECK_LEASE_SECONDS})
    where id = (
      select id from complaints where checked_at is null and check_after <= clock_timestamp()
      order by check_after limit 1 for no key update skip locked
    )
    returning id, item, item_id, filed_at < clock_timestamp() - make_interval(secs => ${RECEIPT_WITHIN_SECONDS}) as final`.execute(
    deps.db,
  )
  const [row] = rows
  if (!row) return false
  const { id, item, item_id: itemId, final } = row
  const evidence = await checkRecords(deps, { item, itemId }, { final })
  if (evidence === 'later') {
    await sql`
      update complaints set check_after = clock_timestamp() + make_interval(secs => ${LATER_SECONDS})
      where id = ${id} and checked_at is null`.execute(deps.db)
    return true
  }
  const verified = evidence.steps.every(({ ok }) => ok)
  await sql`
    update complaints set evidence = ${JSON.stringify(evidence)}, verified = ${verified}, checked_at = clock_timestamp()
    where id = ${id} and checked_at is null`.execute(deps.db)
  if (!verified) deps.log.error({ complaint: String(id), steps: evidence.steps }, 'a complaint could not be verified')
  return true
}

/** Delay before stakes of accounts that were locked are tried again. */
const BUSY_MS = 2_000

/** Rulings that this node couldn't carry out, by id: when it tries again (monotonic), and how long it waited last. */
export type BlockedRulings = Map<bigint, { againAt: number; pauseMs: number }>

/**
 * Returns the stakes of the oldest approved ruling that isn't blocked, at most 100 at once, and notifies their traders.
 * Returns whether there was anything to do. Nodes wait for each other, so that no two rulings want the same stake at once.
 * A ruling that fails, or of which only locked accounts are left, is blocked for a while, so that it delays no other; operators learn of it from the log and an alert (`overdue.ts`).
 */
export async function payNext(
  deps: Omit<ComplaintWorkDeps, 'clock' | 'instruments'>,
  blocked: BlockedRulings = new Map(),
): Promise<boolean> {
  const now = performance.now()
  const waiting = [...blocked].filter(([, { againAt }]) => againAt > now).map(([id]) => id)
  let taken: bigint | undefined
  try {
    return await inTransaction(deps.db, async (tx) => {
      const { rows } = await sql<{ id: bigint; symbol_id: number; tick_seq: bigint; tick_time: bigint }>`
        select id, symbol_id, tick_seq, tick_time from complaint_rulings
        where approved_at is not null and paid_at is null and id <> all (${waiting}::bigint[])
        order by id limit 1 for no key update`.execute(tx)
      const [ruling] = rows
      if (!ruling) return false
      taken = ruling.id
      const tick: DecidingTick = { symbolId: ruling.symbol_id, seq: ruling.tick_seq, at: Number(ruling.tick_time) }
      const returned = await returnStakes(tx, { rulingId: ruling.id, tick, limit: STAKES_AT_ONCE })
      for (const one of returned) {
        deps.balances.afterCommit(tx, one.userId)
        await deps.notices.write(tx, complaintNews.returned(one))
      }
      const isLast = returned.reduce((sum, { trades }) => sum + trades, 0) < STAKES_AT_ONCE
      const isBusy = isLast && (await tradesOn(tx, tick)).lost > 0
      if (isLast && !isBusy)
        await sql`update complaint_rulings set paid_at = clock_timestamp() where id = ${ruling.id}`.execute(tx)
      tx.afterCommit(() => {
        if (isBusy) blocked.set(ruling.id, { againAt: performance.now() + BUSY_MS, pauseMs: RETRY_MS / 2 })
        else blocked.delete(ruling.id)
      })
      return true
    })
  } catch (error) {
    // A locked account is free soon.
    if (taken === undefined || isDatabaseDown(error) || isRetryable(error) || isLockTimeout(error)) throw error
    const pauseMs = Math.min(RETRY_AT_MOST_MS, 2 * (blocked.get(taken)?.pauseMs ?? RETRY_MS / 2))
    blocked.set(taken, { againAt: now + pauseMs, pauseMs })
    deps.log.error(
      { err: error, ruling: String(taken), againInMs: pauseMs },
      'the stakes of a ruling cannot be returned',
    )
    return true
  }
}
