import type { Db } from '../platform/database/db.ts'
import { type KindChange, TicksDropped } from '../prices/index.ts'
import { outcomeOnTape, type ReplayVerdict, replayAll, type TickReader } from '../trading/index.ts'
import { DROPPED, termsOf } from './judge.ts'
import type { SignalRow } from './record.ts'

/** Judges every settled signal again from the tape, and returns the first whose stored outcome differs (S3). */
export function replaySignals(
  db: Db,
  openTicks: () => TickReader,
  progress?: (looked: number) => void,
): Promise<ReplayVerdict> {
  return replayAll({
    db,
    openTicks,
    read: (after, limit) =>
      db
        .selectFrom('signals')
        .selectAll()
        .where('n', '>', after)
        .where('status', '<>', 'Pending')
        .orderBy('n')
        .limit(limit)
        .execute(),
    numberOf: (row) => row.n,
    difference,
    progress,
  })
}

async function difference(
  row: SignalRow,
  readTicks: TickReader,
  kinds: readonly KindChange[],
): Promise<string | undefined> {
  const { status, reason, entry, exit } = await outcomeOnTape(termsOf(row), row.symbol_id, readTicks, kinds)
  if (row.outcome_reason === DROPPED) throw new TicksDropped()
  const isSame =
    row.status === status &&
    row.outcome_reason === reason &&
    row.entry_seq === (entry?.seq ?? null) &&
    row.entry_price === (entry?.price ?? null) &&
    row.exit_seq === (exit?.seq ?? null) &&
    row.exit_price === (exit?.price ?? null)
  return isSame ? undefined : `is ${row.status}, but the tape gives ${status}`
}
