import { expect, test, vi } from 'vitest'
import { usd } from '#kernel/money.ts'
import { orderOf as anOrder } from '#tests/support/orders.ts'
import { blockedProblem, checkDueProblem } from '../guardrails/index.ts'
import { accountOf } from '../ledger/index.ts'
import type { Connection } from '../platform/connection.ts'
import { createLog } from '../platform/log.ts'
import type { AcceptRow } from './accept.sql.ts'
import { acceptanceQueue, clocksDiffer } from './acceptance.ts'
import type { Order } from './order.ts'

// An order that is never answered fails its test soon.
vi.setConfig({ testTimeout: 4_000 })

const OPEN_STAKE_MAX = usd(5_000n)
const TRADE_TIME = 1_790_000_000_000

const orderOf = (userId: number, more: Parameters<typeof anOrder>[1] = {}) => anOrder(BigInt(userId), more)

/** Why an account was rejected; the rest as if nothing were wrong with it. */
const refusal = (userId: number, why: Partial<AcceptRow> = {}): Partial<AcceptRow> => ({
  id: accountOf(BigInt(userId), 'demo'),
  balance: usd(1_000n),
  escrow: usd(0n),
  repeated: false,
  full: false,
  locked: false,
  stop: null,
  guard: null,
  guard_room: null,
  ahead: false,
  ...why,
})

interface Run {
  statement: string
  /** The ids of its orders. */
  ids: bigint[]
  answer(refused?: Partial<AcceptRow>[]): void
  found(rows: Record<string, unknown>[]): void
  fail(code: string): void
}

const failure = (code: string) => Object.assign(new Error(`error ${code}`), { code })

/** A queue on a connection whose statements the test answers. */
function openQueue(options: { batchMax?: number } = {}) {
  const runs: Run[] = []
  let next: ((run: Run) => void) | undefined
  const logged: unknown[] = []
  const connection: Connection = {
    run: <Row>(statement: string, _text: string, values: unknown[]) =>
      new Promise<Row[]>((resolve, reject) => {
        const looksBack = statement === 'accepted_of'
        const ids = looksBack ? (values[0] as bigint[]) : listOf(values[3]).map(BigInt)
        const accounts = new Set(looksBack ? [] : listOf(values[4])).size
        const run: Run = {
          statement,
          ids,
          answer(refused = []) {
            const totals = { trade_time: BigInt(TRADE_TIME), accepted: BigInt(accounts - refused.length) }
            const rows = refused.length === 0 ? [{ id: null }] : refused
            resolve(rows.map((row) => ({ ...row, ...totals })) as Row[])
          },
          found: (rows) => resolve(rows as Row[]),
          fail: (code) => reject(failure(code)),
        }
        if (next) next(run)
        else runs.push(run)
        next = undefined
      }),
    close: async () => undefined,
  }
  const log = createLog('silent')
  log.error = ((fields: unknown) => logged.push(fields)) as typeof log.error
  const queue = acceptanceQueue({ connection, openStakeMax: () => OPEN_STAKE_MAX, log, ...options })
  return {
    queue,
    logged,
    /** Waits for the next statement. */
    next: () =>
      new Promise<Run>((resolve, reject) => {
        const run = runs.shift()
        if (run) return resolve(run)
        const late = setTimeout(() => reject(new Error('no statement was sent')), 1_000)
        next = (one) => {
          clearTimeout(late)
          resolve(one)
        }
      }),
    /** Whether a statement is in flight that the test hasn't answered. */
    isIdle: () => runs.length === 0,
    /** Submits an order; its result as text: `accepted`, `repeated`, or why it was rejected. */
    submit: (order: Order) =>
      queue.submit(order).then(
        (result) => (result.kind === 'accepted' ? `accepted at ${result.accepted.tradeTime}` : result.kind),
        (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
      ),
  }
}

const listOf = (text: unknown) => String(text).slice(1, -1).split(',')
const ACCEPTED = `accepted at ${TRADE_TIME}`
const DOWN = expect.stringContaining("unavailable: The service can't reach its database")

test('orders that arrive together form a batch; those that arrive meanwhile form the next', async () => {
  const { queue, next, submit } = openQueue({ batchMax: 2 })
  const orders = [1, 2, 3, 4].map((user) => orderOf(user))
  const results = orders.slice(0, 3).map(submit)
  expect(queue.waiting()).toBe(3)
  const first = await next()
  expect([first.statement, first.ids]).toEqual(['accept', [orders[0]!.id, orders[1]!.id]])
  results.push(submit(orders[3]!))
  first.answer()
  const second = await next()
  expect(second.ids).toEqual([orders[2]!.id, orders[3]!.id])
  second.answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED])
  expect(queue.waiting()).toBe(0)
})

