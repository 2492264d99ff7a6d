import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { inTransaction } from '../platform/database/db.ts'
import {
  accountOf,
  balanceBefore,
  type Cause,
  holdsNewest,
  movementsOf,
  openAccounts,
  owedToTraders,
  type Part,
  periodCountsOf,
  post,
  resultSince,
  transferPages,
  transfersBetween,
} from './index.ts'
import type { LedgerAccount } from './post.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

let nextCause = 1n
let lastUser = 0n
async function newUser(): Promise<{ userId: bigint; real: bigint }> {
  const userId = ++lastUser
  await inTransaction(database.db, (tx) => openAccounts(tx, userId))
  return { userId, real: accountOf(userId, 'real') }
}
const part = (debit: LedgerAccount, credit: LedgerAccount, cents: bigint): Part => ({
  debit,
  credit,
  amount: usd(cents),
})
async function move(userId: bigint, cause: Cause, ...parts: Part[]): Promise<bigint> {
  const causeId = nextCause++
  await inTransaction(database.db, (tx) => post(tx, { userId, mode: 'real', cause, causeId, parts }))
  return causeId
}
async function asSuper(statement: string): Promise<void> {
  const client = await connectTo(database.superUrl)
  try {
    await client.query(`begin; set local session_replication_role = 'replica'; ${statement}; commit`)
  } finally {
    await client.end()
  }
}

/** 100.00 in, 40.00 of it held and paid, and 5.00 more, each a moment after the one before. */
async function history() {
  const { userId, real } = await newUser()
  const causes: bigint[] = []
  for (const [cause, debit, credit, cents] of [
    ['deposit_credit', 'external_in', 'balance', 10_000n],
    ['withdraw_hold', 'balance', 'hold', 4_000n],
    ['withdraw_paid', 'hold', 'external_out', 4_000n],
    ['deposit_credit', 'external_in', 'balance', 500n],
  ] as const) {
    causes.push(await move(userId, cause, part(debit, credit, cents)))
    await sleep(5)
  }
  const rows = await database.db
    .selectFrom('transfers')
    .select('at')
    .where('account_id', '=', real)
    .orderBy('account_seq')
    .execute()
  return { userId, real, causes, times: rows.map(({ at }) => at.getTime()) }
}

test('a range begins with the first movement at its start, and ends before its end', async () => {
  const { userId, real, times } = await history()
  const between = (from: number, to: number) => transfersBetween(database.db, userId, 'real', from, to)
  expect(await between(times[1]!, times[3]!)).toEqual({ accountId: real, from: 2n, to: 3n })
  expect(await between(0, times[0]!)).toEqual({ accountId: real, from: 1n, to: 0n })
  expect(await between(times[0]! + 1, times[3]! + 1)).toEqual({ accountId: real, from: 2n, to: 4n })
  expect(await between(times[3]! + 1, times[3]! + 2)).toEqual({ accountId: real, from: 5n, to: 4n })
})

test('the balance before a range, whatever its first movement did', async () => {
  const { real } = await history()
  const before = (from: bigint) => balanceBefore(database.db, { accountId: real, from, to: 9n })
  expect(await Promise.all([1n, 2n, 3n, 4n, 5n].map(before))).toEqual([0n, 10_000n, 6_000n, 6_000n, 6_500n])
  const { real: unused } = await newUser()
  expect(await balanceBefore(database.db, { accountId: unused, from: 1n, to: 0n })).toBe(0n)
})

test('movements are found by their causes, and those of another account are not', async () => {
  const { real, causes } = await history()
  const { real: other } = await history()
  const found = await movementsOf(database.db, real, ['withdraw_hold', 'withdraw_paid'], causes)
  expect(found).toEqual([
    {
      ...{ cause: 'withdraw_hold', cause_id: causes[1], account_seq: 2n, debit: 'balance', credit: 'hold' },
      ...{ amount: 4_000n, balance_after: 6_000n, at: expect.any(Date) },
    },
    expect.objectContaining({ cause: 'withdraw_paid', cause_id: causes[2], account_seq: 3n, balance_after: 6_000n }),
  ])
  expect(await movementsOf(database.db, real, ['withdraw_hold'], [causes[0]!])).toEqual([])
  expect(await movementsOf(database.db, other, ['withdraw_hold'], causes)).toEqual([])
})

