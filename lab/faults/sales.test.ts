import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { sql } from '#server/platform/database/db.ts'
import { startTape, type Tape } from '#tests/e2e/support/servers/tape.ts'
import { startTapeDatabases } from '#tests/e2e/support/servers/tape-databases.ts'
import { call, openSuper, type Trader, traders } from '#tests/support/servers/server.ts'
import { broken } from '#tests/support/trades/crowd.ts'

const TRADERS = 4
const ROUNDS = 3
/** Prices this often are enough for a variance. */
const STEP_MS = 20 * SECOND_MS

let folder: string
let databases: { stop(): Promise<void> }
let tape: Tape
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-sales-'))
  chmodSync(folder, 0o711)
  databases = await startTapeDatabases(join(folder, 'tapes'))
  tape = await startTape()
})
afterAll(async () => {
  await tape.stop()
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
})

const openTrades = (people: readonly Trader[]) =>
  Promise.all(
    people.map(async ({ token }, at) => {
      const body = {
        ...{ symbol: 'BTCUSDT', trading_type: 'Cryptocurrency', trade_mode: at % 2 ? 'Buy' : 'Sell', amount: 5 },
        ...{ duration: 1800, strike_rate: '75/3', mode: 'demo' },
      }
      const reply = await call(tape, 'POST', '/trading/submit', { token, key: crypto.randomUUID(), body })
      expect(reply.status, JSON.stringify(reply.json)).toBe(200)
      return (reply.json.data as { trade_id: string }).trade_id
    }),
  )

async function orderSales(people: readonly Trader[], trades: readonly string[]): Promise<void> {
  const pressed_at = await tape.now()
  await Promise.all(
    people.map(async ({ token }, at) => {
      const body = { minimum: 0.01, pressed_at }
      const key = crypto.randomUUID()
      const reply = await call(tape, 'POST', `/trading/${trades[at]}/sell`, { token, key, body })
      expect(reply.status, JSON.stringify(reply.json)).toBe(200)
    }),
  )
}

test('kill -9 between an order to sell and its sale, three times: each is sold once, and never settles', async () => {
  const { db, close } = openSuper(tape.dataDir)
  await tape.advance(33 * MINUTE_MS, STEP_MS)
  const people = await traders(tape, tape.dataDir, TRADERS)
  const undecided = async () =>
    Number(
      (await sql<{ n: bigint }>`select count(*) as n from sale_orders where outcome is null`.execute(db)).rows[0]?.n,
    )
  for (let round = 1; round <= ROUNDS; round++) {
    const trades = await openTrades(people)
    await tape.advance(12 * SECOND_MS)
    // Nothing can be booked, so the orders stay undecided.
    const { promise: killed, resolve: release } = Promise.withResolvers<void>()
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const holding = db.transaction().execute(async (tx) => {
      await sql`lock table transfers in share mode`.execute(tx)
      hold()
      await killed
    })
    await held
    await orderSales(people, trades)
    await expect.poll(undecided, { timeout: 20_000 }).toBe(TRADERS)
    await tape.kill()
    release()
    await holding
    expect(await undecided()).toBe(TRADERS)

    await tape.restart()
    await expect.poll(undecided, { timeout: 30_000 }).toBe(0)
  }
  // Past the end of all of them.
  await tape.advance(31 * MINUTE_MS, STEP_MS)
  const { rows } = await sql<{ status: string; sales: bigint; orders: bigint }>`
    select t.status, (select count(*) from sale_orders o where o.trade_id = t.id and o.outcome = 'sold') as orders,
      (select count(distinct cause) from transfers l where l.cause_id = t.id and l.cause in ('trade_sale', 'trade_settle')) as sales
    from trades t`.execute(db)
  expect(rows).toEqual(Array.from({ length: TRADERS * ROUNDS }, () => ({ status: 'Sold', sales: 1n, orders: 1n })))
  await close()
  expect(await broken(tape.dataDir)).toEqual([])
}, 400_000)
