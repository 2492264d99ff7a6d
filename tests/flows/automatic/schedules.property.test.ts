import fc from 'fast-check'
import { CompiledQuery } from 'kysely'
import { expect, test } from 'vitest'
import { isScheduled } from '#kernel/schedule.ts'
import { HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { zoneOffset, zoneRules } from '#kernel/zone.ts'
import { localSql, scheduledSql, ZONES } from '#server/automatic/reservations/reserve.sql.ts'
import { zonesOf } from '#server/automatic/reservations/zones.ts'
import { SEED } from '#tests/support/property.ts'
import { testDatabase } from '#tests/support/servers/database.ts'

/** Zones with and without summer time, with odd offsets, and on both ends of the day. */
const NAMES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Kathmandu'],
  ...['Pacific/Chatham', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Africa/Casablanca'],
]
const YEAR = { from: Date.UTC(2026, 0), to: Date.UTC(2027, 0) }

/** Any time of a year, often within an hour of a change of the zone's clocks. */
const moments = fc.constantFrom(...NAMES).chain((zone) => {
  const changes = zoneRules(zone, YEAR.from, YEAR.to).starts
  const any = fc.integer({ min: YEAR.from, max: YEAR.to })
  const nearChange = fc
    .tuple(fc.constantFrom(...changes), fc.integer({ min: -HOUR_MS, max: HOUR_MS }))
    .map(([change, offset]) => change + offset)
  return fc.record({ zone: fc.constant(zone), time: fc.oneof(any, nearChange) })
})
const schedules = fc
  .record({
    days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
    fromHour: fc.integer({ min: 0, max: 23 }),
    toHour: fc.integer({ min: 1, max: 24 }),
  })
  .filter(({ fromHour, toHour }) => fromHour !== toHour)

test('SQL and TypeScript agree whether a time is within days and hours of a zone', async () => {
  const database = await testDatabase()
  process.stdout.write(`schedules are drawn with SEED=${SEED}\n`)
  const cases = fc.sample(fc.record({ moment: moments, schedule: schedules }), { seed: SEED, numRuns: 2_000 })
  const decided = new Set<boolean>()
  // As in the engine: rules from an hour before to an hour after the round, here of all cases of ten minutes.
  for (const [start, some] of Map.groupBy(cases, ({ moment }) => Math.floor(moment.time / (10 * MINUTE_MS)))) {
    const rows = some.map(({ moment, schedule }, at) => ({
      at,
      name: moment.zone,
      time: moment.time,
      days: schedule.days.reduce((bits, day) => bits | (1 << day), 0),
      from_hour: schedule.fromHour,
      to_hour: schedule.toHour,
    }))
    const { rows: found } = await database.db.executeQuery<{ is_in: boolean }>(
      CompiledQuery.raw(
        `with zones as (${ZONES})
         select ${scheduledSql(localSql('a.time'))} as is_in
         from jsonb_to_recordset($1::jsonb) as a(at int, name text, time bigint, days int, from_hour int, to_hour int)
         join zones z using (name) order by a.at`,
        [JSON.stringify(rows), JSON.stringify(zonesOf(NAMES, start * 10 * MINUTE_MS))],
      ),
    )
    const expected = some.map(({ moment: { zone, time }, schedule }) =>
      isScheduled(schedule, time + zoneOffset(zone, time)),
    )
    expect(found.map(({ is_in }) => is_in)).toEqual(expected)
    for (const one of expected) decided.add(one)
  }
  expect([...decided].sort(), 'both answers were given').toEqual([false, true])
})
