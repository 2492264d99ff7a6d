import { Problem } from '#contract/problem.ts'
import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { WITHDRAWALS_PAUSED_SQL } from '../../levers/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'

/** What a check of the books found. */
export interface BookDifference {
  /** The invariant's name, and what should hold. */
  name: string
  says: string
  /** Rows that break it, as JSON. */
  rows: string[]
}

interface PayoutHalt {
  id: bigint
  started_at: Date
  findings: BookDifference[]
  found_at: Date
  /** Since when the books agree again; null while they don't. */
  clean_at: Date | null
}

/** Returns the open halt of payouts, or undefined while they run. */
export async function payoutHalt(db: Db | Tx): Promise<PayoutHalt | undefined> {
  const { rows } = await sql<PayoutHalt>`
    select id, started_at, findings, found_at, clean_at from payout_halts where ended_at is null`.execute(db)
  return rows[0]
}

/** Since when withdrawals are neither approved nor paid, because the books differ or operators have paused them. */
export const pausedSince = sql<Date | null>`
  least((select started_at from payout_halts where ended_at is null), ${sql.raw(WITHDRAWALS_PAUSED_SQL)})`

/** Returns since when payouts are paused; null while they run. */
export async function payoutsPausedSince(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`select ${pausedSince} as since`.execute(db)
  return first(rows).since
}

/** Returns the halts of payouts that began since a time, newest first. */
export async function payoutHaltsSince(
  db: Db,
  since: Ms,
  limit: number,
): Promise<{ started_at: Date; ended_at: Date | null }[]> {
  const { rows } = await sql<{ started_at: Date; ended_at: Date | null }>`
    select started_at, ended_at from payout_halts where started_at >= ${new Date(since)} order by id desc limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Halts payouts, or updates why they are halted. Returns whether they ran until now. */
export function haltPayouts(db: Db, findings: readonly BookDifference[]): Promise<boolean> {
  const text = JSON.stringify(findings)
  return inTransaction(db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('payout_halts')
      .set({ findings: text, found_at: sql<Date>`clock_timestamp()`, clean_at: null })
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) return false
    const { rows } = await sql`
      insert into payout_halts (findings) values (${text}) on conflict do nothing returning 1`.execute(tx)
    return rows.length === 1
  })
}

/** Notes that the books agree again. Payouts stay halted until two operators resume them. */
export async function noteCleanBooks(db: Db): Promise<void> {
  await sql`update payout_halts set clean_at = clock_timestamp() where ended_at is null and clean_at is null`.execute(
    db,
  )
}

/** Locks the open halt, so that no reconciliation changes it meanwhile. */
async function lockPayoutHalt(tx: Tx, id: bigint): Promise<Pick<PayoutHalt, 'id' | 'clean_at'> | undefined> {
  const { rows } = await sql<Pick<PayoutHalt, 'id' | 'clean_at'>>`
    select id, clean_at from payout_halts where id = ${id} and ended_at is null for update`.execute(tx)
  return rows[0]
}

/** Ends a halt; the database accepts it only with an approved resumption in the same transaction. */
export async function resumePayouts(tx: Tx, id: bigint): Promise<void> {
  const halt = await lockPayoutHalt(tx, id)
  if (!halt) throw new Problem('wrong_state', 'Payouts have already been resumed.')
  refuseStandingDifference(halt)
  await tx.updateTable('payout_halts').set({ ended_at: sql<Date>`clock_timestamp()` }).where('id', '=', id).execute()
}

/** Throws while the books still differ. */
export function refuseStandingDifference({ clean_at }: Pick<PayoutHalt, 'clean_at'>): void {
  if (clean_at === null)
    throw new Problem(
      'wrong_state',
      "The books still don't agree. Correct the named rows; the next reconciliation checks them.",
    )
}

/** Throws `payouts_halted` to an operator during a halt. A halt that begins now waits for this transaction. */
export async function refusePayoutHalt(tx: Tx): Promise<void> {
  const { rows } = await sql<{ halted: boolean }>`select payouts_halted() as halted`.execute(tx)
  if (first(rows).halted)
    throw new Problem(
      'payouts_halted',
      'Payouts are halted: operators have paused withdrawals (see Emergency), or the books differ (see Reconciliation). You can still reject withdrawals.',
    )
}
