import { expect, onTestFinished, test } from 'vitest'
import { connectTo, type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { type Db, sql } from '../database/db.ts'
import { createLog } from './log.ts'
import { leaseNodeNumber } from './node-number.ts'

const log = createLog('silent')
async function lease(db: Db, options?: Parameters<typeof leaseNodeNumber>[2]) {
  const number = await leaseNodeNumber(db, log, options)
  onTestFinished(() => number.stop())
  return number
}

/** The sequence proposes this number next. */
async function next({ superUrl }: TestDatabase, number: number): Promise<void> {
  const client = await connectTo(superUrl)
  await client.query("select setval('node_numbers', $1, false)", [number])
  await client.end()
}

test('no two running processes have the same number, also after 1,024 starts', async () => {
  const database = await testDatabase()
  const { db } = database
  const [first, second] = [await lease(db), await lease(db)]
  expect(second.current()).not.toBe(first.current())
  await next(database, first.current())
  const third = await lease(db)
  expect([first.current(), second.current()]).not.toContain(third.current())
  // The last number is followed by the first.
  await next(database, 1_023)
  const [last, again] = [await lease(db), await lease(db)]
  expect(last.current()).toBe(1_023)
  expect([first, second, third].map((number) => number.current())).not.toContain(again.current())
})

test('a number is free again when its process stops, or no longer renews its lease', async () => {
  const database = await testDatabase()
  const { db } = database
  const stopped = await lease(db)
  const number = stopped.current()
  await stopped.stop()
  await next(database, number)
  const holder = await lease(db)
  expect(holder.current()).toBe(number)
  await sql`update node_leases set until = clock_timestamp() - interval '1 second'`.execute(db)
  await next(database, number)
  const heir = await lease(db)
  expect(heir.current()).toBe(number)
  // The process before it doesn't take it away again when it stops.
  await holder.stop()
  const { rows } = await sql<{ number: number }>`select number from node_leases`.execute(db)
  expect(rows).toEqual([{ number }])
})

test('a process that could not renew its lease makes no ids, and gets another number', async () => {
  const { db } = await testDatabase()
  const cut = await lease(db, { leaseMs: 600, renewMs: 900 })
  const number = cut.current()
  await expect.poll(() => cutOff(cut)).toBe('unavailable')
  await sql`update node_leases set holder = gen_random_uuid(), until = clock_timestamp() + interval '1 hour'`.execute(
    db,
  )
  await expect.poll(() => cutOff(cut)).not.toBe('unavailable')
  expect(cut.current()).not.toBe(number)
})

function cutOff(number: { current(): number }): number | string {
  try {
    return number.current()
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a lease that is renewed stays', async () => {
  const { db } = await testDatabase()
  const kept = await lease(db, { leaseMs: 2_000, renewMs: 200 })
  const number = kept.current()
  const until = async () => (await sql<{ until: Date }>`select until from node_leases`.execute(db)).rows[0]!.until
  const first = await until()
  await expect.poll(until).not.toEqual(first)
  expect(kept.current()).toBe(number)
})
