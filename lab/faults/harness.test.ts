import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { type Connection, openConnection } from '#server/platform/database/connection.ts'
import { createLog } from '#server/platform/process/log.ts'
import { acceptanceQueue } from '#server/trading/acceptance/acceptance.ts'
import { connectTo, type TestDatabase, testDatabase } from '#tests/support/servers/database.ts'
import { tradeAndLedgerChecks } from '#tests/support/trades/invariants.ts'
import { converge, lossesOf, startLoad } from '#tests/support/trades/load.ts'
import { newId, openUsers, submitThrough } from '#tests/support/trades/orders.ts'

/**
 * Tests the harness itself: one that never fails proves nothing. The same load and the same checks as for the whole
 * server, while connections are cut at random and right after answers. They pass with the shipped connection and fail
 * with each planted bug.
 */
const USERS = 12
/** The load runs until this many connections were cut and orders accepted, however busy the machine. */
const CUTS = 20
const ACCEPTED = 50
const NAME = 'harness'

const shipped = (url: string): Connection => openConnection(url, NAME, createLog('silent'))

/** Planted bug: replies as soon as the statement has run, and commits 50 ms later. */
function answersBeforeCommit(url: string): Connection {
  let opening: Promise<pg.Client> | undefined
  let committed = Promise.resolve()
  const open = async () => {
    const client = new pg.Client({ connectionString: url, application_name: `cleartick ${NAME}` })
    client.on('error', () => {
      opening = undefined
    })
    await client.connect()
    return client
  }
  return {
    async run(name, text, values) {
      await committed
      opening ??= open()
      try {
        const client = await opening
        await client.query('begin')
        const { rows } = await client.query({ name, text, values })
        committed = sleep(50)
          .then(() => client.query('commit'))
          .then(
            () => undefined,
            () => {
              opening = undefined
            },
          )
        return rows
      } catch (error) {
        opening = undefined
        throw error
      }
    },
    async close() {
      await committed
      await opening?.then((client) => client.end()).catch(() => undefined)
    },
  }
}

/** Planted bug: treats a failed statement as a success. */
function swallowsRollback(url: string): Connection {
  const real = shipped(url)
  return {
    ...real,
    async run<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]) {
      try {
        return await real.run<Row>(name, text, values)
      } catch (error) {
        if (name !== 'accept') throw error
        const accepted = String(values[0]).split(',').length
        const rows: unknown[] = [{ id: null, accepted: BigInt(accepted), trade_time: BigInt(Date.now()) }]
        return rows as Row[]
      }
    },
  }
}

/** Planted bug: stores trades without their idempotency keys. */
function forgetsKeys(url: string): Connection {
  const real = shipped(url)
  return {
    ...real,
    run(name, text, values) {
      if (name === 'accept') {
        const keys = values.findIndex((value) => Array.isArray(value))
        values[keys] = (values[keys] as unknown[]).map(() => null)
        values[keys + 1] = (values[keys + 1] as unknown[]).map(() => null)
      }
      return real.run(name, text, values)
    },
  }
}

/** Planted bug: removes the statement's balance check, and takes the stake even if it isn't covered. */
function readsThenWrites(url: string): Connection {
  const real = shipped(url)
  return {
    ...real,
    run(name, text, values) {
      const unguarded = text.replace('where l.balance >= w.total and', 'where')
      return real.run(name === 'accept' ? 'accept_unguarded' : name, unguarded, values)
    },
  }
}

/** Returns the harness's findings about a server whose acceptance uses this connection. */
async function judge(
  database: TestDatabase,
  connection: Connection,
): Promise<{ losses: string[]; accepted: number; cut: number }> {
  await openUsers(database.db, USERS)
  const queue = acceptanceQueue({ connection, openStakeMax: () => usd(10n ** 12n), newId, log: createLog('silent') })
  const submit = submitThrough(queue, database.db)
  const load = startLoad(submit, { loops: 32, traders: USERS })
  const admin = await connectTo(database.superUrl)
  let cut = 0
  const began = performance.now()
  const isEnough = () => performance.now() - began > 2_500 && cut > CUTS && load.accepted() > ACCEPTED
  while (!isEnough() && performance.now() - began < 120_000) {
    await sleep(5 + Math.random() * 40)
    if (Math.random() < 0.5) await nextAnswer(load.accepted)
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cleartick ${NAME}' and datname = current_database()`,
    )
    cut += rowCount ?? 0
  }
  await admin.end()
  const attempts = await load.stop()
  await converge(attempts, submit)
  await queue.drain()
  await connection.close()
  return { losses: await lossesOf(database.db, attempts), accepted: load.accepted(), cut }
}

/** Waits until the next order is accepted, at most 0.2 s: a connection is often cut right after an answer. */
async function nextAnswer(accepted: () => number): Promise<void> {
  const before = accepted()
  for (let waitedMs = 0; waitedMs < 200 && accepted() === before; waitedMs++) await sleep(1)
}

async function brokenChecks(database: TestDatabase): Promise<string[]> {
  const client = await connectTo(database.superUrl)
  try {
    const names: string[] = []
    for (const check of tradeAndLedgerChecks) if ((await client.query(check.sql)).rowCount) names.push(check.name)
    return names
  } finally {
    await client.end()
  }
}

test('the shipped acceptance loses and duplicates nothing', async () => {
  const database = await testDatabase({ max: 10 })
  const { losses, accepted, cut } = await judge(database, shipped(database.appUrl))
  expect(cut).toBeGreaterThan(CUTS)
  expect(accepted).toBeGreaterThan(ACCEPTED)
  expect(losses).toEqual([])
  expect(await brokenChecks(database)).toEqual([])
})

test.each([
  ['an answer before the commit', answersBeforeCommit, /was accepted as .* and is not there/],
  ['a rollback that is swallowed', swallowsRollback, /was accepted as .* and is not there/],
  ['keys that are not stored', forgetsKeys, /was accepted as .* and is not there/],
])('detects %s', async (_mistake, planted, says) => {
  const database = await testDatabase({ max: 10 })
  const { losses } = await judge(database, planted(database.appUrl))
  expect(losses.length).toBeGreaterThan(0)
  expect(losses[0]).toMatch(says)
})

test('the database rejects a stake taken without checking the balance', async () => {
  const database = await testDatabase({ max: 10 })
  await openUsers(database.db, 1)
  const queue = acceptanceQueue({
    connection: readsThenWrites(database.appUrl),
    openStakeMax: () => usd(10n ** 12n),
    newId,
    log: createLog('silent'),
  })
  const submit = submitThrough(queue, database.db)
  // 10,000.00 and three stakes of 4,000.00.
  const seen = await Promise.all(['a', 'b', 'c'].map((key) => submit(0, key, 400_000)))
  expect(seen.filter(({ kind }) => kind === 'accepted').length).toBeLessThan(3)
  expect(await brokenChecks(database)).toEqual([])
  await queue.drain()
})
