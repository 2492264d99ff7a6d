import { expect, test } from 'vitest'
import { rememberSent } from './missed.ts'

function setUp() {
  let time = 1_000
  const missed = rememberSent(() => time)
  return { missed, pass: (ms: number) => (time += ms) }
}

test('nothing is known from before it began', () => {
  const { missed, pass } = setUp()
  expect(missed.quietMs(1n)).toBe(0)
  pass(700)
  expect(missed.quietMs(1n)).toBe(700)
})

test('a user is quiet since the last message to them', () => {
  const { missed, pass } = setUp()
  pass(20_000)
  missed.sent(1n)
  pass(4_000)
  missed.sent(1n)
  pass(3_000)
  expect(missed.quietMs(1n)).toBe(3_000)
  expect(missed.quietMs(2n)).toBe(27_000)
})

test('what went to anyone was sent to each', () => {
  const { missed, pass } = setUp()
  pass(20_000)
  missed.sentToAnyone()
  pass(2_000)
  expect(missed.quietMs(1n)).toBe(2_000)
})

test('is known for half a minute, however much is sent meanwhile', () => {
  const { missed, pass } = setUp()
  pass(100_000)
  missed.sent(1n)
  for (let second = 1; second < 30; second++) {
    pass(1_000)
    missed.sent(BigInt(second + 100))
    expect(missed.quietMs(1n)).toBe(second * 1_000)
  }
  pass(40_000)
  missed.sent(1_000n)
  pass(31_000)
  missed.sent(1_001n)
  expect(missed.quietMs(1n)).toBe(30_000)
  expect(missed.quietMs(1_000n)).toBe(30_000)
})
