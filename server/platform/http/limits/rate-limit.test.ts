import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Problem } from '#contract/problem.ts'
import type { Transport } from '#server/platform/bus/transport.ts'
import { openBus } from '../../bus/index.ts'
import { createLog } from '../../process/log.ts'
import { openRateLimits, type RateLimits, type RateLimitTopics } from './rate-limit.ts'

const HOUR_MS = 3_600_000
/** Longer than the bus lets messages wait. */
const SENT_WITHIN_MS = 30
const rateLimit = ({ factor, ...options }: Parameters<RateLimits>[1] & { factor: number | undefined }) =>
  openRateLimits(factor)('tries', options)

function refusal(take: () => void): Problem | undefined {
  try {
    take()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Takes until rejected; returns how many were allowed. */
function takeAll(limit: { take(key: string): void }): number {
  let taken = 0
  while (!refusal(() => limit.take('a'))) taken++
  return taken
}

test.each([0, 10, 1_800_000, 3_599_000])(
  'admits a caller after the reported wait, starting %i ms into a window',
  (at) => {
    let now = 0
    const limit = rateLimit({
      max: 5,
      windowMs: HOUR_MS,
      factor: 1,
      message: (wait) => `Wait ${wait}.`,
      now: () => now,
    })
    now = at
    expect(takeAll(limit)).toBe(5)
    for (let round = 0; round < 12; round++) {
      const { retryAfterSeconds } = refusal(() => limit.take('a'))!
      const before = now
      now = before + retryAfterSeconds! * 1_000 - 2_000
      if (now > before) expect(refusal(() => limit.check('a'))).toBeDefined()
      now = before + Math.ceil(retryAfterSeconds!) * 1_000
      expect(refusal(() => limit.take('a'))).toBeUndefined()
    }
  },
)

test('says when to retry, limits each key separately, and limits nothing without a factor', () => {
  let now = 0
  const options = { max: 2, windowMs: HOUR_MS, message: (wait: string) => `Try again in ${wait}.`, now: () => now }
  const limit = rateLimit({ ...options, factor: 1 })
  expect(takeAll(limit)).toBe(2)
  expect(refusal(() => limit.take('a'))?.message).toBe('Try again in 90 minutes.')
  now = HOUR_MS
  expect(refusal(() => limit.take('a'))?.message).toBe('Try again in 30 minutes.')
  now = 1.5 * HOUR_MS - 20_000
  expect(refusal(() => limit.take('a'))?.message).toBe('Try again in a minute.')
  limit.take('b')
  const off = rateLimit({ ...options, factor: undefined })
  for (let n = 0; n < 100; n++) off.take('a')
})

test("refunds an attempt that doesn't count, even in the next window", () => {
  let now = 0
  const limit = rateLimit({ max: 1, windowMs: HOUR_MS, factor: 1, message: 'Wait.', now: () => now })
  limit.take('a')
  limit.refund('a')
  limit.take('a')
  now = HOUR_MS
  limit.refund('a')
  limit.take('a')
  expect(refusal(() => limit.take('a'))).toBeDefined()
})

test('refuses new keys while the window is full of keys, and keeps counting the ones it has', () => {
  let now = 0
  const limit = rateLimit({ max: 2, windowMs: HOUR_MS, factor: 1, message: 'Wait.', keysMax: 3, now: () => now })
  for (const key of ['a', 'b', 'c']) limit.take(key)
  expect(refusal(() => limit.take('d'))?.retryAfterSeconds).toBe(3_600)
  limit.take('a')
  expect(refusal(() => limit.take('a'))).toBeDefined()
  now = HOUR_MS
  limit.take('d')
})

describe('several nodes', () => {
  /** Two nodes whose messages are delivered by hand. */
  async function twoNodes() {
    const inboxes: ((text: string) => void)[] = []
    const underWay: string[] = []
    const transport = (): Transport => ({
      start: async (receive) => void inboxes.push(receive),
      send: async (texts) => void underWay.push(...texts),
      lostSince: () => undefined,
      stop: async () => undefined,
    })
    const node = async () => openRateLimits(1, await openBus<RateLimitTopics>(createLog('silent'), transport()))
    const limits = [await node(), await node()].map((make) =>
      make('tries', { max: 4, windowMs: HOUR_MS, message: 'Wait.' }),
    )
    const deliver = async () => {
      await sleep(SENT_WITHIN_MS)
      for (const text of underWay.splice(0)) for (const receive of inboxes) receive(text)
    }
    return { one: limits[0]!, two: limits[1]!, deliver, underWay }
  }

  test('count together, by key, and refunds count too', async () => {
    const { one, two, deliver } = await twoNodes()
    one.take('a')
    one.take('a')
    await deliver()
    two.take('a')
    two.take('a')
    await deliver()
    for (const limit of [one, two]) expect(refusal(() => limit.take('a'))).toBeDefined()
    one.take('b')
    two.refund('a')
    await deliver()
    one.take('a')
    await deliver()
    expect(refusal(() => two.take('a'))).toBeDefined()
  })

  test('never tell each other the key itself', async () => {
    const { one, underWay } = await twoNodes()
    one.take('trader@example.org')
    await sleep(SENT_WITHIN_MS)
    expect(underWay.join()).toContain('tries')
    expect(underWay.join()).not.toContain('trader@example.org')
  })

  test('count alone in windows shorter than a minute, and refuse two limits of one name', async () => {
    const underWay: unknown[] = []
    const make = openRateLimits(1, {
      publishToOthers: (_, message) => void underWay.push(message),
      subscribe: () => () => undefined,
    })
    make('orders', { max: 4, windowMs: 1_000, message: 'Wait.' }).take('a')
    expect(underWay).toEqual([])
    make('tries', { max: 4, windowMs: HOUR_MS, message: 'Wait.' })
    expect(() => make('tries', { max: 4, windowMs: HOUR_MS, message: 'Wait.' })).toThrow('two rate limits')
  })
})
