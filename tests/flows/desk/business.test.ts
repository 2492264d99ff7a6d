import { afterAll, describe, expect, test } from 'vitest'
import type { DeskBusiness } from '#contract/desk/money/business.ts'
import { DAY_MS, startOf } from '#kernel/time.ts'
import { countDay, openBusiness } from '#server/desk/risk/business.ts'
import { accountOf } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

describe('money in and out', async () => {
  const { app, items, finance, asSuper, stop } = await startDesk()
  afterAll(stop)

  test('adds up credited deposits less reversals, and paid withdrawals, each in time or late', async () => {
    const start = startOf(Date.now(), DAY_MS)
    const before = await countDay(app.db, start)
    const { id } = await items.deposits(200)
    data(await finance[0]!.ask('POST', `/deposits/${id}/approve`, { body: { amount: 200 } }))
    const pay = async (late: boolean) => {
      const out = await items.withdrawals(30)
      data(await finance[1]!.ask('POST', `/withdrawals/${out.id}/approve`))
      if (late)
        await asSuper(
          `set session_replication_role = 'replica'`,
          `update withdrawals set created_at = created_at - interval '9 days' where user_id = ${out.trader.id}`,
        )
      data(await finance[1]!.ask('POST', `/withdrawals/${out.id}/paid`, { body: { reference: transactionId() } }))
    }
    await pay(false)
    await pay(true)
    const after = await countDay(app.db, start)
    expect(after.withdrawals - before.withdrawals).toBe(6_000n)
    expect([after.payouts - before.payouts, after.payoutsInTime - before.payoutsInTime]).toEqual([2, 1])
    const { rows } = await sql<{ sum: bigint }>`
      select sum(amount)::bigint as sum from transfers where cause = 'deposit_credit'`.execute(app.db)
    expect(after.deposits, 'everything was credited today').toBe(rows[0]!.sum)
    const shown = data<DeskBusiness>(await finance[0]!.ask('GET', '/business?days=7'))
    expect(shown.days).toHaveLength(7)
    expect(shown).toMatchObject({ payouts: after.payouts, withdrawals: Number(after.withdrawals) / 100 })
    expect(refusal(await (await operator(app, ['support'])).ask('GET', '/business'))).toEqual([403, 'forbidden'])
    expect((await finance[0]!.ask('GET', '/business?days=7&format=csv')).text).toMatch(/^day,deposits,withdrawals,/)
  })
})

describe('trades', async () => {
  const { database, market } = await marketOfFile()

  test('sums stakes and payouts of settled real trades, open stakes, and what they could cost', async () => {
    const [one, two] = [await market.trader(100_000n), await market.trader(100_000n)]
    await market.frame({ BTCUSDT: '60000.00' })
    const settled = async (userId: bigint, trade_mode: 'Buy' | 'Sell') => {
      await market.submit(userId, { mode: 'real', amount: 10, trade_mode })
      await market.pass(30_000)
      await market.frame({ BTCUSDT: '60100.00' })
      await market.pass(40_000)
      await market.settled()
      await market.frame({ BTCUSDT: '60000.00' })
    }
    await settled(one, 'Buy')
    await settled(one, 'Sell')
    await market.submit(two, { mode: 'real', amount: 20 })
    await market.submit(two, { amount: 50 })
    const { rows } = await sql<{ at: Date; balance: bigint }>`
      select t.settled_at as at, a.balance from trades t join accounts a on a.id = ${accountOf(one, 'real')}
      where t.status <> 'Pending' order by t.settled_at limit 1`.execute(database.db)
    const { at, balance } = rows[0]!
    const day = await countDay(database.db, startOf(at.getTime(), DAY_MS))
    expect(day).toMatchObject({ trades: 2n, staked: 2_000n, traders: [Number(one)] })
    expect(day.staked - day.paidOut, 'what the trader lost').toBe(100_000n - balance)
    const shown = await openBusiness(() => at.getTime())(database.db, 1)
    expect(shown).toMatchObject({ trades: 2, traders: 1, open: { trades: 1, stake: 20, worst_loss: 15 } })
  })
})
