import { afterAll, describe, expect, test } from 'vitest'
import type { DeskBusiness } from '#contract/desk/money/business.ts'
import type { DeskMoney } from '#contract/desk/money/in-and-out.ts'
import { DAY_MS, startOf } from '#kernel/time.ts'
import { countDay, openBusiness } from '#server/desk/risk/business.ts'
import { payoutsDue } from '#server/desk/risk/payouts-due.ts'
import { trades as listTrades } from '#server/desk/risk/trades.ts'
import { users } from '#server/desk/users/users.ts'
import { accountOf } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import type { WhoOperates } from '#server/platform/http/index.ts'
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

describe('the rows of a figure', async () => {
  const { app, items, finance, risk, asSuper, stop } = await startDesk()
  afterAll(stop)
  const all = async <Row>(path: string, who = finance[0]!) => data<Row[]>(await who.ask('GET', `${path}&limit=200`))
  const cents = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0)
  const paid = async (dollars: number) => {
    const out = await items.withdrawals(dollars)
    data(await finance[1]!.ask('POST', `/withdrawals/${out.id}/approve`))
    data(await finance[1]!.ask('POST', `/withdrawals/${out.id}/paid`, { body: { reference: transactionId() } }))
    return out.id
  }

  test('are exactly those of the period, and exported', async () => {
    const [today, earlier, old] = [await paid(30), await paid(40), await paid(50)]
    const { id: credited } = await items.deposits(200)
    data(await finance[0]!.ask('POST', `/deposits/${credited}/approve`, { body: { amount: 200 } }))
    const { rows } = await sql<{ id: string; cause_id: bigint }>`
      select cause_id from transfers where cause = 'withdraw_paid' order by cause_id`.execute(app.db)
    const move = async (sign: '-' | '+') => {
      for (const [place, days] of [
        [1, 3],
        [2, 20],
      ] as const)
        await asSuper(
          `set session_replication_role = 'replica'`,
          `update transfers set at = at ${sign} interval '${days} days' where cause = 'withdraw_paid' and cause_id = ${rows[place]!.cause_id}`,
        )
    }
    await move('-')
    for (const [days, ids] of [
      ['1', [today]],
      ['7', [earlier, today]],
      ['30', [old, earlier, today]],
    ] as const) {
      const figures = data<DeskBusiness>(await risk[0]!.ask('GET', `/business?days=${days}`))
      const listed = await all<{ id: string }>(`/withdrawals?paid=${days}`)
      expect(listed.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted())
      expect(figures.payouts).toBe(ids.length)
      const moved = await all<DeskMoney>(`/money?days=${days}`, risk[0])
      expect(cents(moved.map(({ amount }) => amount))).toBe(cents([figures.deposits, -figures.withdrawals]))
      expect(
        moved
          .filter(({ kind }) => kind === 'withdrawal')
          .map(({ item_id }) => item_id)
          .toSorted(),
      ).toEqual([...ids].toSorted())
      const file = (await finance[0]!.ask('GET', `/withdrawals?paid=${days}&format=csv`)).text
      expect(file.trim().split('\n')).toHaveLength(1 + ids.length)
    }
    await move('+')
    expect(refusal(await (await operator(app, ['support'])).ask('GET', '/money?days=7'))).toEqual([403, 'forbidden'])
  })

  test('of the payout clock are the open withdrawals that are due then', async () => {
    const { id: late } = await items.withdrawals(60)
    const { id: soon } = await items.withdrawals(70)
    const { rows } = await sql<{ id: bigint }>`select id from withdrawals order by id desc limit 2`.execute(app.db)
    await asSuper(
      `set session_replication_role = 'replica'`,
      `update withdrawals set created_at = now() - interval '9 days' where id = ${rows[1]!.id}`,
    )
    for (const { due, withdrawals, amount } of await payoutsDue(app.db)) {
      const listed = await all<{ id: string; amount: number }>(`/withdrawals?due=${due}&status=to_do`)
      expect([due, listed.length, cents(listed.map((one) => one.amount))]).toEqual([due, withdrawals, cents([amount])])
      if (due === 'late') expect(listed.map(({ id }) => id)).toEqual([late])
      if (due === 'later') expect(listed.map(({ id }) => id)).toContain(soon)
    }
    expect(refusal(await finance[0]!.ask('GET', '/withdrawals?due=never'))).toEqual([422, 'validation_failed'])
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
    const someone = { operatorId: 1n, email: 'boss@example.com' } as WhoOperates
    const page = { after: undefined, limit: 100 }
    const listed = await listTrades(
      { db: database.db, prices: market.prices },
      someone,
      { mode: 'real', settled: '30' },
      page,
    )
    expect(listed.map(({ status }) => status).toSorted()).toEqual(['Lost', 'Won'])
    expect((await users(database.db, { traded: '30' }, page)).map(({ id }) => id)).toEqual([String(one)])
    const shown = await openBusiness(() => at.getTime())(database.db, 1)
    expect(shown).toMatchObject({ trades: 2, traders: 1, open: { trades: 1, stake: 20, worst_loss: 15 } })
  })
})
