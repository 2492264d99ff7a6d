import { randomBytes } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { must } from '#kernel/must.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import { kindOf, type VenueHistory } from '../feeds/feed.ts'
import { createSimulation, type LegPrices, legOf, type Simulation } from '../feeds/simulation.ts'
import type { Instrument, Instruments } from '../instruments/instruments.ts'
import { Reader } from '../tape/frames/frame.ts'
import { fold, unfold, Writer } from '../tape/frames/pack.ts'
import type { Bar } from './candles.ts'

/** How far back a history goes. */
const HISTORY_MS = 2 * DAY_MS
const LIVE = kindOf('live')
/** How much is generated between two pauses for other work (about 5 ms). */
const SECONDS_AT_ONCE = 500

/** The candles that charts show before a period of a symbol's tape. */
export interface History {
  symbolId: number
  /** Start of the period. */
  since: Ms
  /** Start of the minute in which the period starts: the history ends here. */
  until: Ms
  /** The venue whose own candles these are; undefined if they are simulated. */
  venue: string | undefined
}

/** A simulated history with everything that generates it. */
interface Simulated {
  minutes: Bar[]
  seed: Buffer
  /** Price of the period's first tick. The history ends at exactly this price. */
  endUnits: number
}

/** The newest period of a symbol that has no history yet. */
interface Bare {
  symbol_id: number
  since: bigint
  kind: number
  price: bigint
}

/**
 * Gives the newest period of every symbol its history, so that no chart is empty: two simulated days, or for live prices
 * the candles of a venue, as far as `venueHistory` has them. Returns how many it made, and how many are still missing.
 */
export async function makeHistory(
  db: Db,
  instruments: Instruments,
  venueHistory?: (instrument: Instrument, from: Ms, until: Ms) => Promise<VenueHistory | undefined>,
): Promise<{ made: number; missing: number }> {
  const { rows } = await sql<Bare>`
    select k.symbol_id, k.source_ms as since, k.kind, coalesce(t.price, c.open) as price
    from tape_kinds k left join ticks t using (symbol_id, source_ms)
      left join candles c on c.symbol_id = k.symbol_id and c.minute = k.source_ms / 60000 * 60000
    where k.source_ms = (select max(source_ms) from tape_kinds where symbol_id = k.symbol_id)
      and not exists (select from price_history h where h.symbol_id = k.symbol_id and h.since = k.source_ms)
      and coalesce(t.price, c.open) is not null`.execute(db)
  const [live, generated] = [rows.filter((row) => row.kind === LIVE), rows.filter((row) => row.kind !== LIVE)]
  // Histories that end together are generated together, from one seed, so that crosses agree in the past too.
  const groups = Map.groupBy(generated, (row) => startOf(Number(row.since), MINUTE_MS))
  for (const [until, group] of groups) await simulate(db, instruments, until, group)
  let missing = 0
  for (const row of live) {
    const until = startOf(Number(row.since), MINUTE_MS)
    const found = await venueHistory?.(must(instruments.byId(row.symbol_id)), until - HISTORY_MS, until)
    if (found) await keep(db, row, { ...found, minutes: found.minutes.filter(([time]) => time < until) })
    else missing++
  }
  return { made: rows.length - missing, missing }
}

async function simulate(db: Db, instruments: Instruments, until: Ms, group: readonly Bare[]): Promise<void> {
  const seed = randomBytes(32)
  const symbols = group.flatMap((row) => {
    const instrument = instruments.byId(row.symbol_id)
    const pair = instrument && pairOf(instrument)
    return pair ? [{ row, wanted: { ...pair, endUnits: Number(row.price) } }] : []
  })
  const made = await minutesBefore(
    seed,
    until,
    symbols.map(({ wanted }) => wanted),
  )
  for (const [i, { row, wanted }] of symbols.entries()) await keep(db, row, { ...wanted, seed, minutes: must(made[i]) })
}

async function keep(db: Db, { symbol_id, since }: Bare, made: VenueHistory | Simulated): Promise<void> {
  const of =
    'venue' in made
      ? { source: 'live', seed: null, endUnits: null, ...made }
      : { source: 'simulation', venue: null, ...made }
  await sql`insert into price_history (symbol_id, since, source, venue, seed, price, packed)
    values (${symbol_id}, ${since}, ${of.source}, ${of.venue}, ${of.seed}, ${of.endUnits}, ${packMinutes(of.minutes)})
    on conflict do nothing`.execute(db)
}

/** Returns the histories of the newest periods. */
export async function readHistories(db: Db): Promise<History[]> {
  const { rows } = await sql<{ symbol_id: number; since: bigint; venue: string | null }>`
    select symbol_id, since, venue from price_history h
    where since = (select max(source_ms) from tape_kinds k where k.symbol_id = h.symbol_id)`.execute(db)
  return rows.map(({ symbol_id, since, venue }) => ({
    symbolId: symbol_id,
    since: Number(since),
    until: startOf(Number(since), MINUTE_MS),
    venue: venue ?? undefined,
  }))
}

