import { expect, test, vi } from 'vitest'
import { usd } from '#kernel/money.ts'
import { ACCEPTED, DOWN, openQueue, orderOf, refusal, storedOrder } from '#tests/support/trades/acceptance-queue.ts'
import type { AcceptRow } from './accept.sql.ts'
import type { Order } from './order.ts'

test('a repeated key: the lone order is repeated; orders of the same account are tried apart', async () => {
  const { next, submit } = openQueue()
  const orders = [orderOf(1, { key: 'used' }), orderOf(1, { key: 'new' })]
  const results = orders.map(submit)
  ;(await next()).answer([refusal(1, { repeated: true, balance: usd(0n), locked: true })])
  const first = await next()
  expect([first.statement, first.ids]).toEqual(['accept_looking', [orders[0]!.id]])
  first.answer([refusal(1, { repeated: true, locked: true })])
  ;(await next()).answer()
  expect(await Promise.all(results)).toEqual(['repeated', ACCEPTED])
})

test('after a repeated key, all keys are looked up for five seconds', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(10_000)
  try {
    const { next, submit } = openQueue()
    const statementAt = async (ms: number, refused: Partial<AcceptRow>[] = []) => {
      now.mockReturnValue(ms)
      const result = submit(orderOf(1))
      const run = await next()
      run.answer(refused)
      await result
      return run.statement
    }
    expect(await statementAt(10_000, [refusal(1, { repeated: true })])).toBe('accept')
    expect(await statementAt(14_999)).toBe('accept_looking')
    expect(await statementAt(15_000)).toBe('accept')
  } finally {
    now.mockRestore()
  }
})

test('a deadlock is tried again, as one batch', async () => {
  const { next, submit, logged } = openQueue()
  const results = [submit(orderOf(1)), submit(orderOf(2))]
  const first = await next()
  first.fail('40P01')
  const again = await next()
  expect(again.ids).toEqual(first.ids)
  again.answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED])
  expect(logged).toEqual([])
})

test('a reservation that another transaction has locked: its order is tried again alone, the others at once', async () => {
  const { next, submit, logged } = openQueue()
  const orders = [orderOf(1, { signal: 5n }), orderOf(2)]
  const results = orders.map(submit)
  ;(await next()).fail('55P03')
  ;(await next()).fail('55P03')
  const other = await next()
  expect(other.ids).toEqual([orders[1]!.id])
  other.answer()
  const again = await next()
  expect(again.ids).toEqual([orders[0]!.id])
  again.answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED])
  expect(logged).toEqual([])
})

test('a key twice in one batch: the later order is tried apart, when keys are looked up', async () => {
  const { next, submit } = openQueue()
  const orders = [
    orderOf(1, { key: 'k' }),
    orderOf(1, { key: 'k', mode: 'real' }),
    orderOf(2, { key: 'k' }),
    orderOf(3),
    orderOf(4),
  ]
  const results = orders.map(submit)
  ;(await next()).fail('23505')
  // Those with another key go together; the isolated one is taken first.
  const first = await next()
  expect([first.statement, first.ids]).toEqual(['accept_looking', [orders[1]!.id]])
  first.answer()
  const rest = await next()
  expect(rest.ids).toEqual([orders[0], orders[2], orders[3], orders[4]].map((order) => order!.id))
  rest.answer()
  expect(await Promise.all(results)).toEqual(Array(5).fill(ACCEPTED))
})

test('a key stored by another batch: a plain batch looks keys up, and a looking one is tried order by order', async () => {
  const { next, submit } = openQueue()
  const orders = [orderOf(1, { key: 'a' }), orderOf(2, { key: 'b' })]
  const results = orders.map(submit)
  ;(await next()).fail('23505')
  const looking = await next()
  expect([looking.statement, looking.ids.length]).toEqual(['accept_looking', 2])
  looking.fail('23505')
  const first = await next()
  expect(first.ids).toEqual([orders[0]!.id])
  first.answer()
  const second = await next()
  expect(second.ids).toEqual([orders[1]!.id])
  // Alone, and it still exists: was it this very order, whose reply was lost?
  second.fail('23505')
  const search = await next()
  expect([search.statement, search.ids]).toEqual(['accepted_of', [orders[1]!.id]])
  search.found([storedOrder(orders[1]!, 5n)])
  expect(await Promise.all(results)).toEqual([ACCEPTED, 'accepted at 5'])
})

test('a database without room rejects the whole batch at once, and says so in the log', async () => {
  const { next, submit, logged } = openQueue()
  const results = [submit(orderOf(1)), submit(orderOf(2))]
  ;(await next()).fail('53100')
  expect(await Promise.all(results)).toEqual([DOWN, DOWN])
  expect(logged).toEqual([{ error: 'Error: error 53100', orders: 2 }])
})

test('after a lost reply, orders that were stored are accepted, and the others sent alone', async () => {
  const { next, submit } = openQueue()
  const orders = [orderOf(1), orderOf(2), orderOf(3)]
  const results = orders.map(submit)
  ;(await next()).fail('57P01')
  const search = await next()
  expect([search.statement, search.ids]).toEqual(['accepted_of', orders.map(({ id }) => id)])
  search.found([storedOrder(orders[1]!, 77n)])
  for (const order of [orders[0]!, orders[2]!]) {
    const alone = await next()
    expect([alone.statement, alone.ids]).toEqual(['accept', [order.id]])
    alone.answer()
  }
  expect(await Promise.all(results)).toEqual([ACCEPTED, 'accepted at 77', ACCEPTED])
})

