import { expect, test } from 'vitest'
import { testDatabase } from '#tests/support/servers/database.ts'
import { sql } from '../../platform/database/db.ts'
import { afterBusinessDays, afterBusinessDaysSql } from './business-days.ts'

const later = (start: string, days: number) => new Date(afterBusinessDays(Date.parse(start), days)).toISOString()

test.each([
  // 2026-11-16 is a Monday.
  ['2026-11-16T10:00:00.000Z', 1, '2026-11-17T10:00:00.000Z'],
  ['2026-11-16T10:00:00.000Z', 5, '2026-11-23T10:00:00.000Z'],
  ['2026-11-20T23:59:59.999Z', 1, '2026-11-23T23:59:59.999Z'],
  ['2026-11-20T10:00:00.000Z', 5, '2026-11-27T10:00:00.000Z'],
  ['2026-11-21T00:00:00.000Z', 1, '2026-11-23T00:00:00.000Z'],
  ['2026-11-22T12:00:00.000Z', 1, '2026-11-23T12:00:00.000Z'],
  ['2026-11-22T12:00:00.000Z', 5, '2026-11-27T12:00:00.000Z'],
  ['2026-12-31T08:00:00.000Z', 1, '2027-01-01T08:00:00.000Z'],
  ['2028-02-28T08:00:00.000Z', 2, '2028-03-01T08:00:00.000Z'],
])('%s plus %d business days is %s', (start, days, end) => {
  expect(later(start, days)).toBe(end)
})

test('always ends on a business day, after the right number of them', () => {
  for (let hour = 0; hour < 24 * 14; hour++) {
    const start = Date.parse('2026-11-16T00:30:00Z') + hour * 3_600_000
    for (const days of [1, 5]) {
      const end = afterBusinessDays(start, days)
      expect([0, 6]).not.toContain(new Date(end).getUTCDay())
      let counted = 0
      for (let at = start + 86_400_000; at <= end; at += 86_400_000)
        if (![0, 6].includes(new Date(at).getUTCDay())) counted++
      expect(counted).toBe(days)
    }
  }
})

test('the database adds the same', async () => {
  const { db } = await testDatabase()
  for (const days of [1, 2, 5, 7]) {
    const { rows } = await sql<{ at: Date; due: Date }>`
      select at, ${sql.raw(afterBusinessDaysSql('at', days))} as due
      from generate_series(timestamptz '2026-11-16 00:30Z', '2026-11-29 23:30Z', interval '1 hour') at`.execute(db)
    expect(rows.map(({ due }) => due.toISOString())).toEqual(
      rows.map(({ at }) => new Date(afterBusinessDays(at.getTime(), days)).toISOString()),
    )
  }
})
