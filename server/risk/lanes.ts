import type { TradeSide } from '#contract/trading.ts'
import type { Bus } from '../platform/bus/index.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { startLoop } from '../platform/process/loop.ts'
import type { Instruments } from '../prices/index.ts'
import type { LaneRooms } from '../trading/index.ts'
import { factorRoom, roomsOf, symbolRoom } from './room-numbers.ts'
import { FACTORS } from './shocks.ts'

/** A hint: a lane has no room for an order, or has begun. */
export interface RiskTopics {
  'room-wanted': null
}

const SEEN_EVERY_MS = 30_000

/** Opens this node's lanes: each has its own part of the room for real trades, so that none waits for another. */
export async function openLaneRooms({
  db,
  log,
  bus,
  instruments,
  count,
}: {
  db: Db
  log: Log
  bus: Bus<RiskTopics>
  instruments: Pick<Instruments, 'current' | 'byId'>
  count: number
}): Promise<LaneRooms & { stop(): Promise<void> }> {
  const { rows } = await sql<{ lane: number }>`
    select nextval('risk_lane_numbers')::int as lane from generate_series(1, ${count})`.execute(db)
  const lanes = rows.map(({ lane }) => lane)

  /** Shows that the lanes are in use; gives them rooms if they have none, as after a minute without the database. */
  async function beSeen(): Promise<void> {
    const { rows: seen } = await sql<{ isNew: boolean }>`
      insert into risk_lanes (lane) select unnest(${lanes}::int[])
      on conflict (lane) do update set seen_at = clock_timestamp() returning xmax = 0 as "isNew"`.execute(db)
    if (!seen.some(({ isNew }) => isNew)) return
    const directions = ['up', 'down'] as const
    const all = directions.flatMap((direction) => [
      ...FACTORS.map((factor) => factorRoom(factor, direction)),
      ...instruments.current().flatMap(({ id, tradingType }) => (tradingType ? symbolRoom(id, direction) : [])),
    ])
    await sql`
      insert into risk_rooms (lane, room) select l, r from unnest(${lanes}::int[]) l, unnest(${all}::int[]) r
      on conflict do nothing`.execute(db)
    bus.publish('room-wanted', null)
  }
  await beSeen()
  const seen = startLoop('lanes of acceptance', SEEN_EVERY_MS, log, beSeen)

  const asked = new Map<string, { lane: number; room: number; profit: bigint }>()
  let asking: Promise<void> | undefined
  async function askAll(): Promise<void> {
    while (asked.size > 0) {
      const all = [...asked.values()]
      asked.clear()
      try {
        await sql`
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
    lanes,
    roomsOf(symbolId: number, side: TradeSide) {
      const instrument = instruments.byId(symbolId)
      return instrument ? roomsOf(instrument, side) : []
    },
    ask(lane, room, profit) {
      const name = `${lane} ${room}`
      const before = asked.get(name)
      if (!before || before.profit < profit) asked.set(name, { lane, room, profit })
      asking ??= askAll()
    },
    async stop() {
      await seen.stop()
      await asking
      await sql`delete from risk_lanes where lane = any (${lanes}::int[])`.execute(db).catch(() => undefined)
    },
  }
}
