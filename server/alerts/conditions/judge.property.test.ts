import fc from 'fast-check'
import { expect } from 'vitest'
import { MOVE_MINUTES } from '#contract/trading/alerts.ts'
import { rsi } from '#kernel/indicators/oscillators.ts'
import { valuesOf } from '#kernel/indicators/series.ts'
import { MINUTE_MS, startOf } from '#kernel/time.ts'
import { instrument } from '#tests/support/prices/instruments.ts'
import { property } from '#tests/support/property.ts'
import { type Bar, barsOf } from '../../prices/candles/candles.ts'
import type { ClosedCandles } from './closed-candles.ts'
import { Judge } from './judge.ts'
import type { ArmedAlert, JudgedTick } from './terms.ts'

const START = 1_790_000_040_000
const BTC = instrument({ id: 1, symbol: 'BTCUSDT', scale: 0 })

/** `kind`: of the source that it came from. */
type SourcedTick = JudgedTick & { kind: number }

/** From where on prices come from the same kind of source, each time that it begins. */
const periodsOf = (ticks: readonly SourcedTick[]) =>
  ticks.flatMap(({ kind, sourceMs }, at) => (ticks[at - 1]?.kind === kind ? [] : [{ kind, since: sourceMs }]))

function barsIn(ticks: readonly SourcedTick[], intervalMs: number, from: number, to: number): Bar[] {
  const made = barsOf(intervalMs)
  for (const { units, sourceMs } of ticks)
    if (sourceMs >= from && sourceMs < to) made.add(sourceMs, [units, units, units, units])
  return made.bars
}

/** A tape in memory that begins with these ticks; the test adds more. */
function tapeOf(ticks: SourcedTick[]): ConstructorParameters<typeof Judge>[0] {
  return {
    ticks: (_symbol, from, to, each) => {
      for (const { seq, sourceMs, units } of ticks) if (sourceMs >= from && sourceMs <= to) each(seq, sourceMs, units)
    },
    periodsOf: () => periodsOf(ticks),
    // Those since the source last changed.
    minutes: (_symbol, from, to, each) => {
      const since = periodsOf(ticks).at(-1)?.since ?? 0
      for (const [time, ...ohlc] of barsIn(ticks, MINUTE_MS, Math.max(from, since), to)) each(time, ohlc)
    },
    provenUntil: () => (ticks.at(-1)?.sourceMs ?? 0) - 1,
  }
}

/** Its candles that have closed. */
const candlesOf = (ticks: readonly SourcedTick[]): Pick<ClosedCandles, 'of'> => ({
  of: (_of, intervalMs) => {
    const until = startOf(ticks.at(-1)?.sourceMs ?? 0, intervalMs)
    const list = barsIn(ticks, intervalMs, 0, until).map(([time, open, high, low, close]) => ({
      time,
      open,
      high,
      low,
      close,
    }))
    return { since: 0, until, list }
  },
})

/** Looks at everything for each tick: the definition. */
function firesNaively(alert: ArmedAlert, ticks: readonly SourcedTick[]): number | undefined {
  const later = ticks.filter(({ seq }) => seq > alert.baseSeq)
  if (alert.kind === 'price')
    return later.find(({ units }) => (alert.rises ? units >= alert.level : units <= alert.level))?.seq
  if (alert.kind === 'move') {
    const armedIn = startOf(alert.baseMs, MINUTE_MS)
    return later.find((tick) => {
      const minute = startOf(tick.sourceMs, MINUTE_MS)
      const from = minute - (alert.minutes - 1) * MINUTE_MS
      const since = periodsOf(ticks).findLast((period) => period.since <= tick.sourceMs)?.since ?? 0
      const counted = later
        .filter(({ seq, sourceMs }) => seq <= tick.seq && sourceMs >= Math.max(from, since, armedIn + MINUTE_MS))
        .map(({ units }) => units)
      if (armedIn >= from && alert.baseMs >= since) counted.push(alert.base)
      const up = ((tick.units - Math.min(...counted)) * 10_000) / Math.min(...counted)
      const down = ((Math.max(...counted) - tick.units) * 10_000) / Math.max(...counted)
      return (
        (alert.direction !== 'down' && up >= alert.basisPoints) ||
        (alert.direction !== 'up' && down >= alert.basisPoints)
      )
    })?.seq
  }
  const made = barsOf(MINUTE_MS)
  for (const { units, sourceMs } of ticks) made.add(sourceMs, [units, units, units, units])
  // The last candle isn't closed.
  const closed = made.bars.slice(0, -1)
  const values = valuesOf(
    rsi(2),
    closed.map(([, , , , close]) => close),
  )
  const { direction, indicator } = alert
  const at = values.findIndex((value, i) => {
    const before = values[i - 1]
    if (value === undefined || before === undefined || closed[i]![0] + MINUTE_MS <= alert.baseMs) return false
    const up = before < indicator.level && value >= indicator.level
    const down = before > indicator.level && value <= indicator.level
    return (direction !== 'down' && up) || (direction !== 'up' && down)
  })
  const close = closed[at]
  return close && ticks.findLast(({ sourceMs }) => sourceMs < close[0] + MINUTE_MS)?.seq
}

