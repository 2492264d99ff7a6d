/**
 * The cost of judging alerts and orders that wait: `node lab/bench/prices/alerts.ts [alerts] [rounds] [orders]`.
 *
 * Makes frames with every instrument, as `frame.ts` does, and judges them against so many alerts: six in ten on prices,
 * three on moves, one on indicators, spread over all symbols, of which none is reached. The reference, interleaved in the
 * same run, makes the same frames and judges nothing. The same is measured for as many orders, nine in ten for prices and
 * one for times. Then one frame reaches every price alert, and every price order, of a symbol.
 */

import { readFileSync } from 'node:fs'
import { MOVE_MINUTES } from '#contract/trading/alerts.ts'
import { INDICATORS } from '#kernel/indicators/list.ts'
import { price } from '#kernel/price.ts'
import { startOf } from '#kernel/time.ts'
import { type CandlesUntil, type ClosedCandles, toCandles } from '#server/alerts/conditions/closed-candles.ts'
import { Judge } from '#server/alerts/conditions/judge.ts'
import type { ArmedAlert, PriceWatch, TimeWatch, Watch } from '#server/alerts/conditions/terms.ts'
import { barsOf } from '#server/prices/candles/candles.ts'
import { simulationFeed } from '#server/prices/feeds/simulation-feed.ts'
import { type Instrument, instrumentsFrom } from '#server/prices/instruments/instruments.ts'
import { frameEvent } from '#server/prices/tape/frame-event.ts'
import { encodeBody, frameHash } from '#server/prices/tape/frames/frame.ts'
import { createGate } from '#server/prices/tape/gate.ts'
import { createMemory } from '#server/prices/tape/memory/memory.ts'
import { instrument } from '#tests/support/prices/instruments.ts'

const ALERTS = Number(process.argv[2] ?? 100_000)
const ROUNDS = Number(process.argv[3] ?? 15)
const ORDERS = Number(process.argv[4] ?? ALERTS)
const FRAMES = 400
const WARM_FRAMES = 2_400

const migration = readFileSync(new URL('../../../db/migrations/0003_prices.sql', import.meta.url), 'utf8')
const instruments = instrumentsFrom(
  [...migration.matchAll(/\((\d+), '(\w+)', '(\w+)', '(\w+)', .*?, (\d+)\)/g)].map(
    ([, id, symbol, base, quote, scale]) =>
      instrument({ id: Number(id), symbol: symbol!, base: base!, quote: quote!, scale: Number(scale) }),
  ),
)
const memory = createMemory(instruments)
const gate = createGate(instruments, memory.newest)
const feed = simulationFeed(instruments, 'bench')
let now = 1_790_000_000_000

let ticks = 0
let frames = 0

/** Makes the next frame, and keeps it in memory. */
function frame() {
  now += 250
  const head = memory.head()
  gate.at(now)
  feed.collect(now, gate)
  const entries = gate.candidates().map(({ slot, units, sourceMs }) => {
    const { symbol, scale } = instruments.list[slot]!
    return { symbol, kind: 2, scale, seq: memory.newest.seq[slot]! + 1, sourceMs, units }
  })
  const body = encodeBody(now, entries)
  const made = { n: head.n + 1, t: now, prev: head.hash, hash: frameHash(head.hash, head.n + 1, now, body), body }
  memory.apply(made, entries)
  ticks += entries.length
  frames++
  return frameEvent(instruments, made, entries)
}

const slotOf = (symbol: string) => instruments.slotOf(symbol)!
const tape: ConstructorParameters<typeof Judge>[0] = {
  periodsOf: (symbol) => memory.periodsOf(slotOf(symbol)),
  ticks: (symbol, from, to, each) => memory.ticks(slotOf(symbol), from, to, each),
  minutes: (symbol, from, to, each) => memory.minutes(slotOf(symbol), from, to, each),
  provenUntil: (symbol) => memory.newest.sourceMs[slotOf(symbol)]! - 1,
}

const read = new Map<string, CandlesUntil>()
/** They are read before the frame that judges them, as the engine does in another loop. */
const candles: Pick<ClosedCandles, 'of'> = {
  of({ symbol, scale }, intervalMs) {
    const until = startOf(tape.provenUntil(symbol) + 1, intervalMs)
    const known = read.get(`${symbol} ${intervalMs}`)
    if (known?.until === until) return known
    const { bars, add } = barsOf(intervalMs)
    memory.minutes(slotOf(symbol), 0, until, add)
    const made = { since: 0, until, list: toCandles(bars, scale) }
    read.set(`${symbol} ${intervalMs}`, made)
    return made
  },
}

const OFFERED = INDICATORS.filter(({ needsVolume }) => !needsVolume)
/** Longer ones close rarely. */
const INTERVALS = ['1m', '5m', '15m'] as const

