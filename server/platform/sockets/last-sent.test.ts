import { expect, test } from 'vitest'
import { createLastSent } from './last-sent.ts'

function setUp() {
  let time = 1_000
  const lastSent = createLastSent(() => time)
  return { lastSent, pass: (ms: number) => (time += ms) }
}

test('nothing is known from before it began', () => {
  const { lastSent, pass } = setUp()
  expect(lastSent.quietMs(1n)).toBe(0)
  pass(700)
  expect(lastSent.quietMs(1n)).toBe(700)
})

test('a user is quiet since the last message to them', () => {
  const { lastSent, pass } = setUp()
  pass(20_000)
  lastSent.sent(1n)
  pass(4_000)
  lastSent.sent(1n)
  pass(3_000)
  expect(lastSent.quietMs(1n)).toBe(3_000)
  expect(lastSent.quietMs(2n)).toBe(27_000)
})

test('what went to anyone was sent to each', () => {
  const { lastSent, pass } = setUp()
  pass(20_000)
  lastSent.sentToAnyone()
  pass(2_000)
  expect(lastSent.quietMs(1n)).toBe(2_000)
})

test('is known for half a minute, however much is sent meanwhile', () => {
  const { lastSent, pass } = setUp()
  pass(100_000)
  lastSent.sent(1n)
  for (let second = 1; second < 30; second++) {
    pass(1_000)
    lastSent.sent(BigInt(second + 100))
    expect(lastSent.quietMs(1n)).toBe(second * 1_000)
  }
  pass(40_000)
  lastSent.sent(1_000n)
  pass(31_000)
  lastSent.sent(1_001n)
  expect(lastSent.quietMs(1n)).toBe(30_000)
  expect(lastSent.quietMs(1_000n)).toBe(30_000)
})
