import { type ZoneRules, zoneRules } from '#kernel/zone.ts'
import { sql } from '../../platform/database/db.ts'

/** No trade is older, and none that ends later is counted by this node. */
const FROM = Date.UTC(2020, 0)
const UNTIL = Date.UTC(2046, 0)

/** By the usual name of the zone, so there are a few hundred at most. */
const known = new Map<string, ZoneRules>()

function rulesOf(zone: string): ZoneRules {
  const rules = known.get(zone) ?? zoneRules(zone, FROM, UNTIL)
  known.set(zone, rules)
  return rules
}

/** SQL: the local time of a column's Unix ms in a zone, as ms since 1970-01-01 00:00 there. */
export function localSql(column: string, zone: string) {
  const { starts, offsets } = rulesOf(zone)
  const time = sql.raw(column)
  return sql<bigint>`(${time} + (${offsets}::bigint[])[greatest(1, width_bucket(${time}, ${starts}::bigint[]))])`
}

/** SQL: the hour of a local time, 0 to 23. */
export const hourSql = (local: ReturnType<typeof sql>) => sql<number>`(${local} / 3600000 % 24)`
/** SQL: the day of the week of a local time; 0 is Monday. 1970-01-01 was a Thursday. */
export const weekdaySql = (local: ReturnType<typeof sql>) => sql<number>`((${local} / 86400000 + 3) % 7)`