/** Returns a history's one-minute candles, oldest first. */
export async function historyMinutes(db: Db, history: History): Promise<Bar[]> {
  const { packed } = await readRow(db, history)
  return unpackMinutes(packed)
}

const readRow = (db: Db, { symbolId, since }: History) =>
  db
    .selectFrom('price_history')
    .select(['packed', 'seed', 'price'])
    .where('symbol_id', '=', symbolId)
    .where('since', '=', BigInt(since))
    .executeTakeFirstOrThrow()

/**
 * Returns `[time, units]` for each second of [from, to], as far as a simulated history reaches; its one-minute candles
 * agree. A venue's history has no seconds. Yields to other work, since an hour takes tens of milliseconds and anyone may request it.
 */
export async function historySeconds(
  db: Db,
  history: History,
  instrument: Instrument,
  from: Ms,
  to: Ms,
): Promise<[Ms, number][]> {
  const found = pairOf(instrument)
  const { seed, price } = await readRow(db, history)
  if (!found || !seed || price === null) return []
  const simulation = createSimulation(seed)
  const rate = rateOf(simulation, history.until, { ...found, endUnits: Number(price) })
  const points: [Ms, number][] = []
  const begin = Math.max(startOf(from, SECOND_MS), history.until - HISTORY_MS)
  for (let time = begin; time <= Math.min(to, history.until); time += SECOND_MS) {
    points.push([time, unitsOf(ratioOf(simulation.legsAt(time), rate.pair), rate)])
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
  endUnits: number
}

/** How a pair's price follows from its legs. */
interface Rate {
  pair: Pair
  /** Shifts the prices as a whole, so that they end at the required one. */
  factor: number
}

function rateOf(simulation: Simulation, until: Ms, { pair, scale, endUnits }: Wanted): Rate {
  const natural = ratioOf(simulation.legsAt(until), pair) * 10 ** scale
  return { pair, factor: (endUnits / natural) * 10 ** scale }
}

const ratioOf = (legs: LegPrices, [base, quote]: Pair) => legs[base]! / legs[quote]!
const unitsOf = (ratio: number, { factor }: Rate) => Math.max(1, Math.round(ratio * factor))

/**
 * Generates one-minute candles up to `until`, for all symbols in one pass. A minute's close is the next one's open: no
 * jumps.
 */
async function minutesBefore(seed: Buffer, until: Ms, wanted: Wanted[]): Promise<Bar[][]> {
  const simulation = createSimulation(seed)
  const rates = wanted.map((one) => rateOf(simulation, until, one))
  const made = rates.map((): Bar[] => [])
  // Ratios are rounded to prices once a minute, not each second: a larger ratio never has a smaller price.
  const [open, high, low, close] = [ratios(), ratios(), ratios(), ratios()]
  const bases = Int32Array.from(rates, ({ pair }) => pair[0])
  const quotes = Int32Array.from(rates, ({ pair }) => pair[1])
  let count = 0
  for (let minute = until - HISTORY_MS; minute < until; minute += MINUTE_MS) {
    for (let time = minute; time <= minute + MINUTE_MS; time += SECOND_MS) {
      if (++count % SECONDS_AT_ONCE === 0) await breathe()
      const legs = simulation.legsAt(time)
      for (let i = 0; i < rates.length; i++) {
        const ratio = legs[bases[i]!]! / legs[quotes[i]!]!
        if (time === minute) {
          open[i] = ratio
          high[i] = ratio
          low[i] = ratio
        } else if (ratio > high[i]!) high[i] = ratio
        else if (ratio < low[i]!) low[i] = ratio
        close[i] = ratio
      }
    }
    for (const [i, rate] of rates.entries()) {
      const units = (of: Float64Array) => unitsOf(of[i]!, rate)
      must(made[i]).push([minute, units(open), units(high), units(low), units(close)])
    }
  }
  return made

  function ratios() {
    return new Float64Array(rates.length)
  }
}

function packMinutes(bars: readonly Bar[]): Buffer {
  const writer = new Writer()
  let before = 0
  let timeBefore = 0
  for (const [time, open, high, low, close] of bars) {
    // A venue has no candle for a minute without trades.
    writer.put((time - timeBefore) / MINUTE_MS)
    timeBefore = time
    writer.put(fold(open - before))
    writer.put(high - open)
    writer.put(open - low)
    writer.put(fold(close - open))
    before = close
  }
  return Buffer.from(writer.bytes())
}

function unpackMinutes(packed: Buffer): Bar[] {
  const reader = new Reader(packed)
  const bars: Bar[] = []
  let time = 0
  let before = 0
  while (!reader.atEnd()) {
    time += reader.varint() * MINUTE_MS
    const open = before + unfold(reader.varint())
    const high = open + reader.varint()
    const low = open - reader.varint()
    before = open + unfold(reader.varint())
    bars.push([time, open, high, low, before])
  }
  return bars
}
