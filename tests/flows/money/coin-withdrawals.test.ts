import { afterAll, describe, expect, test } from 'vitest'
import { cashierChecks } from '#server/invariants/checks/cashier.ts'
import { sql } from '#server/platform/database/db.ts'
import { BTC, numberOf, refused, startCashier } from '#tests/support/people/cashier.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const {
  app,
  coin,
  ops,
  trader,
  withdraw,
  withdrawToBank,
  withdrawals,
  approveOut,
  fix,
  pay,
  rejectOut,
  asSuper,
  stop,
} = await startCashier()
afterAll(stop)

/** Returns an approved withdrawal of $50.00 to a Bitcoin address, and its trader. */
async function approved(who?: Trader) {
  const one = who ?? (await trader(50))
  const id = numberOf(((await withdraw(one, 50, BTC)).json!.data as { withdraw_id: string }).withdraw_id)
  await approveOut(id, ops[0]!)
  return { one, id }
}
/** Makes the rate of a withdrawal older. */
const minutesAgo = (id: bigint, minutes: number) =>
  asSuper(async (db) => {
    await db.query(`update withdrawals set rate_at = rate_at - interval '${minutes} minutes' where id = ${id}`)
    await db.query('commit')
  }, 'replica')

describe('the coins of a withdrawal', () => {
  test('are fixed for the payment at the rate of the tape, and shown with their time to both sides', async () => {
    const { one, id } = await approved()
    expect((await withdrawals(one))[0]).not.toHaveProperty('rate')
    coin.cents = 8_000_000n
    await fix(id, ops[0]!)
    coin.cents = 4_000_000n
    const fixed = { coin_amount: 0.000625, rate: '80000.00', rate_source: 'simulation', fee: 0 }
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Processing', ...fixed, rate_time: expect.any(String) })
    const reference = transactionId()
    await pay(id, ops[0]!, reference.toUpperCase())
    expect((await withdrawals(one))[0]).toMatchObject({
      status: 'Paid',
      ...fixed,
      reference,
      approved_at: expect.any(String),
    })
  })

  test("can't be chosen: a rate is renewed only when it is over, and never after the payment", async () => {
    const { one, id } = await approved()
    coin.cents = 8_000_000n
    await fix(id, ops[0]!)
    coin.cents = 4_000_000n
    await expect(fix(id, ops[1]!)).rejects.toEqual(refused('wrong_state'))
    await expect(
      sql`update withdrawals set rate = 40000, coin_amount = 0.00125, rate_at = now() where id = ${id}`.execute(app.db),
    ).rejects.toThrow(/are fixed/)
    expect((await withdrawals(one))[0]).toMatchObject({ rate: '80000.00' })
    await minutesAgo(id, 16)
    await fix(id, ops[1]!)
    expect((await withdrawals(one))[0]).toMatchObject({ rate: '40000.00', coin_amount: 0.00125 })
    await minutesAgo(id, 16)
    await pay(id, ops[0]!, transactionId())
    await expect(fix(id, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await expect(
      sql`update withdrawals set rate = 20000, coin_amount = 0.0025 where id = ${id}`.execute(app.db),
    ).rejects.toThrow()
  })

  test('are those of the payment when nobody fixed them, and need a fresh price', async () => {
    const { one, id } = await approved()
    coin.open = false
    for (const work of [() => fix(id, ops[0]!), () => pay(id, ops[0]!, transactionId())])
      await expect(work()).rejects.toEqual(refused('price_unavailable'))
    coin.open = true
    coin.cents = 5_000_000n
    await pay(id, ops[0]!, transactionId())
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Paid', coin_amount: 0.001, rate: '50000.00' })
  })

  test('are only for approved withdrawals to a wallet', async () => {
    const one = await trader(120)
    const pending = numberOf(((await withdraw(one, 50, BTC)).json!.data as { withdraw_id: string }).withdraw_id)
    await expect(fix(pending, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await expect(
      sql`update withdrawals set rate = 50000, coin_amount = 0.001, rate_at = now() where id = ${pending}`.execute(
        app.db,
      ),
    ).rejects.toThrow(/are fixed/)
    const bank = numberOf(((await withdrawToBank(one, 50)).json!.data as { withdraw_id: string }).withdraw_id)
    await approveOut(bank, ops[0]!)
    await expect(fix(bank, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await pay(bank, ops[0]!, 'wire 42')
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Paid', reference: 'wire 42' })
    expect((await withdrawals(one))[0]).not.toHaveProperty('fee')
  })

  test('stay with a payment that bounced', async () => {
    const { one, id } = await approved()
    await fix(id, ops[0]!)
    await rejectOut(id, ops[0]!)
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Rejected', rate: expect.any(String) })
  })
})

describe('the transaction of a withdrawal', () => {
  test('must be one of its coin, and a wrong one changes nothing', async () => {
    const { one, id } = await approved()
    for (const bad of ['wire 42', transactionId('ETH'), transactionId().slice(1), '0'.repeat(100)])
      await expect(pay(id, ops[0]!, bad)).rejects.toEqual(
        expect.objectContaining({
          code: 'validation_failed',
          errors: [expect.objectContaining({ field: 'reference' })],
        }),
      )
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Processing' })
    expect((await withdrawals(one))[0]).not.toHaveProperty('reference')
  })

  test('pays one withdrawal only, also of twenty at once, in any spelling', async () => {
    const reference = transactionId()
    const many = await Promise.all(Array.from({ length: 20 }, () => approved()))
    const results = await Promise.allSettled(
      many.map(({ id }, n) => pay(id, ops[n % 3]!, n % 2 ? reference : reference.toUpperCase())),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toEqual(refused('already_exists'))
    const paid = many[results.findIndex(({ status }) => status === 'fulfilled')]!
    expect((await withdrawals(paid.one))[0]).toMatchObject({ status: 'Paid', reference })
  })

  test('is bound by the database: no payment without one, none twice, none for another', async () => {
    const [first, second] = [await approved(), await approved()]
    const reference = transactionId()
    await pay(first.id, ops[0]!, reference)
    await fix(second.id, ops[0]!)
    const paid = (more: string) =>
      asSuper((db) =>
        db.query(`update withdrawals set status = 'Paid', ended_at = now(), ${more} where id = ${second.id}`),
      )
    await expect(paid(`reference = 'wire 42'`)).rejects.toThrow(/withdrawals_payout/)
    await expect(paid(`reference = '${transactionId()}', payout_id = id`)).rejects.toThrow(/withdrawals_transaction/)
    await expect(paid(`reference = '${reference}', payout_id = id`)).rejects.toThrow(/withdrawals_transaction/)
    await expect(paid(`reference = '${reference}', payout_id = ${first.id}`)).rejects.toThrow(/by another payout/)
    const insert = (id: string) =>
      asSuper((db) => db.query(`insert into coin_transactions values ('BTC', '${id}', ${second.id})`))
    await expect(insert(reference)).rejects.toThrow(/coin_transactions_pkey/)
    await expect(insert(transactionId().toUpperCase().replace(/^./, 'A'))).rejects.toThrow(/coin_transactions_id/)
    await expect(
      asSuper((db) => db.query(`delete from coin_transactions where transaction_id = '${reference}'`)),
    ).rejects.toThrow()
  })

  test.each([
    ['without a transaction', (id: bigint) => `update withdrawals set payout_id = null where id = ${id}`],
    ['with other coins', (id: bigint) => `update withdrawals set coin_amount = coin_amount * 2 where id = ${id}`],
    ['by a transaction that is gone', (id: bigint) => `delete from coin_transactions where payout_id = ${id}`],
    [
      'by a second transaction',
      (id: bigint) => `insert into coin_transactions values ('BTC', '${transactionId()}', ${id})`,
    ],
  ])('is found by verify if paid %s', async (_, statement) => {
    const { id } = await approved()
    await pay(id, ops[0]!, transactionId())
    const check = cashierChecks.find(({ says }) => says.startsWith('each coin withdrawal was paid by one transaction'))!
    const found = () => asSuper(async (db) => (await db.query(check.sql)).rows)
    expect(await found()).toEqual([])
    const rows = await asSuper(async (db) => {
      await db.query('alter table withdrawals drop constraint withdrawals_payout, drop constraint withdrawals_rate')
      await db.query(statement(id))
      return (await db.query(check.sql)).rows as { withdrawal: bigint }[]
    }, 'replica')
    expect(rows.map(({ withdrawal }) => withdrawal)).toContain(id)
  })
})
