import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { startLoop } from '../platform/process/loop.ts'
import { countChanges, reconcile, reconcileQuickly } from './reconcile.ts'

const LOOK_MS = 15_000
/** Delay of the first comparison, so that it doesn't slow down the start. */
const FIRST_AFTER_MS = 45_000
/** Interval while payouts are halted, so that a correction is found soon. */
const HALTED_EVERY_MS = 30_000
/** Without any change, everything is compared this often, in case a change wasn't counted. */
const UNCHANGED_MS = 3_600_000
/** Share of one core's time that comparing everything may take; the second is for the time while payouts are halted. */
const SHARE = 1 / 20
const HALTED_SHARE = 1 / 5

interface ReconciliationDeps {
  db: Db
  log: Log
  /** Whether this node writes the tape. */
  leads(): boolean
  /** Maximum delay from a change to its comparison, in milliseconds. */
  everyMs: number
}

export interface Reconciliation {
  /** Seconds since this node last knew that the books agree; undefined if it doesn't lead. */
  ageSeconds(): number | undefined
  stop(): Promise<void>
}

/**
 * Compares the books every few minutes, on the engine that writes the tape. While nothing changes, it only reads
 * counters. If comparing everything would take more than its share of time, it runs less often, and only balances are
 * compared in between. A changed row of the history triggers a comparison of everything at once.
 */
export function startReconciliation({ db, log, leads, everyMs }: ReconciliationDeps): Reconciliation {
  const now = () => performance.now()
  const first = () => now() + Math.min(FIRST_AFTER_MS, everyMs)
  let dueAt = first()
  let allDueAt = 0
  let comparedAt = 0
  let agreedAt = now()
  let differs = false
  /** The counts before everything was compared last; undefined before the first time. */
  let compared: Awaited<ReturnType<typeof countChanges>> | undefined
  /** The counts before the last comparison of any kind. */
  let seen: string | undefined

  async function compareAll(counts: NonNullable<typeof compared>): Promise<void> {
    const begun = now()
    differs = (await reconcile(db)).length > 0
    comparedAt = now()
    const tookMs = comparedAt - begun
    allDueAt = begun + (differs ? Math.max(Math.min(HALTED_EVERY_MS, everyMs), tookMs / HALTED_SHARE) : tookMs / SHARE)
    compared = counts
  }

  const loop = startLoop('reconciliation', Math.min(LOOK_MS, everyMs), log, async () => {
    if (!leads()) {
      dueAt = first()
      compared = undefined
      agreedAt = now()
      return
    }
    if (now() < dueAt) return
    const counts = await countChanges(db)
    const unchanged = counts.all === compared?.all && now() - comparedAt < UNCHANGED_MS
    if (!unchanged) {
      if (compared?.final !== counts.final || now() >= allDueAt) await compareAll(counts)
      else if (counts.all !== seen && (await reconcileQuickly(db)).length > 0) await compareAll(counts)
      seen = counts.all
      dueAt = differs ? allDueAt : now() + everyMs
    }
    if (!differs) agreedAt = now()
  })
  return {
    ageSeconds: () => (leads() ? (now() - agreedAt) / 1_000 : undefined),
    stop: loop.stop,
  }
}