/** An alert that the simulation doesn't reach. */
function alertOf(n: number, of: Instrument): ArmedAlert {
  const slot = slotOf(of.symbol)
  const base = memory.newest.units[slot]!
  const armed = {
    ...{ id: BigInt(n), userId: BigInt(n % 1_000), symbol: of.symbol, arming: 1, direction: 'either' as const },
    ...{ base, baseSeq: memory.newest.seq[slot]!, baseMs: memory.newest.sourceMs[slot]! },
  }
  const rises = n % 2 === 0
  if (n % 10 < 6) {
    const far = 1 + (10 + (n % 1_000) / 10) / 100
    return { ...armed, kind: 'price', rises, level: Math.max(1, Math.round(rises ? base * far : base / far / far)) }
  }
  if (n % 10 < 9)
    return { ...armed, kind: 'move', basisPoints: 2_000 + (n % 3_000), minutes: MOVE_MINUTES[n % MOVE_MINUTES.length]! }
  const known = OFFERED[n % OFFERED.length]!
  return {
    ...armed,
    kind: 'indicator',
    indicator: {
      id: known.id,
      inputs: known.inputs.map(({ initial }) => initial),
      output: known.outputs[0]!.key,
      interval: INTERVALS[n % INTERVALS.length]!,
      level: 1e12,
    },
  }
}

/** An order that the simulation doesn't reach. */
function orderOf(n: number, of: Instrument): PriceWatch | TimeWatch {
  const alert = alertOf(n % 10 === 9 ? n + 1 : n - (n % 10) + (n % 6), of)
  const { id, userId, symbol, arming, base, baseSeq, baseMs } = alert
  const armed = { id: id + BigInt(n) * 1_000_000n, userId, symbol, arming, base, baseSeq, baseMs }
  if (n % 10 === 9 || alert.kind !== 'price') return { ...armed, kind: 'time', atMs: now + 86_400_000 + n }
  return { ...armed, kind: 'price', level: alert.level, rises: alert.rises }
}

for (let n = 0; n < WARM_FRAMES; n++) frame()
let fired = 0
const listed = instruments.current()

/** Returns a judge with so many watches, how long it took to load them, and the busiest symbol. */
function loaded(count: number, make: (n: number, of: Instrument) => Watch) {
  const judge = new Judge(tape, () => fired++, candles)
  const ofSymbol = Map.groupBy(
    Array.from({ length: count }, (_, n) => n),
    (n) => listed[n % listed.length]!,
  )
  const began = performance.now()
  for (const [of, numbers] of ofSymbol)
    judge.load(
      of,
      numbers.map((n) => make(n, of)),
      now,
    )
  return { judge, loadMs: performance.now() - began, busiest: [...ofSymbol.keys()][0]! }
}

/** Returns the CPU per frame, and the longest time that one took, microseconds. */
function cost(work: () => void): { each: number; longest: number } {
  let longest = 0
  const before = process.cpuUsage()
  for (let i = 0; i < FRAMES; i++) {
    const began = performance.now()
    work()
    longest = Math.max(longest, performance.now() - began)
  }
  const { user, system } = process.cpuUsage(before)
  return { each: (user + system) / FRAMES, longest: longest * 1_000 }
}
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
const judgedBy = (judge: Judge) => () => {
  judge.frame(frame().entries)
  for (const _ of judge.advance());
}

/** Measures the frame with these watches and without, and prints both. */
function measure(what: string, count: number, make: (n: number, of: Instrument) => Watch): void {
  const { judge, loadMs, busiest } = loaded(count, make)
  const judged = judgedBy(judge)
  const round = () => [cost(frame), cost(judged)] as const
  round()
  const rounds = Array.from({ length: ROUNDS }, round)
  const [without, withThem] = [0, 1].map((at) => median(rounds.map((one) => one[at]!.each))) as [number, number]
  const ratio = median(rounds.map(([bare, watched]) => watched.each / bare.each))
  const longest = Math.max(...rounds.map(([, watched]) => watched.longest))

  const slot = slotOf(busiest.symbol)
  const { symbol, id: symbolId, scale } = busiest
  const high = price(BigInt(memory.newest.units[slot]! * 3))
  const firedBefore = fired
  const began = performance.now()
  judge.frame([{ symbol, symbolId, price: high, scale, kind: 2, sourceMs: now + 1, seq: memory.newest.seq[slot]! + 1 }])
  console.log(
    `${count} ${what}: a frame of ${(ticks / frames).toFixed(0)} ticks takes ${withThem.toFixed(0)} µs with them and ${without.toFixed(0)} µs without (ratio ${ratio.toFixed(2)}, ` +
      `${(withThem - without).toFixed(0)} µs for judging; the longest ${(longest / 1_000).toFixed(1)} ms). Loading took ${loadMs.toFixed(0)} ms. ` +
      `A jump that fires ${fired - firedBefore} at once takes ${(performance.now() - began).toFixed(2)} ms. ${firedBefore} fired before.`,
  )
  fired = 0
}

measure('alerts', ALERTS, alertOf)
measure('waiting orders', ORDERS, orderOf)
