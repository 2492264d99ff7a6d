import { expect, test } from 'vitest'
import { draws } from '#tests/support/random.ts'
import { createLeadLag } from './lead-lag.ts'

const START = 1_790_000_000_000
const FRAME_MS = 250

/** Two minutes of a market. Each venue shows it as it was `behind` frames ago, with noise, a little dearer. */
function lagsOf(behind: readonly number[], { seed = 1, noise = 0.00001, moving = 1 } = {}): number[] {
  const { normal, chance } = draws(seed)
  const market = [Math.log(60_000)]
  for (let at = 1; at < 500; at++) market.push(market[at - 1]! + (chance(moving) ? normal() * 0.0001 : 0))
  const found = createLeadLag(behind.length)
  for (let at = 20; at < market.length; at++) {
    const prices = behind.map((frames, venue) => Math.exp(market[at - frames]! + venue * 0.0002 + normal() * noise))
    found.sample(prices, START + at * FRAME_MS)
  }
  return behind.map((_, venue) => found.lagMs(venue))
}

test.each([
  ['a venue a second behind', [0, 4], [0, 1_250]],
  ['two that follow at different distances', [0, 4, 8], [0, 1_250, 2_250]],
  ['the only late one of four', [0, 0, 3, 0], [0, 0, 1_000, 0]],
])('finds %s, a frame rounded up', (_, behind, lags) => {
  expect(lagsOf(behind)).toEqual(lags)
  expect(lagsOf(behind, { moving: 0.1, noise: 0 })).toEqual(lags)
})

test('blames nobody among venues that move together, whatever their noise', () => {
  for (let seed = 1; seed <= 50; seed++)
    for (const noise of [0, 0.00002, 0.0001, 0.001]) expect(lagsOf([0, 0, 0, 0], { seed, noise })).toEqual([0, 0, 0, 0])
})

test('blames nobody where hardly anything moves, or nothing', () => {
  expect(lagsOf([0, 4], { moving: 0.004, noise: 0 })).toEqual([0, 0])
  expect(lagsOf([0, 4], { moving: 0, noise: 0 })).toEqual([0, 0])
})

test.each([200, 250, 300, 700, 1_000])('blames nobody for a pattern that repeats every %d ms', (periodMs) => {
  const found = createLeadLag(3)
  for (let at = 0; at < 400; at++) {
    const step = Math.floor((at * FRAME_MS) / (periodMs / 3))
    const prices = [0, 1, 2].map((venue) => 100 + ((step + venue) % 3))
    found.sample(prices, START + at * FRAME_MS)
  }
  expect([0, 1, 2].map((venue) => found.lagMs(venue))).toEqual([0, 0, 0])
})

test('a venue that comes and goes is compared while it is there', () => {
  const found = createLeadLag(2)
  const { normal } = draws(2)
  const market = [60_000]
  for (let at = 1; at < 400; at++) {
    market.push(market[at - 1]! * (1 + normal() * 0.0001))
    const isThere = at > 60 && at % 50 > 5
    found.sample([market[at], isThere ? market[at - 4] : undefined], START + at * FRAME_MS)
  }
  expect([found.lagMs(0), found.lagMs(1)]).toEqual([0, 1_250])
})