test('a queue that drains answers what waits and rejects what comes', async () => {
  const { queue, next, submit, isIdle } = openQueue({ batchMax: 1 })
  const results = [submit(orderOf(1)), submit(orderOf(2))]
  let isDrained = false
  const drained = queue.drain().then(() => {
    isDrained = true
  })
  expect(await submit(orderOf(3))).toEqual(DOWN)
  ;(await next()).answer()
  const last = await next()
  expect(isDrained).toBe(false)
  last.answer()
  await drained
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED])
  expect(isIdle()).toBe(true)
  await queue.drain()
})

test.each([
  ['a locked account', { locked: true }, 'account_locked: Trading is locked for this account. Contact support.'],
  ['a clock ahead of the tape', { ahead: true }, `unavailable: ${clocksDiffer().message}`],
  ['a balance too small', { balance: usd(99n) }, 'insufficient_balance: Insufficient balance'],
  [
    'open stakes at their limit',
    { escrow: usd(4_901n) },
    "limit_reached: Your open stakes can't exceed $50.00 in total. Wait for a trade to settle.",
  ],
  ['a time-out', { stop: 'blocked' }, `${blockedProblem().code}: ${blockedProblem().message}`],
  ['a reality check that is due', { stop: 'check' }, `reality_check_due: ${checkDueProblem().message}`],
  ['no account', { balance: null }, expect.stringMatching(/^undefined: account \d+ does not exist$/)],
] as const)('rejects an order for %s', async (_, why, says) => {
  const { next, submit, isIdle } = openQueue()
  const result = submit(orderOf(1))
  ;(await next()).answer([refusal(1, why as Partial<AcceptRow>)])
  expect(await result).toEqual(says)
  expect(isIdle()).toBe(true)
})

test('a stake that exactly fits the balance, the open stakes and the own limit is judged again, and not rejected', async () => {
  const { next, submit } = openQueue()
  const result = submit(orderOf(1))
  const just = { balance: usd(100n), escrow: usd(4_900n), guard: 'stake_day', guard_room: 100n }
  ;(await next()).answer([refusal(1, just)])
  ;(await next()).answer()
  expect(await result).toBe(ACCEPTED)
})

test("an order over the trader's own limit says which, and how much is left", async () => {
  const { next, submit } = openQueue()
  const result = submit(orderOf(1))
  ;(await next()).answer([refusal(1, { guard: 'stake_day', guard_room: 99n })])
  expect(await result).toMatch(/^limit_reached: .*\$0\.99/)
})

test('limits that have to be read again are judged again', async () => {
  const { next, submit } = openQueue()
  const orders = [orderOf(1), orderOf(1)]
  const results = orders.map(submit)
  ;(await next()).answer([refusal(1, { stop: 'again' })])
  const again = await next()
  expect(again.ids).toEqual(orders.map(({ id }) => id))
  again.answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED])
})

test.each([
  ['balance', { balance: usd(250n) }],
  ['open stakes', { escrow: usd(4_750n) }],
  ['own limit', { guard: 'stake_day', guard_room: 250n }],
] as const)('orders of one account that exceed its %s: those that fit stay together', async (_, why) => {
  const { next, submit } = openQueue()
  const orders = [orderOf(1), orderOf(2), orderOf(1), orderOf(1)]
  const results = orders.map(submit)
  ;(await next()).answer([refusal(1, why as Partial<AcceptRow>)])
  const alone = await next()
  expect(alone.ids).toEqual([orders[3]!.id])
  alone.answer()
  const fitting = await next()
  expect(fitting.ids).toEqual([orders[0]!.id, orders[2]!.id])
  fitting.answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED])
})

test('a rejected account takes nobody else with it', async () => {
  const { next, submit } = openQueue()
  const results = [submit(orderOf(1)), submit(orderOf(2)), submit(orderOf(3))]
  ;(await next()).answer([refusal(2, { balance: usd(0n) })])
  expect(await Promise.all(results)).toEqual([ACCEPTED, 'insufficient_balance: Insufficient balance', ACCEPTED])
})

test.each([
  ['balance', { balance: usd(300n) }],
  ['open stakes', { escrow: usd(4_700n) }],
  ['own limit', { guard: 'stake_day', guard_room: 300n }],
] as const)('orders of one account that just fit its %s are judged again together', async (_, why) => {
  const { next, submit } = openQueue()
  const orders = [orderOf(1), orderOf(1), orderOf(1)]
  const results = orders.map(submit)
  ;(await next()).answer([refusal(1, why as Partial<AcceptRow>)])
  const again = await next()
  expect(again.ids).toEqual(orders.map(({ id }) => id))
  again.answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED])
})

