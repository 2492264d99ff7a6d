import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { usd } from '#kernel/money.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { fund, openUser } from '#tests/support/trades/money.ts'
import { openBus } from '../platform/bus/index.ts'
import { inTransaction } from '../platform/database/db.ts'
import { createLog } from '../platform/process/log.ts'
import type { UserNews } from '../platform/sockets/push.ts'
import { openAccounts } from './open-accounts.ts'
import { type BalanceTopics, openBalancePush, startBalanceSender } from './push-balances.ts'

async function openTwoUsers(connected: bigint[]) {
  const { db } = await testDatabase()
  const log = createLog('silent')
  const pushed: { userId: bigint; news: UserNews }[] = []
  const bus = await openBus<BalanceTopics>(log)
  const sockets = {
    listening: (userIds: readonly bigint[]) => userIds.filter((userId) => connected.includes(userId)),
    sendToUser: (userId: bigint, ...news: UserNews[]) =>
      void pushed.push(...news.map((one) => ({ userId, news: one }))),
  }
  const sender = startBalanceSender({ db, sockets, bus, log })
  const balances = openBalancePush(bus)
  for (const userId of [1n, 2n])
    await inTransaction(db, async (tx) => {
      await openUser(tx, userId)
      await openAccounts(tx, userId)
    })
  return { db, pushed, balances, sender }
}

test('a transaction pushes the balances of each user once, as they are after the commit', async () => {
  const { db, pushed, balances } = await openTwoUsers([1n, 2n])
  await inTransaction(db, async (tx) => {
    for (const userId of [1n, 1n, 2n, 1n]) {
      balances.afterCommit(tx, userId)
      await fund(tx, userId, usd(1_000n))
    }
    expect(pushed).toEqual([])
  })
  await expect.poll(() => pushed.length).toBe(2)
  expect(pushed).toEqual([
    { userId: 1n, news: { op: 'balance', data: { balance: 30, demo_balance: 10_000 } } },
    { userId: 2n, news: { op: 'balance', data: { balance: 10, demo_balance: 10_000 } } },
  ])
})

test('nothing is pushed after a rollback, or to a user without an open screen', async () => {
  const { db, pushed, balances } = await openTwoUsers([1n])
  const failed = inTransaction(db, async (tx) => {
    balances.afterCommit(tx, 1n)
    throw new Error('changed its mind')
  })
  await expect(failed).rejects.toThrow('changed its mind')
  await inTransaction(db, async (tx) => balances.afterCommit(tx, 2n))
  await sleep(100)
  expect(pushed).toEqual([])
})

test('users who are named while balances are read share the next query', async () => {
  const { db, pushed, sender } = await openTwoUsers([1n, 2n])
  const queries = vi.spyOn(db, 'selectFrom')
  sender.changed([1n])
  sender.changed([2n])
  sender.changed([1n])
  sender.changed([2n])
  await expect.poll(() => pushed.length).toBe(3)
  expect(queries).toHaveBeenCalledTimes(2)
  expect(pushed.map(({ userId }) => Number(userId)).toSorted()).toEqual([1, 1, 2])
})

test('knows whose balances may have changed since a moment', async () => {
  const { pushed, sender } = await openTwoUsers([1n])
  const before = performance.now()
  expect(sender.mayHaveChanged(1n, before)).toBe(false)
  sender.changed([1n, 2n])
  const named = performance.now() + 0.001
  // Being read: the query may not see what a later statement has changed.
  expect(sender.mayHaveChanged(1n, named)).toBe(true)
  await expect.poll(() => pushed.length).toBe(1)
  await sleep(5)
  expect(sender.mayHaveChanged(1n, before)).toBe(true)
  expect(sender.mayHaveChanged(1n, named)).toBe(false)
  expect(sender.mayHaveChanged(2n, before), 'nothing was sent to a user without a screen').toBe(false)
})

test('remembers for ten seconds who was named, and trusts no older statement', async () => {
  const { pushed, sender } = await openTwoUsers([1n])
  vi.useFakeTimers({ toFake: ['performance'], now: performance.now() })
  onTestFinished(() => void vi.useRealTimers())
  const sentAt = performance.now()
  sender.changed([1n])
  await expect.poll(() => pushed.length).toBe(1)
  vi.advanceTimersByTime(9_000)
  const later = performance.now()
  sender.changed([])
  expect(sender.mayHaveChanged(1n, sentAt)).toBe(true)
  vi.advanceTimersByTime(1_000)
  sender.changed([])
  expect(sender.mayHaveChanged(1n, sentAt)).toBe(true)
  expect(sender.mayHaveChanged(1n, later)).toBe(false)
})

test('a failed query harms only its own batch', async () => {
  const { db, pushed, sender } = await openTwoUsers([1n])
  const failing = vi.spyOn(db, 'selectFrom').mockImplementationOnce(() => {
    throw new Error('the database is gone')
  })
  sender.changed([1n])
  await sleep(20)
  failing.mockRestore()
  await inTransaction(db, (tx) => fund(tx, 1n, usd(1_000n)))
  sender.changed([1n])
  await expect
    .poll(() => pushed)
    .toEqual([{ userId: 1n, news: { op: 'balance', data: { balance: 10, demo_balance: 10_000 } } }])
})
