import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { call, openSuper, type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { broken, crowd } from '#tests/support/trades/crowd.ts'

const TRADERS = 6
const ROUNDS = 3

const { freshData, person } = crowd(TRADERS)

/** Places orders of each trader on both sides of the price, so close that some trigger at once. */
async function placeOrders(server: ServerProcess): Promise<void> {
  const { json } = await call(server, 'GET', '/prices/instruments?symbols=BTCUSDT', { token: person(0).token })
  const price = Number((json.data as { price: string }[])[0]!.price)
  for (let trader = 0; trader < TRADERS; trader++)
    for (const [condition, factor] of [
      ['at_or_above', 1.00005],
      ['at_or_below', 0.99995],
    ] as const) {
      const body = {
        ...{ symbol: 'BTCUSDT', trade_mode: 'Buy', amount: 1, duration: 60, strike_rate: '75/3', mode: 'demo' },
        ...{ condition, level: (price * factor).toFixed(2) },
      }
      const reply = await call(server, 'POST', '/waiting-orders', { token: person(trader).token, body })
      // The price may have moved past it meanwhile.
      expect([200, 422], JSON.stringify(reply.json)).toContain(reply.status)
    }
}

test('kill -9 between the trigger of orders and the acceptance of their trades, three times: each trades once', async () => {
  const dataDir = freshData()
  let server = await startServer(dataDir)
  for (let round = 1; round <= ROUNDS; round++) {
    const { db, close } = openSuper(dataDir)
    const triggered = async () =>
      db.selectFrom('waiting_orders').select(['account_id', 'id']).where('status', '=', 'Triggered').execute()
    // Acceptance waits for these accounts, so what triggers stays between trigger and trade.
    const holding = db
      .transaction()
      .execute(async (tx) => {
        await sql`select from accounts for no key update`.execute(tx)
        while (!killed) await sleep(20)
      })
      .catch(() => undefined)
    let killed = false
    await placeOrders(server)
    await expect.poll(async () => (await triggered()).length, { interval: 50 }).toBeGreaterThan(0)
    const between = await triggered()
    await server.end('SIGKILL')
    killed = true
    await holding
    await close()

    server = await startServer(dataDir)
    const again = openSuper(dataDir)
    const rows = () =>
      again.db
        .selectFrom('waiting_orders')
        .leftJoin('trades', 'trades.id', 'waiting_orders.trade_id')
        .select(['waiting_orders.id', 'waiting_orders.status', 'reason', 'trades.key'])
        .where(
          'waiting_orders.id',
          'in',
          between.map(({ id }) => id),
        )
        .execute()
    await expect
      .poll(async () => (await rows()).every(({ status }) => status !== 'Triggered'), { interval: 200 })
      .toBe(true)
    for (const { id, status, reason, key } of await rows())
      expect([status, reason, key], String(id)).toEqual(['Traded', null, `waiting:${id}`])
    const { rows: twice } = await sql`
      select key from trades where starts_with(key, 'waiting:') group by account_id, key having count(*) > 1`.execute(
      again.db,
    )
    expect(twice).toEqual([])
    await again.close()
  }
  expect(await broken(dataDir)).toEqual([])
  expect(await server.end('SIGTERM')).toBe(0)
})
