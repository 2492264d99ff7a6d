import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { usd } from '#kernel/money.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { openUser } from '#tests/support/trades/money.ts'
import { createLog } from '../process/log.ts'
import {
  type Db,
  inSnapshot,
  inTransaction,
  isDatabaseDown,
  isLockTimeout,
  openDatabase,
  readingFrom,
  sql,
  type Tx,
} from './db.ts'

test('each test gets its own migrated database and the least-privileged role', async () => {
  const { db } = await testDatabase()
  const { rows } = await sql<{
    role: string
    n: bigint
  }>`select current_user as role, 9007199254740993::int8 as n`.execute(db)
  expect(rows[0]).toEqual({ role: 'cleartick_app', n: 9007199254740993n })
  await expect(sql`create table x (id int)`.execute(db)).rejects.toThrow(/permission denied/)
})

const addUser = (tx: Tx, id: bigint) => openUser(tx, id)
const userIds = async (db: Db) =>
  (await db.selectFrom('users').select('id').orderBy('id').execute()).map((row) => row.id)

test('callbacks run in order once the commit is visible to others, and before the result', async () => {
  const { db } = await testDatabase()
  const ran: unknown[] = []
  const result = await inTransaction(db, async (tx) => {
    tx.afterCommit(async () => {
      ran.push(await userIds(db))
    })
    tx.afterCommit(() => void ran.push('second'))
    await addUser(tx, 1n)
    expect(ran).toEqual([])
    return 'result'
  })
  expect(result).toBe('result')
  expect(ran).toEqual([[1n], 'second'])
})

test('no callback runs after a rollback', async () => {
  const { db } = await testDatabase()
  const callback = vi.fn()
  const failed = inTransaction(db, async (tx) => {
    tx.afterCommit(callback)
    await addUser(tx, 1n)
    throw new Error('changed its mind')
  })
  await expect(failed).rejects.toThrow('changed its mind')
  expect(callback).not.toHaveBeenCalled()
  expect(await userIds(db)).toEqual([])
})

