import { randomBytes } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import { type Db, sql } from '../platform/db.ts'
import type { Bar } from './candles.ts'
import { Reader } from './frame.ts'
import type { Instrument, Instruments } from './instruments.ts'
import { fold, unfold, Writer } from './pack.ts'
import { createSimulation, legOf, type Simulation } from './simulation.ts'

/** How far back the simulated history goes. */
export const HISTORY_MS = 2 * DAY_MS
/** How much is generated between two pauses for other work (about 5 ms). */
const SECONDS_AT_ONCE = 500

/** The simulated past of one symbol. */
export interface History {
  /** Start of the minute of the symbol's first tick: the tape's candles begin here. */
  until: Ms
  seed: Buffer
  /** Price of its first tick; undefined while there is none. The history ends at exactly this price. */
  endUnits: number | undefined
  minutes: Bar[]
}

/**
 * Gives every symbol two days of simulated candles before its first tick, so that no chart is empty; those of symbols
 * without a tick yet are regenerated when the first one comes. Returns the number of symbols done.
 */
export async function makeHistory(db: Db, instruments: Instruments, now: Ms): Promise<number> {
  const { rows } = await sql<{ id: number; known: boolean; first_ms: bigint | null; first_price: bigint | null }>`
    select i.id, h.symbol_id is not null as known, coalesce(c.minute, t.source_ms) as first_ms, coalesce(c.open, t.price) as first_price
    from instruments i left join simulated_history h on h.symbol_id = i.id
      left join lateral (select minute, open from candles where symbol_id = i.id order by minute limit 1) c on true
      left join lateral (select source_ms, price from ticks where symbol_id = i.id order by source_ms limit 1) t on true
    where h.price is null`.execute(db)
  const wanted = rows.filter((row) => row.first_price !== null || !row.known)
  // Histories that end together are generated together, from one seed, so that crosses agree in the past too.
  const groups = Map.groupBy(wanted, (row) => startOf(Number(row.first_ms ?? BigInt(now)), MINUTE_MS))
  for (const [until, group] of groups) {
    const seed = randomBytes(32)
    const symbols = group.flatMap((row) => {
      const instrument = instruments.byId(row.id)
      const pair = instrument && pairOf(instrument)
      return pair ? [{ row, ...pair }] : []
    })
    const made = await minutesBefore(
      seed,
      until,
      symbols.map(({ row, pair, scale }) => ({
        pair,
        scale,
        endUnits: row.first_price === null ? undefined : Number(row.first_price),
      })),
    )
    for (const [i, { row }] of symbols.entries()) {
      await sql`insert into simulated_history (symbol_id, until, price, seed, packed)
        values (${row.id}, ${until}, ${row.first_price}, ${seed}, ${packMinutes(made[i]!)})
        on conflict (symbol_id) do update set until = excluded.until, price = excluded.price, seed = excluded.seed, packed = excluded.packed
        where simulated_history.price is null`.execute(db)
    }
  }
  return wanted.length
}

export async function readHistory(db: Db, symbolId: number): Promise<History | undefined> {
  const row = await db.selectFrom('simulated_history').selectAll().where('symbol_id', '=', symbolId).executeTakeFirst()
  if (!row) return undefined
  const until = Number(row.until)
  return {
    until,
    seed: row.seed,
    endUnits: row.price === null ? undefined : Number(row.price),
    minutes: unpackMinutes(row.packed, until),
  }
}

/**
 * Returns `[time, units]` for each second of [from, to], as far as the history reaches; its one-minute candles agree.
 * Yields to other work, since an hour takes tens of milliseconds and anyone may request it.
 */
export async function historySeconds(
  history: History,
  instrument: Instrument,
  from: Ms,
  to: Ms,
): Promise<[Ms, number][]> {
  const found = pairOf(instrument)
  if (!found) return []
  const simulation = createSimulation(history.seed)
  const priceAt = pricing(simulation, history.until, { ...found, endUnits: history.endUnits })
  const points: [Ms, number][] = []
  const begin = Math.max(startOf(from, SECOND_MS), history.until - HISTORY_MS)
  for (let time = begin; time <= Math.min(to, history.until); time += SECOND_MS) {
    points.push([time, priceAt(time)])
    if (points.length % SECONDS_AT_ONCE === 0) await breathe()
  }
  return points
}

type Pair = [base: number, quote: number]

function pairOf({ base, quote, scale }: Instrument): { pair: Pair; scale: number } | undefined {
  const of = legOf(base)
  const against = legOf(quote)
  return of === undefined || against === undefined ? undefined : { pair: [of, against], scale }
}

interface Wanted {
  pair: Pair
  scale: number
  endUnits: number | undefined
}

/** Returns the price of a pair at a time, shifted as a whole so that it ends at the required price. */
function pricing(simulation: Simulation, until: Ms, { pair: [base, quote], scale, endUnits }: Wanted) {
  const end = simulation.legsAt(until)
  const natural = (end[base]! / end[quote]!) * 10 ** scale
  const factor = (endUnits === undefined ? 1 : endUnits / natural) * 10 ** scale
  return (time: Ms): number => {
    const legs = simulation.legsAt(time)
    return Math.max(1, Math.round((legs[base]! / legs[quote]!) * factor))
  }
}

/**
 * Generates one-minute candles up to `until`, for all symbols in one pass. A second's close is the next one's open: no
 * jumps.
 */
async function minutesBefore(seed: Buffer, until: Ms, wanted: Wanted[]): Promise<Bar[][]> {
  const simulation = createSimulation(seed)
  const prices = wanted.map((one) => pricing(simulation, until, one))
  const made = wanted.map((): Bar[] => [])
  const from = until - HISTORY_MS
  for (let time = from, count = 0; time <= until; time += SECOND_MS, count++) {
    if (count % SECONDS_AT_ONCE === SECONDS_AT_ONCE - 1) await breathe()
    const opens = time % MINUTE_MS === 0
    for (let i = 0; i < prices.length; i++) {
      const units = prices[i]!(time)
      const bars = made[i]!
      const last = bars.at(-1)
      if (last) {
        if (units > last[2]) last[2] = units
        if (units < last[3]) last[3] = units
        last[4] = units
      }
      if (opens && time < until) bars.push([time, units, units, units, units])
    }
  }
  return made
}

function packMinutes(bars: readonly Bar[]): Buffer {
  const writer = new Writer()
  let before = 0
  for (const [, open, high, low, close] of bars) {
    writer.put(fold(open - before))
    writer.put(high - open)
    writer.put(open - low)
    writer.put(fold(close - open))
    before = close
  }
  return Buffer.from(writer.bytes())
}

function unpackMinutes(packed: Buffer, until: Ms): Bar[] {
  const reader = new Reader(packed)
  const bars: Bar[] = []
  let before = 0
  for (let time = until - HISTORY_MS; time < until; time += MINUTE_MS) {
    const open = before + unfold(reader.varint())
    const high = open + reader.varint()
    const low = open - reader.varint()
    before = open + unfold(reader.varint())
    bars.push([time, open, high, low, before])
  }
  return bars
}
