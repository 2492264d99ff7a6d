import { HOUR_MS, type Ms } from '#kernel/time.ts'
import { type ZoneRules, zoneNamed, zoneRules } from '#kernel/zone.ts'

/** Returns the rules of zones around a time: what the statements of reserve.sql.ts add to a signal's time. */
export const zonesOf = (names: readonly string[], time: Ms): (ZoneRules & { name: string })[] =>
  names.flatMap((name) => {
    const zone = zoneNamed(name)
    return zone === undefined ? [] : { name, ...zoneRules(zone, time - HOUR_MS, time + HOUR_MS) }
  })
