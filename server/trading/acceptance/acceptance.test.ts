import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { accountOf } from '../../ledger/index.ts'
import type { Acceptance, AcceptanceLane } from './acceptance.ts'
import { acceptanceLanes } from './acceptance-lanes.ts'
import type { Order } from './order.ts'

let lastId = 0n
const orderOf = (userId: bigint): Order => ({
  id: ++lastId,
  accountId: accountOf(userId, 'demo'),
  symbolId: 1,
  sourceKind: 2,
  staleAfterMs: 10_000,
  side: 'Buy',
  strikeRate: '75/3',
  percent: 75,
  stake: usd(100n),
  durationSeconds: 60,
  pressedAt: 1,
  limited: false,
  offer: { version: 1, fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER },
  key: undefined,
  fingerprint: Buffer.alloc(16),
  salt: '00112233445566778899aabbccddeeff',
})

/** A lane that accepts when the test asks it to. */
function openLane() {
  const orders: { order: Order; resolve(result: Acceptance): void; reject(error: unknown): void }[] = []
  const lane: AcceptanceLane = {
    submit: (order) => new Promise((resolve, reject) => orders.push({ order, resolve, reject })),
    waiting: () => orders.length,
    drain: async () => undefined,
  }
  return {
    lane,
    orders,
    accept() {
      for (const { order, resolve } of orders.splice(0))
        resolve({ kind: 'accepted', accepted: { order, tradeTime: 1 } })
    },
  }
}

test('the second lane is used only when the first is full', async () => {
  const [first, second] = [openLane(), openLane()]
  const queue = acceptanceLanes([first.lane, second.lane])
  const all = Array.from({ length: 130 }, (_, user) => queue.submit(orderOf(BigInt(user))))
  expect([first.orders.length, second.orders.length]).toEqual([128, 2])
  first.accept()
  all.push(queue.submit(orderOf(500n)))
  expect([first.orders.length, second.orders.length]).toEqual([1, 2])
  first.accept()
  second.accept()
  await Promise.all(all)
})

test("a trader's orders in flight share a lane, whatever their mode and however full it is", async () => {
  const [first, second] = [openLane(), openLane()]
  const queue = acceptanceLanes([first.lane, second.lane])
  const all = Array.from({ length: 129 }, (_, user) => queue.submit(orderOf(BigInt(user))))
  expect(second.orders).toHaveLength(1)
  // Trader 128 is in the second lane, trader 0 in the first.
  all.push(queue.submit({ ...orderOf(128n), accountId: accountOf(128n, 'real') }), queue.submit(orderOf(0n)))
  expect([first.orders.length, second.orders.length]).toEqual([129, 2])
  first.accept()
  await Promise.all(all.slice(0, 128))
  // The first lane is free again, but an order of trader 128 is still in the second.
  all.push(queue.submit(orderOf(128n)))
  expect([first.orders.length, second.orders.length]).toEqual([0, 3])
  second.accept()
  await Promise.all(all)
  all.push(queue.submit(orderOf(128n)))
  expect([first.orders.length, second.orders.length]).toEqual([1, 0])
  first.accept()
  await Promise.all(all)
})

test('a trader keeps the lane until the last of their orders is answered', async () => {
  const [first, second] = [openLane(), openLane()]
  const queue = acceptanceLanes([first.lane, second.lane])
  const all = Array.from({ length: 129 }, (_, user) => queue.submit(orderOf(BigInt(user))))
  all.push(queue.submit(orderOf(128n)))
  const [one] = second.orders.splice(0, 1)
  one!.resolve({ kind: 'accepted', accepted: { order: one!.order, tradeTime: 1 } })
  await all[128]
  first.accept()
  all.push(queue.submit(orderOf(128n)))
  expect([first.orders.length, second.orders.length]).toEqual([0, 2])
  second.accept()
  await Promise.all(all)
})

test('draining waits for every lane', async () => {
  const drained: string[] = []
  const lane = (name: string) => ({ ...openLane().lane, drain: async () => void drained.push(name) })
  await acceptanceLanes([lane('first'), lane('second')]).drain()
  expect(drained).toEqual(['first', 'second'])
})

test('a rejected order frees its trader to use another lane', async () => {
  const [first, second] = [openLane(), openLane()]
  const queue = acceptanceLanes([first.lane, second.lane])
  const all = Array.from({ length: 129 }, (_, user) => queue.submit(orderOf(BigInt(user))))
  const last = all.at(-1)!
  second.orders.splice(0)[0]!.reject(new Error('refused'))
  await expect(last).rejects.toThrow('refused')
  first.accept()
  await Promise.all(all.slice(0, 128))
  const again = queue.submit(orderOf(128n))
  expect(first.orders).toHaveLength(1)
  first.accept()
  await again
})

test('when all lanes are overloaded, orders are rejected until one is accepted', async () => {
  const [first, second] = [openLane(), openLane()]
  const queue = acceptanceLanes([first.lane, second.lane], 130)
  const all = Array.from({ length: 260 }, (_, user) => queue.submit(orderOf(BigInt(user))))
  await expect(queue.submit(orderOf(999n))).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
  second.accept()
  all.push(queue.submit(orderOf(999n)))
  expect(second.orders).toHaveLength(1)
  first.accept()
  second.accept()
  await Promise.all(all)
})
