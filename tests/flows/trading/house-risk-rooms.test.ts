import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { riskChecks } from '#server/invariants/checks/risk.ts'
import { grantPlayCapital } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { grantRooms, newMemory } from '#server/risk/grant-rooms.ts'
import { factorRoom } from '#server/risk/index.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'

const ROOM = factorRoom('BTC', 'up')
const BOUND = 5_000_000_000
let database: TestDatabase
let deps: Parameters<typeof grantRooms>[0]
beforeAll(async () => {
  database = await createTestDatabase()
  const instruments = await loadInstruments(database.db)
  deps = { db: database.db, instruments, tape: { latest: () => undefined }, production: false }
  await grantPlayCapital(database.db)
})
afterAll(() => database.drop())
beforeEach(async () => {
  await sql`delete from risk_lanes`.execute(database.db)
  await changeSettings(database.db, { loss_limits: [{ name: 'BTC', loss_max: null }] }, (tx) =>
    sql`delete from risk_limits`.execute(tx),
  )
})

const addLane = async (lane: number) => {
  await sql`insert into risk_lanes (lane) values (${lane})`.execute(database.db)
  await sql`insert into risk_rooms (lane, room) values (${lane}, ${ROOM})`.execute(database.db)
}
const want = (lane: number, cents: number) =>
  sql`update risk_rooms set wanted = ${cents} where lane = ${lane}`.execute(database.db)
const use = (lane: number, cents: number) =>
  sql`update risk_rooms set used = used + ${cents} where lane = ${lane} and granted - used >= ${cents}`.execute(
    database.db,
  )
const open = async () => {
  const { rows } = await sql<{ lane: number; open: number; wanted: number; left: number | null }>`
    select lane, (granted - used)::float8 as open, wanted::float8 as wanted, room_left::float8 as left from risk_rooms order by lane`.execute(
    database.db,
  )
  return rows
}
const broken = async () => {
  const rows = await Promise.all(riskChecks.map(({ sql: text }) => sql.raw(text).execute(database.db)))
  return rows.flatMap((one) => one.rows)
}

test('lanes share half of the equity', async () => {
  await addLane(1)
  await addLane(2)
  await grantRooms(deps, newMemory())
  expect(await open()).toMatchObject([{ open: BOUND / 2 }, { open: BOUND / 2 }])
  expect(await broken()).toEqual([])
})

test('a lane gets the room of another one for an order, and what all have too little for is answered', async () => {
  await addLane(1)
  await addLane(2)
  const memory = newMemory()
  await grantRooms(deps, memory)
  await want(2, BOUND - 10)
  while (await grantRooms(deps, memory));
  expect((await open())[1]).toMatchObject({ open: BOUND - 5, wanted: 0 })
  await want(1, BOUND + 1)
  await grantRooms(deps, memory)
  expect((await open())[0]).toMatchObject({ wanted: 0, left: BOUND })
  expect(await broken()).toEqual([])
})

test('engines that count at the same time, or take over from each other, never grant more than the bound', async () => {
  const lanes = [1, 2, 3, 4]
  for (const lane of lanes) await addLane(lane)
  const engines = Array.from({ length: 4 }, newMemory)
  for (let round = 0; round < 15; round++) {
    await Promise.all([
      ...engines.map((memory) => grantRooms(deps, memory)),
      ...lanes.map((lane) => want(lane, (BOUND / 5) * ((round + lane) % 5))),
      // Used without a trade: the count doesn't see it, as if its trades were hedged or over at once.
      use(1 + (round % 4), 1_000),
    ])
    const all = (await open()).reduce((sum, one) => sum + one.open, 0)
    expect(all).toBeLessThanOrEqual(BOUND)
  }
  expect(await broken()).toEqual([])
})

test('an engine that counted before another one granted writes nothing', async () => {
  await addLane(1)
  const between = await connectTo(database.superUrl)
  try {
    await between.query('begin')
    await between.query('update risk_count set round = round + 1')
    const late = grantRooms(deps, newMemory())
    const isWaiting = async () =>
      (
        await sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update risk_count%' and datname = current_database()`.execute(
          database.db,
        )
      ).rows.length
    await expect.poll(isWaiting).toBe(1)
    await between.query('commit')
    expect(await late, 'counts again').toBe(true)
    expect(await open()).toMatchObject([{ open: 0 }])
  } finally {
    await between.end()
  }
})

test('the room of a lane that nobody uses any more returns; its process was killed with it', async () => {
  await addLane(1)
  const memory = newMemory()
  await grantRooms(deps, memory)
  expect(await open()).toMatchObject([{ lane: 1, open: BOUND }])
  await sql`update risk_lanes set seen_at = now() - interval '3 minutes'`.execute(database.db)
  await addLane(2)
  await want(2, 100)
  while (await grantRooms(deps, memory));
  await grantRooms(deps, memory)
  expect(await open()).toMatchObject([{ lane: 2 }])
  await want(2, BOUND)
  while (await grantRooms(deps, memory));
  expect(await open()).toMatchObject([{ lane: 2, open: BOUND }])
})

test('a limit of one factor holds, and the database takes no use beyond a grant', async () => {
  await addLane(1)
  await changeSettings(database.db, { loss_limits: [{ name: 'BTC', loss_max: 5 }] }, (tx) =>
    sql`insert into risk_limits values ('BTC', 500)`.execute(tx),
  )
  await grantRooms(deps, newMemory())
  expect(await open()).toMatchObject([{ open: 500 }])
  await expect(sql`update risk_rooms set used = used + 501`.execute(database.db)).rejects.toThrow(/within_grant/)
})

test('verify names grants beyond the bound', async () => {
  await addLane(1)
  await grantRooms(deps, newMemory())
  await sql`update risk_rooms set granted = granted + 1`.execute(database.db)
  expect(await broken()).toMatchObject([{ room: ROOM }])
})

test('without capital, production has no room and its lanes know that real trading is closed', async () => {
  await addLane(1)
  const production = { ...deps, production: true }
  await grantRooms(production, newMemory())
  expect(await open()).toMatchObject([{ open: 0, left: -1 }])
  const client = await connectTo(database.superUrl)
  await client.query(`insert into capital_grace (until) values (now() + interval '1 day')`)
  await grantRooms(production, newMemory())
  expect((await open())[0]).toMatchObject({ left: null })
  expect((await open())[0]!.open, 'during the 30 days of an upgraded installation').toBeGreaterThan(BOUND)
  await client.query(`update capital_grace set until = now()`)
  await client.end()
  await grantRooms(production, newMemory())
  expect(await open()).toMatchObject([{ open: 0, left: -1 }])
})
