import { expect, test } from 'vitest'
import { allot } from './allot.ts'

const lane = (number: number, open = 0n, wanted = 0n) => ({ lane: number, open, wanted })

test('shares the room equally, and leaves lanes alone that have at least half of their share', () => {
  expect(allot(100n, [lane(1), lane(2)])).toEqual([
    { lane: 1, change: 50n },
    { lane: 2, change: 50n },
  ])
  expect(allot(100n, [lane(1, 30n), lane(2, 20n)])).toEqual([{ lane: 2, change: 30n }])
})

test('reduces what is more than there is, and grants nothing meanwhile', () => {
  expect(allot(-5n, [lane(1, 40n), lane(2)])).toEqual([{ lane: 1, change: -40n }])
  expect(allot(60n, [lane(1, 80n), lane(2)])).toEqual([{ lane: 1, change: -50n }])
})

test('takes room from other lanes for an order that one of them has none for, in two rounds', () => {
  const first = allot(100n, [lane(1, 50n), lane(2, 50n, 90n)])
  expect(first).toEqual([{ lane: 1, change: -45n }])
  expect(allot(100n, [lane(1, 5n), lane(2, 50n, 90n)])).toEqual([{ lane: 2, change: 45n }])
})

test('leaves the lanes as they are for an order that all of them together have no room for', () => {
  expect(allot(100n, [lane(1, 50n), lane(2, 50n, 101n)])).toEqual([])
})

test('never grants more than there is, whatever lanes have and want', () => {
  let state = 7
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return BigInt(state % below)
  }
  for (let round = 0; round < 20_000; round++) {
    const room = random(1_000) - 100n
    const lanes = Array.from({ length: 1 + Number(random(5)) }, (_, at) => lane(at, random(400), random(500)))
    const changes = allot(room, lanes)
    const open = lanes.reduce((sum, one) => sum + one.open, 0n)
    const granted = changes.reduce((sum, { change }) => (change > 0n ? sum + change : sum), 0n)
    // Grants take effect before any is reduced.
    if (granted > 0n) expect(open + granted).toBeLessThanOrEqual(room)
    const after = changes.reduce((sum, { change }) => sum + change, open)
    expect(after).toBeLessThanOrEqual(room > 0n ? (open > room ? room : open > after ? open : room) : 0n)
    for (const { lane: at, change } of changes) expect(lanes[at]!.open + change).toBeGreaterThanOrEqual(0n)
  }
})