test('no callback runs when COMMIT itself fails', async () => {
  const { db } = await testDatabase()
  const callback = vi.fn()
  let statementsDone = false
  const failed = inTransaction(db, async (tx) => {
    tx.afterCommit(callback)
    await addUser(tx, 1n)
    // A deferred trigger finds at COMMIT that no money was held for it.
    const destination = { method: 'crypto', coin: 'BTC', wallet: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' } as const
    await tx
      .insertInto('withdrawals')
      .values({ id: 1n, user_id: 1n, amount: usd(100n), ...destination })
      .execute()
    statementsDone = true
  })
  await expect(failed).rejects.toThrow()
  expect(statementsDone).toBe(true)
  expect(callback).not.toHaveBeenCalled()
  expect(await userIds(db)).toEqual([])
})

test('a retry drops the callbacks of the failed attempt', async () => {
  const { db } = await testDatabase()
  const ran: number[] = []
  let attempts = 0
  await inTransaction(db, async (tx) => {
    const attempt = ++attempts
    tx.afterCommit(() => void ran.push(attempt), { once: 'key' })
    if (attempt < 3) await sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(tx)
  })
  expect(ran).toEqual([3])
})

test('of callbacks with the same key only the first runs', async () => {
  const { db } = await testDatabase()
  const ran: string[] = []
  const register = (tx: Tx) => {
    tx.afterCommit(() => void ran.push('a1'), { once: 'a' })
    tx.afterCommit(() => void ran.push('b'), { once: 'b' })
    tx.afterCommit(() => void ran.push('a2'), { once: 'a' })
    tx.afterCommit(() => void ran.push('none'))
    tx.afterCommit(() => void ran.push('none'))
  }
  await inTransaction(db, async (tx) => register(tx))
  expect(ran).toEqual(['a1', 'b', 'none', 'none'])
  await inTransaction(db, async (tx) => register(tx))
  expect(ran, 'keys count within one transaction').toHaveLength(8)
})

test('a callback that fails is logged; the others run and the call succeeds', async () => {
  const { db } = await testDatabase()
  const logged = vi.spyOn(db.log, 'error').mockImplementation(() => undefined)
  const last = vi.fn()
  const result = await inTransaction(db, async (tx) => {
    tx.afterCommit(() => {
      throw new Error('one')
    })
    tx.afterCommit(() => Promise.reject(new Error('two')))
    tx.afterCommit(last)
    return 'result'
  })
  expect(result).toBe('result')
  expect(last).toHaveBeenCalledOnce()
  expect(logged.mock.calls.map(([fields]) => fields)).toEqual([{ error: 'Error: one' }, { error: 'Error: two' }])
})

test('reports a callback that is registered too late', async () => {
  const { db } = await testDatabase()
  let kept: Tx | undefined
  await inTransaction(db, async (tx) => {
    kept = tx
  })
  expect(() => kept!.afterCommit(() => undefined)).toThrow(/before the transaction ends/)
})

test('only `inTransaction` provides `afterCommit`', async () => {
  const { db } = await testDatabase()
  const notifies = async (tx: Tx) => tx.afterCommit(() => undefined)
  // @ts-expect-error: not in a transaction
  await expect(notifies(db)).rejects.toThrow(TypeError)
  // @ts-expect-error: a transaction that nobody runs callbacks for
  await expect(db.transaction().execute((tx) => notifies(tx))).rejects.toThrow(TypeError)
  // @ts-expect-error: a snapshot only reads
  await expect(inSnapshot(db, (snapshot) => notifies(snapshot))).rejects.toThrow(TypeError)
  // @ts-expect-error: a transaction can't be nested
  await expect(inTransaction(db, (tx) => inTransaction(tx, notifies))).rejects.toThrow()
})

test('a statement that reads all columns works on while a later version adds one', async () => {
  const { db, ownerUrl } = await testDatabase({ max: 1 })
  const owner = await connectTo(ownerUrl)
  const read = () => db.selectFrom('mails').selectAll().execute()
  const readInside = () => inTransaction(db, (tx) => tx.selectFrom('mails').selectAll().execute())
  expect(await read()).toEqual([])
  await owner.query('alter table mails add column later text')
  expect(await read()).toEqual([])
  await owner.query('alter table mails add column later_still text')
  expect(await readInside()).toEqual([])
  expect(await readInside()).toEqual([])
  await owner.end()
})

test('what a standby refuses, and every transaction, runs on the primary', async () => {
  const [primary, standby, gone] = [await testDatabase(), await testDatabase(), await testDatabase()]
  await inTransaction(primary.db, (tx) => addUser(tx, 1n))
  await inTransaction(standby.db, (tx) => addUser(tx, 2n))
  const fellBack = vi.fn()
  const db = readingFrom(standby, primary, fellBack)
  expect(await userIds(db)).toEqual([2n])
  expect(await inSnapshot(db, (snapshot) => snapshot.selectFrom('users').select('id').execute())).toEqual([{ id: 1n }])
  expect(fellBack).not.toHaveBeenCalled()
  const owner = await connectTo(standby.ownerUrl)
  await owner.query('alter table users rename to people')
  await owner.end()
  expect(await userIds(db)).toEqual([1n])
  // An error that the primary confirms is the caller's.
  await expect(sql`select * from nothing`.execute(db)).rejects.toThrow(/nothing/)
  expect(fellBack).toHaveBeenCalledTimes(2)
  await gone.drop()
  expect(await userIds(readingFrom(gone, primary, fellBack))).toEqual([1n])
  // What took too long there isn't tried again.
  await standby.pool.query("set statement_timeout = '20ms'")
  await sql`set statement_timeout = '20ms'`.execute(db)
  await expect(sql`select pg_sleep(5)`.execute(db)).rejects.toThrow(/statement timeout/)
  expect(fellBack).toHaveBeenCalledTimes(3)
})

describe("a node's connections", () => {
  async function openNode() {
    const database = await testDatabase()
    const node = openDatabase(database.appUrl, { max: 3, name: 'node', log: createLog('silent'), isNode: true })
    onTestFinished(() => node.close())
    await inTransaction(database.db, (tx) => addUser(tx, 1n))
    const lock = (db: Db | Tx) => sql`select from users where id = 1 for update`.execute(db)
    return { database, node, lock }
  }

  test('a transaction that hangs ends within seconds, and with it its locks', async () => {
    const { database, node, lock } = await openNode()
    let ended: unknown
    const hanging = inTransaction(node.db, async (tx) => {
      await lock(tx)
      await new Promise((resolve) => {
        ended = resolve
      })
      await lock(tx)
    })
    hanging.catch(() => undefined)
    await expect.poll(() => ended).toBeDefined()
    // It waits as long as it takes: another connection than a node's.
    await inTransaction(database.db, (tx) => lock(tx))
    ;(ended as () => void)()
    await expect(hanging).rejects.toSatisfy(isDatabaseDown)
  })

  test('waits for a lock for seconds only, and then nothing has changed', async () => {
    const { database, node, lock } = await openNode()
    await inTransaction(database.db, async (tx) => {
      await lock(tx)
      const waiting = inTransaction(node.db, (tx) => lock(tx))
      await expect(waiting).rejects.toSatisfy(isLockTimeout)
    })
  })

  test('sessions of a machine that is cut off end within seconds', async () => {
    const { node } = await openNode()
    const { rows } = await sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name ~ '^tcp_' order by name`.execute(node.db)
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))).toEqual({
      tcp_keepalives_count: 3,
      tcp_keepalives_idle: 3,
      tcp_keepalives_interval: 1,
      tcp_user_timeout: 6_000,
    })
  })
})
