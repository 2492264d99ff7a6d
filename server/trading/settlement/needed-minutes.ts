import { first, must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { OLDEST_MS } from '../../prices/index.ts'
import { ENTRY_WITHIN_MS } from '../trade.ts'
import { idsWithin } from './remedies.ts'

/** Trades read by one statement: a fraction of a second, however many there are. */
const AT_ONCE = 50_000

/** Returns the minutes (Unix ms of their start) between two times whose ticks decided a trade. */
export async function neededMinutes(db: Db, from: Ms, to: Ms, atOnce = AT_ONCE): Promise<Set<Ms>> {
  const minutes = new Set<Ms>()
  const { above, below } = idsWithin(from, to + ENTRY_WITHIN_MS)
  for (const [range, begin] of above.entries()) {
    let after: bigint | null = begin
    while (after !== null) {
      const { rows } = await sql<{ last: bigint | null; minutes: bigint[] }>`
        with page as materialized (
          select id, trade_time, entry_time, exit_time, end_time,
            -- A sale also needs the frame that states its variance, and the price before its own.
            case when status = 'Sold' then exit_time - ${OLDEST_MS + 1}::bigint end as stated, sale_ordered_at - ${ENTRY_WITHIN_MS}::bigint as ordered
          from trades
          where id > ${after} and id <= ${must(below[range])} order by id limit ${atOnce}
        )
        select
          (select id from page order by id offset ${atOnce - 1} limit 1) as last,
          array(
            select distinct m.at / ${MINUTE_MS}::bigint * ${MINUTE_MS}::bigint
            from page, lateral (values (trade_time - ${ENTRY_WITHIN_MS}), (entry_time), (exit_time), (end_time), (stated), (ordered)) m(at)
            where m.at >= ${from} and m.at < ${to}
          ) as minutes`.execute(db)
      for (const minute of first(rows).minutes) minutes.add(Number(minute))
      // A full page: there may be another.
      after = first(rows).last
    }
  }
  return minutes
}