test.each([
  ['account', (order: Order) => ({ ...order, accountId: order.accountId + 2n })],
  ['key', (order: Order) => ({ ...order, key: 'other' })],
  ['fingerprint', (order: Order) => ({ ...order, fingerprint: Buffer.alloc(16, 9) })],
  ['stake', (order: Order) => ({ ...order, stake: usd(order.stake + 1n) })],
  ['side', (order: Order): Order => ({ ...order, side: 'Sell' })],
])("after a lost reply, a trade with the order's id and another %s is not taken for it", async (_, other) => {
  const { next, submit } = openQueue()
  const order = orderOf(1, { key: 'mine' })
  const result = submit(order)
  ;(await next()).fail('57P01')
  ;(await next()).found([storedOrder(other(order), 77n)])
  // That id is used up.
  const again = await next()
  expect(again.statement).toBe('accept')
  expect(again.ids).not.toEqual([order.id])
  again.answer()
  expect(await result).toBe(ACCEPTED)
})

test('an order without a key is known by its terms', async () => {
  const { next, submit } = openQueue()
  const order = orderOf(1)
  const result = submit(order)
  ;(await next()).fail('57P01')
  ;(await next()).found([storedOrder(order, 77n)])
  expect(await result).toBe('accepted at 77')
})

test('an order whose reply was lost is looked up once more before it is rejected', async () => {
  const { next, submit, TRADE_TIME } = openQueue()
  const orders = [1, 2].map((user) => orderOf(user, { pressedAt: TRADE_TIME - 3_000 }))
  const results = orders.map(submit)
  ;(await next()).fail('57P01')
  ;(await next()).found([])
  // The lost statement commits now. The next one has the locks, so after it the look is final.
  for (const [index, order] of orders.entries()) {
    ;(await next()).answer([refusal(index + 1)])
    const search = await next()
    expect([search.statement, search.ids]).toEqual(['accepted_of', [order.id]])
    search.found(index === 0 ? [storedOrder(order, 77n)] : [])
  }
  expect(await Promise.all(results)).toEqual([
    'accepted at 77',
    expect.stringMatching(/^order_expired: Your order couldn't be placed within 2 seconds/),
  ])
})

test('while that look fails, it is unknown whether the order is placed', async () => {
  const { next, submit } = openQueue()
  const result = submit(orderOf(1))
  ;(await next()).fail('57P01')
  ;(await next()).found([])
  ;(await next()).answer([refusal(1, { balance: usd(0n) })])
  ;(await next()).fail('57P01')
  expect(await result).toBe(DOWN)
})

test('a search that fails for another reason rejects its orders with it', async () => {
  const { next, submit } = openQueue()
  const results = [submit(orderOf(1)), submit(orderOf(2))]
  ;(await next()).fail('57P01')
  ;(await next()).fail('42703')
  expect(await Promise.all(results)).toEqual(Array(2).fill('42703: error 42703'))
})

test('while the database is down, orders wait four seconds from when they were sent, then all are rejected', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  try {
    const { next, submit, isIdle, queue } = openQueue()
    const results = [submit(orderOf(1))]
    ;(await next()).fail('57P01')
    ;(await next()).fail('ECONNREFUSED')
    now.mockReturnValue(4_999)
    const search = await next()
    results.push(submit(orderOf(2)))
    search.fail('ECONNREFUSED')
    const last = await next()
    now.mockReturnValue(5_000)
    last.fail('ECONNREFUSED')
    expect(await Promise.all(results)).toEqual([DOWN, DOWN])
    expect(isIdle()).toBe(true)
    expect(queue.waiting()).toBe(0)
  } finally {
    now.mockRestore()
  }
})

test('a batch that fails for another reason is tried order by order, and only the faulty one is rejected', async () => {
  const { next, submit, logged } = openQueue()
  const orders = [orderOf(1), orderOf(2)]
  const results = orders.map(submit)
  ;(await next()).fail('22003')
  const first = await next()
  expect(first.ids).toEqual([orders[0]!.id])
  first.fail('22003')
  ;(await next()).answer()
  expect(await Promise.all(results)).toEqual(['22003: error 22003', ACCEPTED])
  expect(logged).toEqual([
    { error: 'Error: error 22003', orders: 2 },
    { error: 'Error: error 22003', orders: 1 },
  ])
})

test.each(['trades_reserved', 'trades_waiting_orders'])(
  'an order that %s refuses is rejected alone, and nothing is logged',
  async (constraint) => {
    const { next, submit, logged } = openQueue()
    const results = [submit(orderOf(1, { signal: 5n })), submit(orderOf(2))]
    ;(await next()).fail('23514', constraint)
    ;(await next()).fail('23514', constraint)
    ;(await next()).answer()
    expect(await Promise.all(results)).toEqual(['23514: error 23514', ACCEPTED])
    expect(logged).toEqual([])
  },
)
