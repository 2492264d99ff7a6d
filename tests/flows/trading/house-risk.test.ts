import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { SubmitTradeBody } from '#contract/trading/trading.ts'
import { riskChecks } from '#server/invariants/checks/risk.ts'
import { sql } from '#server/platform/database/db.ts'
import { lastFigures, symbolRoom } from '#server/risk/index.ts'
import { deskItems } from '#tests/support/people/desk.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { data, refusal } from '#tests/support/replies.ts'
import { ORDER, type Reply, startWholeApp, type Trader } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const app = await startWholeApp()
const other = await app.otherNode({ ROLES: 'web' })
afterAll(async () => {
  await other.stop()
  await app.stop()
})
const items = deskItems(app)
const SYMBOL = 'BTCUSDT'
const PROFIT = 7.5
const ROOM = symbolRoom(3, 'up')

const order = (more: Partial<SubmitTradeBody> = {}) => ({
  ...ORDER,
  ...{ symbol: SYMBOL, mode: 'real', trade_mode: 'Buy', strike_rate: '75/3', amount: 10, duration: 300 },
  ...more,
})
/** Sends an order, and again if it expired while a busy machine counted. */
async function submit(trader: Trader, more: Partial<SubmitTradeBody> = {}, headers = {}): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const reply = await app.send('POST', '/api/trading/submit', { token: trader.token, body: order(more), headers })
    if (reply.json?.code !== 'order_expired' || tries === 5) return reply
  }
}
/** The same through the other node. */
async function submitThere(trader: Trader, more: Partial<SubmitTradeBody> = {}) {
  const response = await fetch(`${other.origin}/api/trading/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${trader.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(order(more)),
  })
  return response.status
}
const limit = async (dollars: number) => {
  await changeSettings(app.db, { loss_limits: [{ name: SYMBOL, loss_max: dollars }] }, (tx) =>
    sql`
      insert into risk_limits values (${SYMBOL}, ${dollars * 100})
      on conflict (name) do update set loss_max = excluded.loss_max`.execute(tx),
  )
  await expect.poll(async () => (await lastFigures(app.db))?.figures.rooms[ROOM]?.most).toBe(dollars * 100)
  // Each lane of both nodes has taken it up.
  const lanes = async () => (await sql`select from risk_rooms where room = ${ROOM}`.execute(app.db)).rows.length
  await expect.poll(lanes).toBe(4)
}
const profitOpen = async (side: string) => {
  const { rows } = await sql<{ profit: number }>`
    select coalesce(sum((stake * percent + 50) / 100), 0)::float8 / 100 as profit from trades
    where status = 'Pending' and mode = 'real' and side::text = ${side} and symbol_id = 3`.execute(app.db)
  return rows[0]!.profit
}
const broken = async () => {
  const rows = await Promise.all(riskChecks.map(({ sql: text }) => sql.raw(text).execute(app.db)))
  return rows.flatMap((one) => one.rows)
}
/** Ends all open trades: what they cost is room again. */
async function endAll() {
  const client = await connectTo(app.superUrl)
  await client.query(`set session_replication_role = 'replica'`)
  await client.query(`update trades set status = 'Void', payout = stake, settled_at = now(), outcome_reason = 'test'
    where status = 'Pending' and mode = 'real'`)
  await client.end()
}
beforeEach(endAll)

test('a test installation has play capital, of which one shock may cost half', async () => {
  await expect
    .poll(async () => (await lastFigures(app.db))?.figures)
    .toMatchObject({
      ...{ capital: 10_000_000_000, isPlay: true, bound: expect.any(Number) },
    })
  const { bound } = (await lastFigures(app.db))!.figures
  expect(bound).toBeGreaterThan(4_900_000_000)
})

test('many traders race through two nodes for the last room: the bound holds and the room is used', async () => {
  await limit(100)
  const traders = await Promise.all(Array.from({ length: 12 }, () => items.verified(100)))
  const statuses = await Promise.all(
    traders.flatMap((trader) => [
      ...Array.from({ length: 2 }, async () => (await submit(trader)).status),
      ...Array.from({ length: 2 }, () => submitThere(trader)),
    ]),
  )
  for (const status of statuses) expect([200, 422]).toContain(status)
  const taken = await profitOpen('Buy')
  expect(taken).toBe(statuses.filter((status) => status === 200).length * PROFIT)
  expect(taken).toBeLessThanOrEqual(100)
  // No order is refused while there is room for it: 13 of 7.50 fit into 100.
  await expect
    .poll(async () => {
      await submit(traders[0]!)
      return profitOpen('Buy')
    })
    .toBe(13 * PROFIT)
  expect(await broken()).toEqual([])
})

describe('a crowded side', () => {
  test('is refused in a sentence, while the other side, smaller stakes, other symbols and demo stay open', async () => {
    // Room for three Buys, and for one of half the stake and the Sell, even while all of them are in the money.
    await limit(29)
    const trader = await items.verified(1_000)
    data(await submit(trader))
    data(await submit(trader))
    data(await submit(trader))
    const refused = await submit(trader)
    expect(refusal(refused)).toEqual([422, 'limit_reached'])
    expect(refused.text).toMatch(/can't take this Buy with real money right now. Try Sell, a smaller stake/)
    data(await submit(trader, { amount: 5 }))
    data(await submit(trader, { trade_mode: 'Sell', strike_rate: '1/61', amount: 4 }))
    data(await submit(trader, { symbol: 'ETHUSDT' }))
    data(await submit(trader, { mode: 'demo' }))
    expect(await broken()).toEqual([])
  })

  test('opens again once its trades have ended, and a repeated key returns the stored trade meanwhile', async () => {
    await limit(10)
    const trader = await items.verified(1_000)
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = data<{ trade_id: string }>(await submit(trader, {}, headers))
    expect(refusal(await submit(trader))).toEqual([422, 'limit_reached'])
    expect(data<{ trade_id: string }>(await submit(trader, {}, headers)).trade_id).toBe(first.trade_id)
    await endAll()
    await expect.poll(async () => (await submit(trader)).status).toBe(200)
  })
})
