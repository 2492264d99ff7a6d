import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { inTransaction, sql } from '../platform/database/db.ts'
import {
  accountOf,
  balancesOf,
  grantDemo,
  hasRealMovement,
  ledgerChecks,
  openAccounts,
  openRequestKeys,
  post,
} from './index.ts'

const DEMO_BALANCE = usd(1_000_000n)

let database: TestDatabase
let nextCause = 1_000n

beforeAll(async () => {
  database = await createTestDatabase({ max: 50 })
})
afterAll(() => database.drop())

let lastUser = 0n
async function newUser(realCents = 0n): Promise<bigint> {
  const userId = ++lastUser
  await inTransaction(database.db, (tx) => openAccounts(tx, userId))
  if (realCents > 0n) await deposit(userId, realCents)
  return userId
}
const deposit = (userId: bigint, cents: bigint) =>
  inTransaction(database.db, (tx) =>
    post(tx, {
      userId,
      mode: 'real',
      cause: 'deposit_credit',
      causeId: nextCause++,
      parts: [{ debit: 'external_in', credit: 'balance', amount: usd(cents) }],
    }),
  )
const hold = (userId: bigint, cents: bigint) =>
  inTransaction(database.db, (tx) =>
    post(tx, {
      userId,
      mode: 'real',
      cause: 'withdraw_hold',
      causeId: nextCause++,
      parts: [{ debit: 'balance', credit: 'hold', amount: usd(cents) }],
    }),
  )

async function brokenInvariants(client: {
  query(text: string): Promise<{ rowCount: number | null }>
}): Promise<string[]> {
  const broken: string[] = []
  for (const check of ledgerChecks) if ((await client.query(check.sql)).rowCount) broken.push(check.name)
  return broken
}

async function asOwner<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectTo(database.superUrl)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

test('a new user starts with no real money and 10,000.00 demo dollars', async () => {
  const userId = await newUser()
  expect(await balancesOf(database.db, userId)).toEqual({ balance: 0n, demoBalance: DEMO_BALANCE })
  expect(await hasRealMovement(database.db, userId)).toBe(false)
  await deposit(userId, 1n)
  expect(await hasRealMovement(database.db, userId)).toBe(true)
})

test("rejects what the balance doesn't cover, without changing anything", async () => {
  const userId = await newUser(500n)
  await expect(hold(userId, 501n)).rejects.toMatchObject({
    code: 'insufficient_balance',
    message: 'Insufficient balance',
  })
  expect((await balancesOf(database.db, userId)).balance).toBe(500n)
})

test('50 parallel spenders never spend more than the balance', async () => {
  const userId = await newUser(1_000n)
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => hold(userId, 70n)))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(14)
  expect((await balancesOf(database.db, userId)).balance).toBe(20n)
})

test('parallel demo resets end at exactly 10,000.00', async () => {
  const userId = await newUser()
  await inTransaction(database.db, (tx) =>
    post(tx, {
      userId,
      mode: 'demo',
      cause: 'adjust',
      causeId: nextCause++,
      parts: [{ debit: 'balance', credit: 'house', amount: usd(123_456n) }],
    }),
  )
  await Promise.all(
    Array.from({ length: 20 }, () => inTransaction(database.db, (tx) => grantDemo(tx, userId, nextCause++))),
  )
  expect((await balancesOf(database.db, userId)).demoBalance).toBe(DEMO_BALANCE)
})

test('a demo reset takes away what is more, and writes nothing where nothing is missing', async () => {
  const userId = await newUser()
  const grant = (cents: bigint) =>
    inTransaction(database.db, (tx) =>
      post(tx, {
        userId,
        mode: 'demo',
        cause: 'demo_grant',
        causeId: nextCause++,
        parts: [{ debit: 'mint', credit: 'balance', amount: usd(cents) }],
      }),
    )
  const reset = () => inTransaction(database.db, (tx) => grantDemo(tx, userId, nextCause++))
  const account = () =>
    database.db
      .selectFrom('accounts')
      .select(['balance', 'seq', 'last_at'])
      .where('id', '=', accountOf(userId, 'demo'))
      .executeTakeFirstOrThrow()
  await grant(55_500n)
  await reset()
  const after = await account()
  expect(after).toMatchObject({ balance: DEMO_BALANCE, seq: 3n })
  await reset()
  expect(await account()).toEqual(after)
  await expect(grant(-1n)).rejects.toThrow('a movement has a direction')
  expect(await account()).toEqual(after)
})

test('nobody who is unknown has real money that ever moved', async () => {
  expect(await hasRealMovement(database.db, 987_654n)).toBe(false)
})

