import { expect, test, vi } from 'vitest'
import { usd } from '#kernel/money.ts'
import { ACCEPTED, DOWN, openQueue, orderOf, refusal } from '#tests/support/trades/acceptance-queue.ts'
import { blockedProblem, checkDueProblem } from '../../../guardrails/index.ts'
import { accountBusy, clocksDiffer } from '../../refusals.ts'
import type { AcceptRow } from '../accept.sql.ts'

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

test('a queue that drains answers pending orders and rejects new ones', async () => {
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

test.each([
  ['an account that another transaction has locked', { busy: true, balance: null, escrow: null }],
  ['limits that another transaction has locked', { stop: 'again' }],
] as const)('%s: its orders are tried again, and nobody waits for them', async (_, why) => {
  const { next, submit, isIdle, queue } = openQueue()
  const result = submit(orderOf(1))
  const locked = refusal(1, why as unknown as Partial<AcceptRow>)
  for (let times = 0; times < 3; times++) {
    const tried = await next()
    tried.answer([locked])
  }
  // Another trader's order doesn't wait for the lock, and may share its batch.
  const other = submit(orderOf(2))
  ;(await next()).answer()
  expect(await other).toBe(ACCEPTED)
  let isDrained = false
  const drained = queue.drain().then(() => {
    isDrained = true
  })
  ;(await next()).answer([locked])
  expect(isDrained).toBe(false)
  ;(await next()).answer()
  expect(await result).toBe(ACCEPTED)
  await drained
  expect(isIdle()).toBe(true)
})

test('the stored response of a locked account is found', async () => {
  const { next, submit } = openQueue()
  const result = submit(orderOf(1, { key: 'used' }))
  ;(await next()).answer([refusal(1, { busy: true, repeated: true })])
  expect(await result).toBe('repeated')
})

test('after four seconds it is unknown whether the order of a locked account is placed', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  try {
    const { next, submit } = openQueue()
    const result = submit(orderOf(1))
    const locked = refusal(1, { busy: true })
    now.mockReturnValue(4_999)
    ;(await next()).answer([locked])
    const last = await next()
    now.mockReturnValue(5_000)
    last.answer([locked])
    expect(await result).toBe(`unavailable: ${accountBusy().message}`)
  } finally {
    now.mockRestore()
  }
})

test('an order that is older than two seconds under the lock is rejected; a younger one of its account is judged again', async () => {
  const { next, submit, TRADE_TIME } = openQueue()
  const old = submit(orderOf(1, { pressedAt: TRADE_TIME - 2_001 }))
  const young = submit(orderOf(1, { pressedAt: TRADE_TIME - 2_000 }))
  ;(await next()).answer([refusal(1)])
  expect(await old).toEqual(expect.stringMatching(/^order_expired: Your order couldn't be placed within 2 seconds/))
  ;(await next()).answer()
  expect(await young).toBe(ACCEPTED)
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
