import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { testDatabase } from '#tests/support/database.ts'
import { fund, openUser } from '#tests/support/money.ts'
import { inTransaction } from '../platform/db.ts'
import type { UserNews } from '../platform/push.ts'
import { openAccounts } from './open-accounts.ts'
import { openBalancePush } from './push-balances.ts'

async function openTwoUsers(connected: bigint[]) {
  const { db } = await testDatabase()
  const pushed: { userId: bigint; news: UserNews }[] = []
  const balances = openBalancePush(db, {
    listening: (userIds) => userIds.filter((userId) => connected.includes(userId)),
    tell: (userId, news) => pushed.push({ userId, news }),
  })
  for (const userId of [1n, 2n])
    await inTransaction(db, async (tx) => {
      await openUser(tx, userId)
      await openAccounts(tx, userId)
    })
  return { db, pushed, balances }
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
  expect(pushed).toEqual([])
})
