import fc from 'fast-check'
import { expect } from 'vitest'
import { STRIKE_RATES } from '#contract/terms.ts'
import { percentOf, TRADE_SIDES } from '#contract/trading/trading.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { property } from '#tests/support/property.ts'
import {
  decideOutcome,
  findEntry,
  type Outcome,
  profitIfRight,
  REASON,
  RULE_VERSION,
  type Terms,
  type Tick,
} from './trade.ts'

const RUNS = 20_000
const START = 1_790_000_000_000

/** Times between ticks: usual, very short, silences just below and above every limit, long gaps. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(250, 500, 750, 1_000) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 1_500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 9_990, max: 10_010 }) },
  { weight: 1, arbitrary: fc.integer({ min: 11_000, max: 70_000 }) },
)
const step = fc.record({
  gap,
  move: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.integer({ min: -3, max: 3 }) }),
  kind: fc.oneof(
    { weight: 60, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 }) },
  ),
})

/** A symbol's part of a tape: time and sequence ascend, the price wanders, the kind of source rarely changes. */
const tape = fc
  .tuple(fc.array(step, { minLength: 0, maxLength: 90 }), fc.integer({ min: 0, max: 2 }))
  .map(([steps, firstKind]): Tick[] => {
    let [sourceMs, units, kind] = [START, 1_000, firstKind]
    return steps.map((next, index) => {
      sourceMs += next.gap
      units = Math.max(1, units + next.move)
      kind = next.kind ?? kind
      return { seq: BigInt(index + 1), sourceMs, price: price(BigInt(units)), kind }
    })
  })

/** A trade on that tape: at, just before or just after one of its ticks, or anywhere; likewise its end. */
const tradeOn = (ticks: Tick[]): fc.Arbitrary<{ terms: Terms; ticks: Tick[] }> => {
  const times = [START, ...ticks.map((tick) => tick.sourceMs)]
  const near = fc
    .tuple(fc.constantFrom(...times), fc.constantFrom(-1, 0, 0, 1, -10_000, -9_999, -10_001))
    .map(([time, by]) => time + by)
  const anywhere = fc.integer({ min: START - 15_000, max: times.at(-1)! + 15_000 })
  return fc
    .record({
      tradeTime: fc.oneof(near, anywhere),
      end: fc.oneof(near, fc.nat(120_000)),
      staleAfterMs: fc.constantFrom(1_000, 10_000, 10_000, 10_000, 60_000),
      side: fc.constantFrom(...TRADE_SIDES),
      strikeRate: fc.constantFrom(...STRIKE_RATES),
      stake: stakes,
      sourceKind: fc.oneof(
        { weight: 9, arbitrary: fc.constant(ticks[0]?.kind ?? 0) },
        { weight: 1, arbitrary: fc.nat(2) },
      ),
    })
    .map(({ end, strikeRate, ...terms }) => ({
      terms: {
        ...terms,
        rule: RULE_VERSION,
        percent: percentOf(strikeRate, terms.side),
        endTime: Math.max(terms.tradeTime + 1_000, end > START - 20_000 ? end : terms.tradeTime + end),
      },
      ticks,
    }))
}
const stakes = fc
  .oneof(fc.integer({ min: 100, max: 400 }), fc.integer({ min: 100, max: 1_000_000 }))
  .map((cents): Usd => usd(BigInt(cents)))
const trades = tape.chain(tradeOn)

/** A second implementation of the rule book, as plain and slow as possible. */
function oracle(terms: Terms, ticks: readonly Tick[]): Outcome {
  let entry: Tick | undefined
  for (const tick of ticks)
    if (tick.sourceMs > terms.tradeTime && (!entry || tick.sourceMs < entry.sourceMs)) entry = tick
  const back = (reason: string) => ({ status: 'Void' as const, payout: terms.stake, reason })
  if (!entry || entry.sourceMs - terms.tradeTime > 10_000)
    return back('No price came within 10 seconds after the trade: the stake was returned.')
  let exit: Tick | undefined
  for (const tick of ticks) {
    const during = tick.sourceMs > terms.tradeTime && tick.sourceMs <= terms.endTime
    if (during && tick.kind !== terms.sourceKind) {
      return { ...back('The source of the prices changed during the trade: the stake was returned.'), entry }
    }
    if (during && (!exit || tick.sourceMs > exit.sourceMs)) exit = tick
  }
  if (!exit || exit === entry || terms.endTime - exit.sourceMs > terms.staleAfterMs || exit.sourceMs < entry.sourceMs)
    return { ...back('There was no fresh price at the end: the stake was returned.'), entry }
  const rise = exit.price - entry.price
  const forTrader = terms.side === 'Sell' ? -rise : rise
  if (rise === 0n)
    return {
      status: 'Draw',
      payout: terms.stake,
      reason: 'The price ended where it began: the stake was returned.',
      entry,
      exit,
    }
  const reason = rise > 0n ? 'The price ended above the entry.' : 'The price ended below the entry.'
  if (forTrader < 0n) return { status: 'Lost', payout: usd(0n), reason, entry, exit }
  // Half up by long division: a remainder of half the divisor or more adds a cent.
  const product = terms.stake * BigInt(terms.percent)
  const profit = product / 100n + (product % 100n >= 50n ? 1n : 0n)
  return { status: 'Won', payout: usd(terms.stake + profit), reason, entry, exit }
}

