import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSimulation, crossUnits, legOf, STEP_MS } from './simulation.ts'

const T = 1_790_000_000_000
const DAY = 86_400_000

test('the same seed and time give the same price, regardless of earlier reads', () => {
  const walked = createSimulation('a seed')
  const byTime = new Map<number, Float64Array>()
  for (let i = 0; i < 500; i++) byTime.set(T + i * STEP_MS, walked.legsAt(T + i * STEP_MS).slice())
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 499 }), { minLength: 1, maxLength: 50 }), (order) => {
      const asked = createSimulation('a seed')
      asked.legsAt(T + order.length * 97 * DAY)
      for (const i of order) {
        const time = T + i * STEP_MS
        expect(asked.legsAt(time + (i % STEP_MS))).toEqual(byTime.get(time))
      }
    }),
    { numRuns: 100 },
  )
  expect(createSimulation('another seed').legsAt(T)).not.toEqual(byTime.get(T))
})

test('cross rates agree up to rounding', () => {
  const simulation = createSimulation('crosses')
  const [btc, eth, usdt, usd] = ['BTC', 'ETH', 'USDT', 'USD'].map((name) => legOf(name)!) as [
    number,
    number,
    number,
    number,
  ]
  for (let i = 0; i < 2_000; i++) {
    const legs = simulation.legsAt(T + i * 7_919_000)
    const ethUsdt = crossUnits(legs, eth, usdt, 2) / 100
    const btcUsdt = crossUnits(legs, btc, usdt, 2) / 100
    const ethBtc = crossUnits(legs, eth, btc, 7) / 1e7
    expect(Math.abs(ethUsdt / btcUsdt - ethBtc)).toBeLessThan(2e-7)
    expect(legs[usd]).toBe(1)
  }
})

test('prices stay plausible for years without jumps, also across block borders', () => {
  const simulation = createSimulation('levels')
  const btc = legOf('BTC')!
  const usdt = legOf('USDT')!
  // A random walk from 2026 on: allow three standard deviations of the four years covered here.
  for (let day = 0; day < 1_200; day++) {
    const legs = simulation.legsAt(T + day * DAY)
    expect(Math.abs(Math.log(legs[btc]! / 78_000))).toBeLessThan(3 * 0.44 * Math.sqrt(4))
    expect(Math.abs(Math.log(legs[usdt]!))).toBeLessThan(3 * 0.004 * Math.sqrt(4))
  }
  const blockMs = 2 ** 24 * STEP_MS
  for (let block = 400; block < 440; block++) {
    const border = block * blockMs
    const before = simulation.legsAt(border - STEP_MS).slice()
    const after = simulation.legsAt(border)
    for (let leg = 0; leg < before.length; leg++)
      expect(Math.abs(Math.log(after[leg]! / before[leg]!))).toBeLessThan(0.001)
  }
})

test('volatility matches the market (about 44% a year for BTC) at every scale, and coins correlate', () => {
  const simulation = createSimulation('volatility')
  const btc = legOf('BTC')!
  const eth = legOf('ETH')!
  for (const stepMs of [STEP_MS, 1_000, 60_000]) {
    let squares = 0
    let both = 0
    let ethSquares = 0
    const count = 20_000
    let last = simulation.legsAt(T).slice()
    for (let i = 1; i <= count; i++) {
      const legs = simulation.legsAt(T + i * stepMs).slice()
      const move = Math.log(legs[btc]! / last[btc]!)
      const ethMove = Math.log(legs[eth]! / last[eth]!)
      squares += move ** 2
      ethSquares += ethMove ** 2
      both += move * ethMove
      last = legs
    }
    const yearly = Math.sqrt((squares / count) * ((365.25 * DAY) / stepMs))
    expect(yearly).toBeGreaterThan(0.42)
    expect(yearly).toBeLessThan(0.46)
    const correlation = both / Math.sqrt(squares * ethSquares)
    expect(correlation).toBeGreaterThan(0.7)
    expect(correlation).toBeLessThan(0.95)
  }
})

test("past moves don't predict future moves", () => {
  const simulation = createSimulation('future')
  const btc = legOf('BTC')!
  let product = 0
  let squares = 0
  let before = 0
  let last = Math.log(simulation.legsAt(T)[btc]!)
  for (let i = 1; i <= 50_000; i++) {
    const now = Math.log(simulation.legsAt(T + i * STEP_MS)[btc]!)
    const move = now - last
    product += move * before
    squares += move ** 2
    before = move
    last = now
  }
  // Four standard errors.
  expect(Math.abs(product / squares)).toBeLessThan(4 / Math.sqrt(50_000))
})

test("neither the level nor the last day predicts the next day's price", () => {
  const btc = legOf('BTC')!
  const LEVEL = 78_000
  const byLevel = { bets: 0, won: 0 }
  const byTrend = { bets: 0, won: 0 }
  for (let seed = 0; seed < 12_000; seed++) {
    const simulation = createSimulation(`predict ${seed}`)
    const time = T + ((seed * 7_919) % 365) * DAY
    const [before, now, after] = [time - DAY, time, time + DAY].map((at) => simulation.legsAt(at)[btc]!)
    byTrend.bets++
    if (after! > now! === now! > before!) byTrend.won++
    // A bet on a return to the level would wait for a price far from it.
    if (Math.abs(Math.log(now! / LEVEL)) < 0.15) continue
    byLevel.bets++
    if (after! > now! === LEVEL > now!) byLevel.won++
  }
  // Four standard deviations of a fair coin.
  for (const { bets, won } of [byLevel, byTrend])
    expect(Math.abs(won / bets - 0.5), `${won} of ${bets}`).toBeLessThan(2 / Math.sqrt(bets))
})
