import { must } from '#kernel/must.ts'
import { type Db, inTransaction, sql } from '../platform/database/db.ts'
import type { Instruments } from '../prices/index.ts'
import type { AlertsDeps } from './deps.ts'
import type { Fire } from './terms.ts'
import { newsOf } from './words.ts'

interface Due {
  id: bigint
  user_id: bigint
  place: bigint
}

/**
 * Writes that alerts have fired, with their notifications, in one transaction. Each fires once, whichever engine comes
 * first: those that fired already, were armed by other terms meanwhile, or are gone, are left out. Returns how many
 * fired.
 */
export function writeFires(
  { db, notices, instruments }: Pick<AlertsDeps, 'notices'> & { db: Db; instruments: Instruments },
  fires: readonly Fire[],
): Promise<number> {
  const alerts = fires.map(({ alert }) => alert)
  return inTransaction(db, async (tx) => {
    // In the order of their keys: two engines that write the same never wait for each other in a circle.
    const { rows: due } = await sql<Due>`
      select a.id, a.user_id, f.place from alerts a
      join unnest(${alerts.map(({ userId }) => userId)}::bigint[], ${alerts.map(({ id }) => id)}::bigint[],
        ${alerts.map(({ arming }) => arming)}::int[]) with ordinality f(user_id, id, arming, place)
        on f.user_id = a.user_id and f.id = a.id and f.arming = a.arming
      where a.fired_at is null order by a.user_id, a.id for no key update of a`.execute(tx)
    if (due.length === 0) return 0
    const fired = due.map(({ place }) => must(fires[Number(place) - 1]))
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
    return due.length
  })
}