test("a trade's key is refused for anything else, also when the trade came in between", async () => {
  const userId = await newUser()
  const key = { text: 'a key', fingerprint: Buffer.alloc(32, 1) }
  let isTrade = false
  const keys = openRequestKeys(async () => isTrade)
  expect(await keys.find(database.db, userId, key)).toBeUndefined()
  isTrade = true
  const mismatch = { code: 'idempotency_mismatch' }
  await expect(keys.find(database.db, userId, key)).rejects.toMatchObject(mismatch)
  const store = () => inTransaction(database.db, (tx) => keys.store(tx, userId, key, 'deposit', 5n))
  await expect(store()).rejects.toMatchObject(mismatch)
})

test('moves money once per cause', async () => {
  const userId = await newUser()
  const once = () =>
    inTransaction(database.db, (tx) =>
      post(tx, {
        userId,
        mode: 'real',
        cause: 'deposit_credit',
        causeId: 77n,
        parts: [{ debit: 'external_in', credit: 'balance', amount: usd(100n) }],
      }),
    )
  const results = await Promise.allSettled(Array.from({ length: 10 }, once))
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  expect((await balancesOf(database.db, userId)).balance).toBe(100n)
})

test.each([
  ['change a movement', 'update transfers set amount = amount + 1'],
  ['remove a movement', 'delete from transfers'],
  [
    'change a balance without a movement',
    'update accounts set balance = balance + 1 where id = (select min(id) from accounts)',
  ],
  [
    'hide a balance change behind a number',
    'update accounts set balance = balance + 1, seq = seq + 1 where id = (select min(id) from accounts)',
  ],
  ['go below zero', 'update accounts set balance = -1 where id = (select min(id) from accounts)'],
  [
    'open an account with money in it',
    "insert into accounts (id, user_id, mode, balance) values (900000, 450000, 'real', 5)",
  ],
  ['remove an account', 'delete from accounts'],
  [
    'give an account to another user',
    'update accounts set user_id = user_id + 1 where id = (select min(id) from accounts)',
  ],
])("the database doesn't let the application %s", async (_what, statement) => {
  await newUser()
  await expect(sql.raw(statement).execute(database.db)).rejects.toThrow()
})

test('the database rejects movements across modes, reversed, of zero, or by an unknown route', async () => {
  const userId = await newUser(100n)
  const insert = (values: string) =>
    sql
      .raw(
        `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at) values ${values}`,
      )
      .execute(database.db)
  const real = accountOf(userId, 'real')
  await expect(
    insert(`('deposit_credit', 900001, 1, ${real}, 'demo', 'external_in', 'balance', 5, 900, 5, now())`),
  ).rejects.toThrow(/transfers_/)
  await expect(
    insert(`('deposit_credit', 900002, 1, ${real}, 'real', 'external_in', 'balance', -5, 900, 5, now())`),
  ).rejects.toThrow(/transfers_positive/)
  await expect(
    insert(`('deposit_credit', 900003, 1, ${real}, 'real', 'external_in', 'balance', 0, 900, 5, now())`),
  ).rejects.toThrow(/transfers_positive/)
  await expect(
    insert(`('deposit_credit', 900004, 1, ${real}, 'real', 'mint', 'balance', 5, 900, 5, now())`),
  ).rejects.toThrow(/transfers_demo_is_play/)
  await expect(
    insert(`('deposit_credit', 900005, 1, ${real}, 'real', 'house', 'balance', 5, 900, 5, now())`),
  ).rejects.toThrow(/transfers_published_ways/)
})

test('all invariants hold after these tests, and each planted violation is found', async () => {
  await asOwner(async (client) => {
    expect(await brokenInvariants(client)).toEqual([])
    const planted: [string, string[]][] = [
      ['update accounts set balance = balance + 1 where id = (select min(id) from accounts)', ['L2', 'L3']],
      [
        "update transfers set amount = amount + 1 where account_seq = 1 and account_id = (select min(account_id) from transfers where mode = 'demo')",
        ['L3', 'order'],
      ],
      [
        "delete from transfers where account_seq = 1 and account_id = (select min(account_id) from transfers where mode = 'demo')",
        ['L2', 'L3'],
      ],
      ['update transfers set account_seq = account_seq + 100 where account_seq = 1', ['order']],
      ["update transfers set credit = 'hold' where cause = 'deposit_credit'", ['L1']],
      ["update transfers set debit = 'mint' where mode = 'real'", ['L1']],
      ['alter table transfers disable trigger transfers_move_accounts', ['L3']],
      ['alter table accounts disable trigger accounts_follow_transfers', ['L3']],
      ['grant update on transfers to cleartick_app', ['L5']],
      ['grant update (amount) on transfers to cleartick_app', ['L5']],
    ]
    for (const [statement, found] of planted) {
      await client.query('begin')
      await client.query("set local session_replication_role = 'replica'")
      await client.query(statement)
      expect(await brokenInvariants(client), statement).toEqual(expect.arrayContaining(found))
      await client.query('rollback')
    }
  })
})