const seen = new Set<string>()

property('every outcome matches the rules (T4, T5)', 3 * RUNS, [trades], ({ terms, ticks }) => {
  const outcome = decideOutcome(terms, ticks)
  seen.add(outcome.reason)
  expect(outcome).toEqual(oracle(terms, ticks))
})

property('the generated trades cover every reason', 1, [fc.constant(0)], () => {
  expect([...seen].sort()).toEqual(Object.values(REASON).sort())
})

property(
  'a won trade pays at least its stake; others pay the stake or nothing (T5)',
  RUNS,
  [trades],
  ({ terms, ticks }) => {
    const { status, payout } = decideOutcome(terms, ticks)
    if (status === 'Won') expect(payout).toBe(terms.stake + profitIfRight(terms.stake, terms.percent))
    else expect(payout).toBe(status === 'Lost' ? 0n : terms.stake)
  },
)

property(
  "the entry wasn't visible at the trade time; the exit is after it and not after the end (T4)",
  RUNS,
  [trades],
  ({ terms, ticks }) => {
    const { entry, exit } = decideOutcome(terms, ticks)
    if (entry) expect(entry.sourceMs).toBeGreaterThan(terms.tradeTime)
    if (!exit) return
    expect(exit.sourceMs).toBeGreaterThan(entry!.sourceMs)
    expect(exit.sourceMs).toBeLessThanOrEqual(terms.endTime)
    expect(exit.sourceMs).toBeGreaterThanOrEqual(terms.endTime - terms.staleAfterMs)
  },
)

property('a trade has the same outcome whenever it is decided (T6)', RUNS, [trades], ({ terms, ticks }) => {
  const before = JSON.stringify([terms, ticks], asText)
  const outcome = decideOutcome(
    Object.freeze({ ...terms }),
    Object.freeze(ticks.map((tick) => Object.freeze({ ...tick }))),
  )
  expect(decideOutcome(terms, ticks)).toEqual(outcome)
  expect(JSON.stringify([terms, ticks], asText)).toBe(before)
})

property(
  "ticks before the trade and after its end don't matter (T6)",
  RUNS,
  [trades, fc.nat(50)],
  ({ terms, ticks }, move) => {
    const late = Math.max(terms.endTime, terms.tradeTime + 10_000)
    const needed = ticks.filter((tick) => tick.sourceMs > terms.tradeTime && tick.sourceMs <= late)
    const elsewhere = ticks.map((tick) =>
      needed.includes(tick)
        ? tick
        : { ...tick, price: price(tick.price + BigInt(move)), kind: tick.kind === terms.sourceKind ? tick.kind : 1 },
    )
    const outcome = decideOutcome(terms, ticks)
    expect(decideOutcome(terms, needed)).toEqual(outcome)
    expect(decideOutcome(terms, elsewhere)).toEqual(outcome)
  },
)

property(
  'flipping the side mirrors the outcome, and so does a mirrored price (T7)',
  RUNS,
  [trades],
  ({ terms, ticks }) => {
    const mirror = { Won: 'Lost', Lost: 'Won', Draw: 'Draw', Void: 'Void' } as const
    const flipped: Terms = { ...terms, side: terms.side === 'Buy' ? 'Sell' : 'Buy' }
    const upsideDown = ticks.map((tick) => ({ ...tick, price: price(1_000_000n - tick.price) }))
    const { status, payout } = decideOutcome(terms, ticks)
    expect(decideOutcome(flipped, ticks).status).toBe(mirror[status])
    expect(decideOutcome(terms, upsideDown).status).toBe(mirror[status])
    expect(decideOutcome(flipped, upsideDown)).toMatchObject({ status, payout })
  },
)

property(
  "the outcome doesn't depend on mode, user or trade number (T6, T9)",
  RUNS,
  [trades, fc.bigInt(), fc.constantFrom('real', 'demo')],
  ({ terms, ticks }, user, mode) => {
    expect(decideOutcome({ ...terms, ...{ user, mode, balance: user, id: user } } as Terms, ticks)).toEqual(
      decideOutcome(terms, ticks),
    )
  },
)

property('finds entry and exit on any tape, including an empty one', RUNS, [trades], ({ terms, ticks }) => {
  const entry = findEntry(terms, ticks)
  expect(entry).toBe(oracle(terms, ticks).entry)
  const { exit } = decideOutcome(terms, ticks)
  expect(exit === undefined || ticks.includes(exit)).toBe(true)
})

const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
