import type { TradeSide } from '#contract/trading/trading.ts'
import type { Bus } from '../platform/bus/index.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { startLoop } from '../platform/process/loop.ts'
import type { Instruments } from '../prices/index.ts'
import type { LaneRooms } from '../trading/index.ts'
import { factorRoom, isOfOneFactor, roomsOf, symbolRoom } from './room-numbers.ts'
import { FACTORS } from './shocks.ts'

/** A hint: a lane has no room for an order, or has begun. */
export interface RiskTopics {
  'room-wanted': null
  /** An operator has set other limits. */
  'risk-limits-changed': null
}

const SEEN_EVERY_MS = 30_000
/** Changed limits are read at once. This interval is for hints that were lost. */
const LIMITS_EVERY_MS = 5_000

interface LanesDeps {
  db: Db
  log: Log
  bus: Bus<RiskTopics>
  instruments: Pick<Instruments, 'byId' | 'current'>
  count: number
}

/** Opens this node's lanes: each has its own part of the room for real trades, so that none waits for another. */
export async function openLaneRooms(deps: LanesDeps): Promise<LaneRooms & { stop(): Promise<void> }> {
  const { db, log, bus, instruments, count } = deps
  const { rows } = await sql<{ lane: number }>`
    select nextval('risk_lane_numbers')::int as lane from generate_series(1, ${count})`.execute(db)
  const lanes = rows.map(({ lane }) => lane)

  /** Shows that the lanes are in use; gives them rooms if they have none, as after a minute without the database. */
  async function beSeen(): Promise<void> {
    const { rows: seen } = await sql<{ isNew: boolean }>`
      insert into risk_lanes (lane) select unnest(${lanes}::int[])
      on conflict (lane) do update set seen_at = clock_timestamp() returning xmax = 0 as "isNew"`.execute(db)
    if (!seen.some(({ isNew }) => isNew)) return
    const all = FACTORS.flatMap((factor) => [factorRoom(factor, 'up'), factorRoom(factor, 'down')])
    await sql`
      insert into risk_rooms (lane, room) select l, r from unnest(${lanes}::int[]) l, unnest(${all}::int[]) r
      on conflict do nothing`.execute(db)
    bus.publish('room-wanted', null)
  }
  /** The names with a limit, and the symbols that no room of a factor limits. */
  const namesWithRooms = async () =>
    new Set([
      ...(await limitedNames(db)),
      ...instruments
        .current()
        .filter(isOfOneFactor)
        .map(({ symbol }) => symbol),
    ])
  /** Gives the lanes rooms for those of the names that are symbols. */
  async function addRooms(names: ReadonlySet<string>): Promise<void> {
    const rooms = instruments
      .current()
      .flatMap(({ id, symbol }) => (names.has(symbol) ? [symbolRoom(id, 'up'), symbolRoom(id, 'down')] : []))
    if (rooms.length === 0) return
    await sql`
      insert into risk_rooms (lane, room) select l, r from unnest(${lanes}::int[]) l, unnest(${rooms}::int[]) r
      on conflict do nothing`.execute(db)
    bus.publish('room-wanted', null)
  }

  await beSeen()
  let limited = await namesWithRooms()
  await addRooms(limited)
  const limits = startLoop('risk limits', LIMITS_EVERY_MS, log, async () => {
    const names = await namesWithRooms()
    const added = new Set([...names].filter((name) => !limited.has(name)))
    // Orders take room there only once the lanes have some.
    if (added.size > 0) await addRooms(added)
    limited = names
  })
  bus.subscribe('risk-limits-changed', limits.wake)
  const seen = startLoop('lanes of acceptance', SEEN_EVERY_MS, log, beSeen)

  const asking = openAsking(deps)
  return {
    lanes,
    roomsOf(symbolId: number, side: TradeSide) {
      const instrument = instruments.byId(symbolId)
      return instrument ? roomsOf(instrument, side, limited.has(instrument.symbol)) : []
    },
    ask: asking.ask,
    async stop() {
      await Promise.all([seen.stop(), limits.stop()])
      await asking.ended()
      await sql`delete from risk_lanes where lane = any (${lanes}::int[])`.execute(db).catch(() => undefined)
    },
  }
}

/** Asks the engine for room: what was asked for while a statement is in flight is the next one. */
function openAsking({ db, log, bus }: LanesDeps): Pick<LaneRooms, 'ask'> & { ended(): Promise<void> } {
  const asked = new Map<string, { lane: number; room: number; profit: bigint }>()
  let asking: Promise<void> | undefined

  async function askAll(): Promise<void> {
    while (asked.size > 0) {
      const all = [...asked.values()]
      asked.clear()
      try {
        // A lane that the engine took for gone, after a jump of the clock or a long stop, is back at once.
        await sql`
          with back as (
            insert into risk_lanes (lane) select distinct unnest(${all.map(({ lane }) => lane)}::int[]) on conflict do nothing
          )
          insert into risk_rooms as r (lane, room, wanted)
          select * from unnest(${all.map(({ lane }) => lane)}::int[], ${all.map(({ room }) => room)}::int[],
            ${all.map(({ profit }) => profit)}::bigint[])
          on conflict (lane, room) do update set wanted = excluded.wanted where r.wanted < excluded.wanted`.execute(db)
        bus.publish('room-wanted', null)
      } catch (error) {
        // The order is tried again, and asks again.
        log.warn({ error: String(error) }, 'could not ask for room')
      }
    }
    asking = undefined
  }

  return {
    ask(lane, room, profit) {
      const name = `${lane} ${room}`
      const before = asked.get(name)
      if (!before || before.profit < profit) asked.set(name, { lane, room, profit })
      asking ??= askAll()
    },
    async ended() {
      await asking
    },
  }
}

/** Returns the factors and symbols that have a limit. */
async function limitedNames(db: Db): Promise<Set<string>> {
  const rows = await db.selectFrom('risk_limits').select('name').execute()
  return new Set(rows.map(({ name }) => name))
}