const direction = fc.constantFrom('up' as const, 'down' as const, 'either' as const)
const terms = fc.oneof(
  fc.record({ kind: fc.constant('price' as const), offset: fc.integer({ min: -60, max: 60 }).filter((n) => n !== 0) }),
  fc.record({
    kind: fc.constant('move' as const),
    direction,
    basisPoints: fc.integer({ min: 10, max: 600 }),
    minutes: fc.constantFrom(...MOVE_MINUTES),
  }),
  fc.record({ kind: fc.constant('indicator' as const), direction, level: fc.integer({ min: 10, max: 90 }) }),
)

property(
  'fires what the definition says, at the same tick, in one run and over restarts',
  400,
  [
    fc.array(
      fc.tuple(
        fc.integer({ min: -20, max: 20 }),
        fc.oneof(fc.integer({ min: 250, max: 4_000 }), fc.integer({ min: 250, max: 90_000 })),
        // Where the source changes, by how much its price differs.
        fc.oneof(
          { weight: 9, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: fc.integer({ min: -300, max: 300 }) },
        ),
      ),
      {
        minLength: 5,
        maxLength: 80,
      },
    ),
    fc.array(fc.tuple(terms, fc.nat(), fc.nat(3)), { minLength: 1, maxLength: 12 }),
    fc.array(fc.nat(), { maxLength: 3 }),
  ],
  (steps, wanted, restarts) => {
    const all: SourcedTick[] = []
    for (const [step, ms, jump] of [[0, 0, undefined] as const, ...steps]) {
      const before = all.at(-1) ?? { units: 1_000, sourceMs: START, seq: 0, kind: 2 }
      const units = Math.max(900, before.units + step + (jump ?? 0))
      const kind = jump === undefined ? before.kind : 2 - before.kind
      all.push({ units, sourceMs: before.sourceMs + ms, seq: before.seq + 1, kind })
    }
    const alerts = wanted.map(([one, at, delay], n) => {
      const armedAt = at % all.length
      const base = all[armedAt]!
      const armed = {
        ...{ id: BigInt(n), userId: 1n, symbol: 'BTCUSDT', arming: 1, direction: 'either' as const },
        ...{ base: base.units, baseSeq: base.seq, baseMs: base.sourceMs },
      }
      const alert = (): ArmedAlert => {
        if (one.kind === 'price')
          return { ...armed, kind: 'price', level: base.units + one.offset, rises: one.offset > 0 }
        if (one.kind === 'move') return { ...armed, ...one }
        const indicator = { id: 'rsi', inputs: [2], output: 'value', interval: '1m' as const, level: one.level }
        return { ...armed, kind: 'indicator', direction: one.direction, indicator }
      }
      return { alert, knownAt: armedAt + delay }
    })
    const shown: SourcedTick[] = []
    const fired = new Map<bigint, number>()
    const start = () =>
      new Judge(
        tapeOf(shown),
        ({ alert, tick }) => {
          expect(fired.has(alert.id), 'it fires once').toBe(false)
          fired.set(alert.id, tick.seq)
        },
        candlesOf(shown),
      )
    let judge = start()
    all.forEach((tick, at) => {
      shown.push(tick)
      judge.frame([{ symbol: 'BTCUSDT', symbolId: 1, price: BigInt(tick.units) as never, scale: 0, ...tick }])
      for (const _ of judge.advance());
      const news = alerts.filter(({ knownAt }) => knownAt === at)
      if (news.length > 0)
        judge.add(
          BTC,
          news.map(({ alert }) => alert()),
        )
      if (!restarts.some((restart) => restart % all.length === at)) return
      judge = start()
      const known = alerts.filter(({ knownAt }) => knownAt <= at).map(({ alert }) => alert())
      judge.load(
        BTC,
        known.filter(({ id }) => !fired.has(id)),
        tick.sourceMs - 120_000,
      )
    })
    for (const { alert, knownAt } of alerts) {
      if (knownAt >= all.length) continue
      expect([alert(), fired.get(alert().id)]).toEqual([alert(), firesNaively(alert(), all)])
    }
  },
)
