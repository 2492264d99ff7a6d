import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atMost, oneByOne } from './at-most.ts'

test('limits concurrency in arrival order and rejects the rest', async () => {
  const run = atMost(2, { waiting: 3, patienceMs: 10_000 })
  let running = 0
  let most = 0
  const order: number[] = []
  const work = (n: number) => async () => {
    most = Math.max(most, ++running)
    order.push(n)
    await sleep(5)
    running--
    if (n === 1) throw new Error('this one fails')
    return n
  }
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map((n) => run(work(n))))
  expect(most).toBe(2)
  expect(order).toEqual([0, 1, 2, 3, 4])
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect((results[6] as PromiseRejectedResult).reason).toMatchObject({ code: 'unavailable' })
  expect(await run(work(9))).toBe(9)
})

test('rejects callers that waited too long and frees their place', async () => {
  const run = atMost(1, { waiting: 1_000, patienceMs: 50 })
  let end = () => {}
  const stuck = run(() => new Promise<void>((resolve) => (end = resolve)))
  const begun = performance.now()
  await expect(run(async () => 'waited')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 })
  expect(performance.now() - begun).toBeGreaterThan(45)
  end()
  await stuck
  expect(await run(async () => 'free again')).toBe('free again')
})

test('serializes work of one key, even after a failure, without delaying other keys', async () => {
  const inTurn = oneByOne()
  const log: string[] = []
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} begins`)
    await sleep(ms)
    log.push(`${name} ends`)
    if (name === 'a1') throw new Error('fails')
  }
  await Promise.allSettled([inTurn('a', work('a1', 30)), inTurn('a', work('a2', 1)), inTurn('b', work('b1', 1))])
  expect(log).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends'])
})
