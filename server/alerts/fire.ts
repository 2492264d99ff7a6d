import { must } from '#kernel/must.ts'
import { type Db, inTransaction, sql } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import type { Fire } from './conditions/terms.ts'
import type { AlertsDeps } from './deps.ts'
import { newsOf } from './words.ts'

interface Due {
  id: bigint
  user_id: bigint
  place: bigint
  /** It is locked here, and by nobody else. */
  mine: boolean
}

/**
 * Writes that alerts have fired, with their notifications, in one transaction. Each fires once, whichever engine comes
 * first: those that fired already, were armed by other terms meanwhile, or are gone, are left out. Returns those that
 * another transaction has locked: waiting for one would hold back all others.
 */
export function writeFires(
  { db, notices, instruments }: Pick<AlertsDeps, 'notices'> & { db: Db; instruments: Instruments },
  fires: readonly Fire[],
): Promise<Fire[]> {
  const alerts = fires.map(({ alert }) => alert)
  return inTransaction(db, async (tx) => {
    // In the order of their keys: two engines that write the same never wait for each other in a circle.
    const { rows: found } = await sql<Due>`
      with named as materialized (
        select * from unnest(${alerts.map(({ userId }) => userId)}::bigint[], ${alerts.map(({ id }) => id)}::bigint[],
          ${alerts.map(({ arming }) => arming)}::int[]) with ordinality n(user_id, id, arming, place)
      ), mine as materialized (
        select a.user_id, a.id from alerts a join named n using (user_id, id, arming)
        where a.fired_at is null order by a.user_id, a.id for no key update of a skip locked
      )
      select a.id, a.user_id, n.place, m.id is not null as mine from alerts a join named n using (user_id, id, arming)
      left join mine m using (user_id, id) where a.fired_at is null order by a.user_id, a.id`.execute(tx)
    const fireOf = ({ place }: Due) => must(fires[Number(place) - 1])
    const due = found.filter(({ mine }) => mine)
    const busy = found.filter(({ mine }) => !mine).map(fireOf)
    if (due.length === 0) return busy
    const fired = due.map(fireOf)
    const noticeIds = await notices.writeEach(
      tx,
      due.map(({ user_id: userId }, at) => {
        const fire = must(fired[at])
        const scale = must(instruments.bySymbol(fire.alert.symbol)).scale
        return { userId, ...newsOf(fire, scale) }
      }),
      { kind: 'alert', path: '/user/alerts' },
    )
    await sql`
      update alerts a set fired_at = clock_timestamp(), fired_price = f.price, fired_seq = f.seq, fired_ms = f.ms,
        fired_value = f.value, notice_id = f.notice
      from unnest(${due.map((one) => one.user_id)}::bigint[], ${due.map(({ id }) => id)}::bigint[], ${fired.map(({ tick }) => tick.units)}::bigint[],
        ${fired.map(({ tick }) => tick.seq)}::bigint[], ${fired.map(({ tick }) => tick.sourceMs)}::bigint[],
        ${fired.map(({ value }) => value ?? null)}::double precision[], ${noticeIds}::bigint[])
        as f(user_id, id, price, seq, ms, value, notice)
      where a.user_id = f.user_id and a.id = f.id`.execute(tx)
    return busy
  })
}