test('a range is read in pages, oldest first, each movement once', async () => {
  const { userId, real } = await newUser()
  await move(
    userId,
    'deposit_credit',
    ...Array.from({ length: 2_000 }, (_, n) => part('external_in', 'balance', BigInt(n + 1))),
  )
  const read = async (from: bigint, to: bigint) => {
    const pages: bigint[][] = []
    for await (const page of transferPages(database.db, { accountId: real, from, to }))
      pages.push(page.map((transfer) => transfer.account_seq))
    return pages
  }
  const all = await read(1n, 2_000n)
  expect(all.map((page) => page.length)).toEqual([1_000, 1_000])
  expect(all.flat()).toEqual(Array.from({ length: 2_000 }, (_, n) => BigInt(n + 1)))
  expect(await read(999n, 1_001n)).toEqual([[999n, 1_000n, 1_001n]])
  expect(await read(5n, 4n)).toEqual([])
})

test('whether an account holds what its newest movement left', async () => {
  const { real } = await history()
  const { real: unused } = await newUser()
  const holds = (accountId: bigint) => holdsNewest(database.db, accountId)
  expect(await Promise.all([real, unused, 999_999n].map(holds))).toEqual([true, true, false])
  await asSuper(`update accounts set balance = balance + 1 where id = ${real}`)
  await asSuper(`update accounts set seq = seq + 1 where id = ${unused}`)
  expect(await Promise.all([real, unused].map(holds))).toEqual([false, false])
  await asSuper(`update accounts set balance = balance - 1 where id = ${real}`)
  await asSuper(`update accounts set seq = seq - 1 where id = ${unused}`)
})

test('counts of stakes and losses are read by period', async () => {
  const { real } = await newUser()
  await asSuper(`update accounts set counted_on = '2026-11-05', staked_day = 1, staked_week = 2, staked_month = 3,
    lost_day = -4, lost_week = 5, lost_month = 6 where id = ${real}`)
  expect(await periodCountsOf(database.db, real)).toEqual({
    countedOn: '2026-11-05',
    staked: { day: 1n, week: 2n, month: 3n },
    lost: { day: -4n, week: 5n, month: 6n },
    openStakes: 0n,
  })
})

test('the result since a movement is what trades won less what they lost', async () => {
  const { userId, real } = await newUser()
  await move(userId, 'deposit_credit', part('external_in', 'balance', 10_000n))
  await move(userId, 'trade_open', part('balance', 'escrow', 1_000n))
  await move(userId, 'trade_open', part('balance', 'escrow', 2_000n))
  await move(userId, 'trade_settle', part('escrow', 'balance', 1_000n), part('house', 'balance', 750n))
  await move(userId, 'trade_settle', part('escrow', 'house', 2_000n))
  const since = (seq: bigint) => resultSince(database.db, real, seq)
  expect(await since(1n)).toEqual({ trades: 2, result: -1_250n })
  expect(await since(2n)).toEqual({ trades: 1, result: -1_250n })
  expect(await since(5n)).toEqual({ trades: 0, result: -2_000n })
  expect(await since(6n)).toEqual({ trades: 0, result: 0n })
})

test('everyone whom real money is owed is found once', async () => {
  const users = await Promise.all(Array.from({ length: 30 }, () => newUser()))
  const owed = users.slice(0, 20).map(({ userId }) => userId)
  for (const userId of owed) await move(userId, 'deposit_credit', part('external_in', 'balance', 100n + userId))
  const found: bigint[] = []
  await inTransaction(database.db, async (tx) => {
    for await (const page of owedToTraders(tx))
      for (const { user_id, available } of page)
        if (users.some(({ userId }) => userId === user_id)) {
          expect(available).toBe(100n + user_id)
          found.push(user_id)
        }
  })
  expect(found.toSorted()).toEqual(owed.toSorted())
})