test('one order on a limited symbol makes its whole batch look at limits', async () => {
  const { next, submit } = openQueue()
  const results = [submit(orderOf(1)), submit(orderOf(2, { limited: true }))]
  const run = await next()
  expect(run.statement).toBe('accept_limited')
  run.answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED])
})

test('an answer of the database that accepts fewer accounts than it says nothing of is an error', async () => {
  const { next, submit, logged } = openQueue()
  const results = [submit(orderOf(1)), submit(orderOf(2))]
  ;(await next()).found([{ id: null, accepted: 1n, trade_time: 1n }])
  ;(await next()).answer()
  ;(await next()).answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED])
  expect(logged).toEqual([
    { error: expect.stringContaining('each account of a batch is accepted or refused'), orders: 2 },
  ])
})

test('an answer of the database that leaves out an account is an error', async () => {
  const { next, submit } = openQueue()
  const results = [submit(orderOf(1)), submit(orderOf(2))]
  const run = await next()
  run.found([])
  ;(await next()).answer()
  ;(await next()).answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED])
})

test('a full symbol: orders of several accounts are tried apart, one that is alone is rejected', async () => {
  const { next, submit } = openQueue()
  const orders = [1, 2, 3].map((user) => orderOf(user, { limited: true, symbolId: 7 }))
  const results = orders.map(submit)
  const together = await next()
  expect(together.statement).toBe('accept_limited')
  together.answer([1, 2, 3].map((user) => refusal(user, { full: true })))
  const first = await next()
  expect(first.ids).toEqual([orders[0]!.id])
  first.answer()
  const second = await next()
  expect(second.ids).toEqual([orders[1]!.id])
  second.answer([refusal(2, { full: true })])
  ;(await next()).answer([refusal(3, { full: true })])
  const full = 'limit_reached: This symbol has reached its limit for open stakes. Choose another symbol or try later.'
  expect(await Promise.all(results)).toEqual([ACCEPTED, full, full])
})

test('orders apart share a batch if their accounts and limited symbols differ, up to its maximum', async () => {
  const { next, submit } = openQueue({ batchMax: 5 })
  const limited = (user: number, symbolId: number) => orderOf(user, { limited: true, symbolId })
  const orders = [limited(1, 7), limited(2, 7), limited(1, 8), limited(3, 9), limited(4, 7)]
  const results = orders.map(submit)
  ;(await next()).answer([1, 2, 3, 4].map((user) => refusal(user, { full: true })))
  const free = submit(orderOf(5))
  const first = await next()
  expect(first.ids).toEqual([orders[0]!.id, orders[3]!.id])
  first.answer()
  const second = await next()
  // The order of trader 1 on symbol 8, and one on symbol 7. The one that may be with others comes when they are done.
  expect(second.ids).toEqual([orders[2]!.id, orders[1]!.id])
  second.answer()
  const third = await next()
  expect(third.ids).toEqual([orders[4]!.id])
  third.answer()
  ;(await next()).answer()
  expect(await Promise.all([...results, free])).toEqual(Array(6).fill(ACCEPTED))
})

test('an order apart on a symbol without a limit is only apart from its own account', async () => {
  const { next, submit } = openQueue({ batchMax: 2 })
  const orders = [1, 2, 3].map((user) => orderOf(user, { key: 'k' }))
  // The same key twice for each: all second ones are judged apart.
  const results = orders.map(submit)
  ;(await next()).answer([1, 2].map((user) => refusal(user, { full: true })))
  const apart = await next()
  expect(apart.ids).toEqual([orders[0]!.id, orders[1]!.id])
  apart.answer()
  ;(await next()).answer()
  expect(await Promise.all(results)).toEqual([ACCEPTED, ACCEPTED, ACCEPTED])
})

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
  // Whoever is free of the key goes together; the isolated one is taken first.
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
  search.found([{ id: orders[1]!.id, trade_time: 5n }])
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
  search.found([{ id: orders[1]!.id, trade_time: 77n }])
  for (const order of [orders[0]!, orders[2]!]) {
    const alone = await next()
    expect([alone.statement, alone.ids]).toEqual(['accept', [order.id]])
    alone.answer()
  }
  expect(await Promise.all(results)).toEqual([ACCEPTED, 'accepted at 77', ACCEPTED])
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
