import type { Sender } from '../store.ts'

/**
 * Begins a new epoch of the tape if this database is not the one that wrote the last frame: PostgreSQL has recovered
 * from a backup since (its timeline differs), or the operator says so (`force`, for a plain copy, which leaves no
 * trace). Call it under the leader's lock, before the first frame. Returns the new epoch; undefined if the last one
 * continues.
 */
export async function beginEpoch(sender: Sender, force: boolean): Promise<number | undefined> {
  const { rows } = await sender.query<{ epoch: number }>(
    `with now as (
      select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline
    ), last as (
      select epoch, timeline from tape_epochs order by epoch desc limit 1
    ), begun as (
      insert into tape_epochs (epoch, after_frame, after_hash, timeline)
      select coalesce((select epoch from last), 0) + 1, head.number, head.hash, now.timeline
      from now, tape_head head
      where $1 or now.timeline is distinct from (select timeline from last)
      returning epoch
    ), raised as (
      update tape_head set epoch = begun.epoch from begun
    )
    select epoch from begun`,
    [force],
  )
  return rows[0]?.epoch
}
