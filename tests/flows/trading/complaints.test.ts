import { expect, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import type { ComplaintWorkDeps } from '#server/complaints/deps.ts'
import { overdueComplaints, rulingsSince, sendBackRuling } from '#server/complaints/index.ts'
import type { BlockedRulings } from '#server/complaints/work.ts'
import { payNext } from '#server/complaints/work.ts'
import { complaintChecks } from '#server/invariants/checks/complaints.ts'
import { brokenRows } from '#server/invariants/index.ts'
import { accountOf, post } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { tradeResults } from '#server/trading/history/results.ts'
import { tradeStatistics } from '#server/trading/history/statistics.ts'
import { tradesOn } from '#server/trading/index.ts'
import { complaintsOfFile } from '#tests/support/people/complaints.ts'

const {
  database,
  market,
  operators,
  written,
  deps,
  file,
  about,
  ruler,
  propose,
  approve,
  checkAll,
  balanceOf,
  broken,
  asSuper,
  settledTrades,
} = await complaintsOfFile()
const problem = (code: string) => expect.objectContaining({ code })
const PAST_TRIGGERS = `set session_replication_role = 'replica'`

test('concurrent duplicates file one complaint, and its records are attached and re-verified', async () => {
  const { ada, eve, ids } = await settledTrades()
  const filed = await Promise.all([1, 2, 3, 4, 5].map(() => file(ada, ids.lost)))
  expect(new Set(filed.map(({ id }) => id)).size).toBe(1)
  expect(await about(ada, ids.lost)).toMatchObject({
    complaint: { status: 'Open', held_by: 'Our system (checking the records)', evidence: null, ruling: null },
  })
  await expect(file(eve, ids.lost)).rejects.toEqual(problem('not_found'))
  await checkAll()
  const { complaint } = (await about(ada, ids.lost)) as { complaint: { held_by: string; evidence: object } }
  expect(complaint).toMatchObject({
    held_by: 'Operator (reviewing)',
    evidence: {
      verified: true,
      steps: [
        { name: 'Ledger', ok: true },
        { name: 'Account', ok: true },
        { name: 'Tape', ok: true },
        { name: 'Receipt', ok: true },
      ],
    },
  })
  expect(JSON.stringify(complaint.evidence)).toContain('60001.00')
})

test('a trade that paid less than the tape says fails the corresponding check', async () => {
  const { bob, ids } = await settledTrades()
  const number = parsePublicId(ids.demo)!
  await asSuper(
    PAST_TRIGGERS,
    `update transfers set amount = amount - 1 where cause = 'trade_settle' and cause_id = ${number}`,
  )
  await file(bob, ids.demo, 'result')
  await checkAll()
  expect(await about(bob, ids.demo)).toMatchObject({
    complaint: {
      evidence: { verified: false, steps: [{ name: 'Ledger', ok: false }, {}, { ok: true }, { ok: true }] },
    },
  })
  await asSuper(
    PAST_TRIGGERS,
    `update transfers set amount = amount + 1 where cause = 'trade_settle' and cause_id = ${number}`,
  )
  expect(await broken()).toEqual([])
})

test('a ruling on a price returns the stake of every trade that lost on it once, however often approved', async () => {
  const { ada, eve, bob, ids } = await settledTrades()
  const { id } = await file(ada, ids.lost)
  await expect(propose(id, { tick: 'exit' })).rejects.toEqual(problem('wrong_state'))
  await checkAll()
  const before = {
    ada: await balanceOf(ada, 'real'),
    eve: await balanceOf(eve, 'real'),
    bob: await balanceOf(bob, 'demo'),
  }
  // The price is the exit of three lost trades by two traders: $10, $2.50 and a demo trade of $7.
  expect(await propose(id, { tick: 'exit' })).toMatchObject({ trades: 3, total: '1950' })
  await expect(propose(id, {})).rejects.toEqual(problem('wrong_state'))
  await expect(approve(id, ruler(0))).rejects.toEqual(problem('second_person_required'))
  await expect(approve(id, ruler(1, [ada]))).rejects.toEqual(problem('own_item'))
  expect(await balanceOf(ada, 'real')).toEqual(before.ada)

  const approved = await Promise.allSettled([1, 2, 1, 2].map((n) => approve(id, ruler(n))))
  expect(approved.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  written.length = 0
  await Promise.all([1, 2, 3].map(() => payNext(deps())))
  expect(await balanceOf(ada, 'real')).toEqual({ balance: before.ada.balance + 1_250n, owed: 0n })
  expect(await balanceOf(bob, 'demo')).toEqual({ balance: before.bob.balance + 700n, owed: 0n })
  expect(await balanceOf(eve, 'real'), 'a winner keeps the payout').toEqual(before.eve)
  expect(written.map(({ userId, title }) => [userId, title])).toEqual([
    [ada, 'Your losses on 2 trades were returned'],
    [bob, 'Your loss on a trade was returned'],
  ])
  expect(await market.trade(ids.lost), 'the result stays').toMatchObject({ status: 'Lost', payout: 0n })
  expect(await about(bob, ids.demo)).toMatchObject({ complaint: null, remedy: 7 })
  expect(await rulingsSince(database.db, 0, 10)).toMatchObject([
    { item: 'trade', finding: 'wrong_price', complaints: 1, tick: { of: 'exit', real: 2, demo: 1, total: 1_250n } },
  ])
  expect(await broken()).toEqual([])

  // A second complaint about the same price finds nothing left to return.
  const next = await file(bob, ids.demo)
  await checkAll()
  await expect(propose(next.id, { tick: 'exit' })).rejects.toEqual(problem('wrong_state'))
  await expect(propose(next.id, { finding: 'within_rules', tick: 'exit' })).rejects.toEqual(
    problem('validation_failed'),
  )
  await propose(next.id, { finding: 'already_settled' })
  await approve(next.id, ruler(2))
  expect(await payNext(deps())).toBe(false)
  expect(await broken()).toEqual([])
})

test('a ruling that cannot be paid does not delay others, is reported, and is retried', async () => {
  const [first, second] = [await settledTrades(), await settledTrades()]
  const ruled: bigint[] = []
  for (const { ada, ids } of [first, second]) {
    const { id } = await file(ada, ids.lost)
    await checkAll()
    await propose(id, { tick: 'exit' })
    await approve(id)
    ruled.push(BigInt(id))
  }
  const before = await Promise.all([first, second].map(({ ada }) => balanceOf(ada, 'real')))
  await asSuper(
    `create function planted() returns trigger language plpgsql as $$ begin raise exception 'planted'; end $$`,
    `create trigger planted before insert on trade_remedies for each row
       when (new.account_id in (${accountOf(first.ada, 'real')}, ${accountOf(first.bob, 'demo')})) execute function planted()`,
  )
  const errors: object[] = []
  const log = { ...deps().log, error: (fields: object) => errors.push(fields) } as ComplaintWorkDeps['log']
  const blocked: BlockedRulings = new Map()
  const pay = () => payNext({ ...deps(), log }, blocked)
  expect([await pay(), await pay(), await pay()]).toEqual([true, true, false])
  const { rows: rulings } = await sql<{ id: bigint; complaint_id: bigint; paid: boolean }>`
    select id, complaint_id, paid_at is not null as paid from complaint_rulings where complaint_id = any(${ruled}) order by id`.execute(
    database.db,
  )
  expect(rulings.map(({ paid }) => paid)).toEqual([false, true])
  expect(errors).toEqual([expect.objectContaining({ ruling: String(rulings[0]!.id), againInMs: 60_000 })])
  expect((await balanceOf(second.ada, 'real')).balance).toBe(before[1]!.balance + 1_250n)
  expect(await balanceOf(first.ada, 'real')).toEqual(before[0])

  expect((await overdueComplaints(database.db)).rulings, 'a ruling of a moment ago').toBe(0)
  await asSuper(
    PAST_TRIGGERS,
    `update complaint_rulings set approved_at = approved_at - interval '11 minutes' where id = ${rulings[0]!.id}`,
  )
  expect((await overdueComplaints(database.db)).rulings).toBe(1)

  // The retry fails again and doubles the wait. Once the cause is gone, the ruling is paid.
  blocked.get(rulings[0]!.id)!.againAt = 0
  expect([await pay(), errors.length, blocked.get(rulings[0]!.id)?.pauseMs]).toEqual([true, 2, 120_000])
  await asSuper('drop trigger planted on trade_remedies')
  blocked.get(rulings[0]!.id)!.againAt = 0
  expect([await pay(), await pay(), blocked.size]).toEqual([true, false, 0])
  expect((await balanceOf(first.ada, 'real')).balance).toBe(before[0]!.balance + 1_250n)
  expect((await overdueComplaints(database.db)).rulings).toBe(0)
  expect(await broken()).toEqual([])
})

test('a locked account delays only its own stakes, and the ruling ends once it is free', async () => {
  const { ada, bob, ids } = await settledTrades()
  const { id } = await file(ada, ids.lost)
  await checkAll()
  await propose(id, { tick: 'entry' })
  await approve(id)
  const blocked: BlockedRulings = new Map()
  const before = await balanceOf(bob, 'demo')
  const paid = async () =>
    (
      await sql<{ id: bigint; paid: boolean }>`
        select id, paid_at is not null as paid from complaint_rulings where complaint_id = ${BigInt(id)}`.execute(
        database.db,
      )
    ).rows[0]!
  await inTransaction(database.db, async (tx) => {
    await sql`select from accounts where id = ${accountOf(ada, 'real')} for update`.execute(tx)
    expect([await payNext(deps(), blocked), await payNext(deps(), blocked)]).toEqual([true, false])
    expect((await balanceOf(bob, 'demo')).balance, "the other account's stake").toBeGreaterThan(before.balance)
    expect((await paid()).paid, 'a stake is left').toBe(false)
  })
  blocked.get((await paid()).id)!.againAt = 0
  const held = await balanceOf(ada, 'real')
  expect(await payNext(deps(), blocked)).toBe(true)
  expect((await balanceOf(ada, 'real')).balance).toBeGreaterThan(held.balance)
  expect((await paid()).paid).toBe(true)
  expect(blocked.size).toBe(0)
  expect(await broken()).toEqual([])
})

test('a complaint is overdue after the due date that its trader was given', async () => {
  const before = (await overdueComplaints(database.db)).complaints
  const { ada, ids } = await settledTrades()
  const { id } = await file(ada, ids.lost)
  expect((await overdueComplaints(database.db)).complaints).toBe(before)
  await asSuper(PAST_TRIGGERS, `update complaints set due_at = now() - interval '1 minute' where id = ${id}`)
  expect((await overdueComplaints(database.db)).complaints).toBe(before + 1)
})

test('a debtor gets only what remains after the debt', async () => {
  const { ada, ids } = await settledTrades()
  // A reversed deposit takes the balance of $87.50 and leaves a debt of $11.00.
  await asSuper(
    PAST_TRIGGERS,
    `update deposits set reversed = 9850 where user_id = ${ada}`,
    `insert into deposit_reversals (id, deposit_id, amount, reference) overriding system value
       select 7, id, 9850, 'test' from deposits where user_id = ${ada}`,
  )
  await inTransaction(database.db, (tx) =>
    post(tx, {
      userId: ada,
      mode: 'real',
      cause: 'deposit_reversal',
      causeId: 7n,
      parts: [
        { debit: 'balance', credit: 'external_in', amount: usd(8_750n) },
        { debit: 'owed', credit: 'external_in', amount: usd(1_100n) },
      ],
    }),
  )
  const { id } = await file(ada, ids.lost)
  await checkAll()
  await propose(id, { tick: 'entry' })
  await approve(id)
  await payNext(deps())
  expect(await balanceOf(ada, 'real')).toEqual({ balance: 150n, owed: 0n })
  const { rows } = await sql`
    select credit, amount::int, balance_after::int from transfers where account_id = ${accountOf(ada, 'real')} and cause = 'trade_remedy'
    order by account_seq`.execute(database.db)
  expect(rows).toEqual([
    { credit: 'owed', amount: 1_000, balance_after: 0 },
    { credit: 'owed', amount: 100, balance_after: 0 },
    { credit: 'balance', amount: 150, balance_after: 150 },
  ])
  expect(await broken()).toEqual([])
})

test('statistics count a stake that a ruling returned, and the trade stays lost', async () => {
  const { ada, ids } = await settledTrades()
  const figures = async () => {
    const filter = { userId: ada, mode: 'real' as const }
    const { net, lost, returned, average_loss } = await tradeStatistics(
      database.db,
      await loadInstruments(database.db),
      filter,
    )
    expect((await tradeResults(database.db, filter)).net).toBe(net)
    return { net, lost, returned, average_loss }
  }
  const before = await figures()
  const { id } = await file(ada, ids.lost)
  await checkAll()
  await propose(id, { tick: 'exit' })
  await approve(id)
  await payNext(deps())
  // Both of the trader's trades that ended on this price.
  expect(await figures()).toEqual({
    net: before.net + before.lost * before.average_loss!,
    lost: 2,
    returned: 2,
    average_loss: 0,
  })
  expect(await broken()).toEqual([])
})

test('the database rejects a ruling by one operator, and a returned stake without a ruling', async () => {
  const { ada, ids } = await settledTrades()
  const { id } = await file(ada, ids.lost)
  await checkAll()
  await propose(id, { tick: 'exit' })
  const decide = (operator: bigint) =>
    sql`update proposals set status = 'Approved', decided_by = ${operator} where kind = 'rulings' and subject = ${id}`.execute(
      database.db,
    )
  await expect(decide(operators[0]!)).rejects.toThrow(/decides on their own proposal/)
  await expect(
    sql`update complaint_rulings set approved_at = now() where complaint_id = ${BigInt(id)}`.execute(database.db),
  ).rejects.toThrow(/not approved by two operators/)
  // The same person, who left and returned with another account.
  const { rows } = await sql<{ id: bigint }>`
    insert into operators (email, password_hash, totp_secret, roles, ended_at) values ('Risk1+left@desk.example', 'x', '\\x00', '{risk}', now())
    returning id`.execute(database.db)
  await expect(decide(rows[0]!.id)).rejects.toThrow(/decides on their own proposal/)
  await expect(
    sql`update complaints set status = 'Upheld', closed_at = now() where id = ${BigInt(id)}`.execute(database.db),
  ).rejects.toThrow(/not approved by two operators/)
  const trade = parsePublicId(ids.lost)!
  const account = accountOf(ada, 'real')
  const remedy = sql`
    insert into trade_remedies (trade_id, ruling_id, account_id, amount)
    select ${trade}, max(id), ${account}, 1000 from complaint_rulings`
  await expect(remedy.execute(database.db)).rejects.toThrow(/not returned by a ruling/)
  await expect(
    sql`insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
        select 'trade_remedy', ${trade}, 2, id, mode, 'house', 'balance', 1000, seq + 1, balance, now() from accounts where id = ${account}`.execute(
      database.db,
    ),
  ).rejects.toThrow(/transfers_published_ways/)
  await inTransaction(database.db, (tx) => sendBackRuling(tx, ruler(0), BigInt(id), 'The other price.'))
  expect(await about(ada, ids.lost)).toMatchObject({ complaint: { status: 'Open' } })
  expect(await broken()).toEqual([])
})

test('a ruling waits for open trades that may use the price', async () => {
  const { ada, ids } = await settledTrades()
  const exit = await market.trade(ids.lost)
  const tick = { symbolId: exit.symbol_id, seq: exit.exit_seq!, at: Number(exit.exit_time) }
  expect(await tradesOn(database.db, tick)).toMatchObject({ lost: 3, total: usd(1_950n), open: 0 })
  const { id } = await file(ada, ids.lost)
  await checkAll()
  // Reopen a trade that will end on this price.
  await asSuper(
    PAST_TRIGGERS,
    `create table settled as select * from trades where id = ${parsePublicId(ids.won)!}`,
    `update trades set status = 'Pending', payout = null, settled_at = null, outcome_reason = null, exit_seq = null, exit_price = null,
       exit_time = null where id = ${parsePublicId(ids.won)!}`,
  )
  expect(await tradesOn(database.db, tick)).toMatchObject({ lost: 3, open: 1 })
  await expect(propose(id, { tick: 'exit' })).rejects.toEqual(problem('wrong_state'))
  await asSuper(
    PAST_TRIGGERS,
    'delete from trades where id = (select id from settled)',
    'insert into trades select * from settled',
    'drop table settled',
  )
})

test('a planted remedy and a missing one break the invariants', async () => {
  const names = async () => (await broken()).map((one) => one.split(':')[0]!)
  expect(await names()).toEqual([])
  const { rows } = await sql<{ trade_id: bigint }>`select trade_id from trade_remedies limit 1`.execute(database.db)
  const one = rows[0]!.trade_id
  await asSuper(
    PAST_TRIGGERS,
    `update transfers set amount = amount + 1 where cause = 'trade_remedy' and cause_id = ${one}`,
  )
  expect(await names()).toEqual(expect.arrayContaining(['R1', 'T11']))
  await asSuper(
    PAST_TRIGGERS,
    `update transfers set amount = amount - 1 where cause = 'trade_remedy' and cause_id = ${one}`,
  )
  await asSuper(
    PAST_TRIGGERS,
    `create table kept as select * from trade_remedies where trade_id = ${one}`,
    `delete from trade_remedies where trade_id = ${one}`,
  )
  expect(await names()).toEqual(expect.arrayContaining(['R1', 'R2', 'T11']))
  await asSuper(PAST_TRIGGERS, `insert into trade_remedies select * from kept`, `drop table kept`)
  const paid = `update complaint_rulings set paid_at = now(), approved_at = now() where remedy = 'tick' and approved_at is not null`
  await asSuper(
    PAST_TRIGGERS,
    paid.replace('paid_at = now(), approved_at = now()', `paid_at = null, approved_at = now() - interval '2 hours'`),
  )
  expect(await names()).toEqual(['R3'])
  await asSuper(PAST_TRIGGERS, paid)
  expect(await names()).toEqual([])
})

test('a trader files at most five complaints a day, and two about one item', async () => {
  const trader = await market.trader(100_000n)
  const trades: string[] = []
  for (let n = 0; n < 6; n++) trades.push((await market.submit(trader, { mode: 'demo', amount: 1 })).trade_id)
  await expect(file(trader, trades[0]!)).rejects.toEqual(problem('wrong_state'))
  await market.frame({ BTCUSDT: '60003.00' })
  await market.pass(66_000)
  await market.settled()
  for (const trade of trades.slice(0, 5)) await file(trader, trade)
  await expect(file(trader, trades[5]!)).rejects.toEqual(problem('limit_reached'))
  expect((await file(trader, trades[0]!)).status, 'the open one is returned').toBe('Open')
  expect(await about(trader, trades[5]!)).toMatchObject({
    complaint: null,
    refused: expect.stringContaining('24 hours'),
  })
})

// Last: its sale has no movements, so the books don't agree afterwards.
test('a ruling returns what a sold trade lost, and verify finds one that was left out', async () => {
  const { ada, bob, ids } = await settledTrades()
  // As if it had been sold for $2 of its $7, at the price that is ruled wrong.
  await asSuper(
    PAST_TRIGGERS,
    `update trades set status = 'Sold', payout = 200, sale_ordered_at = exit_time - 1 where id = ${parsePublicId(ids.demo)!}`,
  )
  const { id } = await file(ada, ids.lost)
  await checkAll()
  expect(await propose(id, { tick: 'exit' })).toMatchObject({ trades: 3, total: '1750' })
  await approve(id, ruler(1))
  const before = await balanceOf(bob, 'demo')
  while (await payNext(deps()));
  expect(await balanceOf(bob, 'demo')).toEqual({ balance: before.balance + 500n, owed: 0n })
  expect(await about(bob, ids.demo)).toMatchObject({ remedy: 5 })
  const R2 = must(complaintChecks.find(({ name }) => name === 'R2'))
  expect(await brokenRows(database.db, R2, 3)).toEqual([])
  await asSuper(PAST_TRIGGERS, `delete from trade_remedies where trade_id = ${parsePublicId(ids.demo)!}`)
  expect(await brokenRows(database.db, R2, 3)).toHaveLength(1)
})
