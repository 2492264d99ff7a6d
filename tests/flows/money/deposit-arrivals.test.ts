import { afterAll, describe, expect, test } from 'vitest'
import type { Deposit } from '#contract/money/cashier.ts'
import { usd } from '#kernel/money.ts'
import { approveDeposit } from '#server/cashier/index.ts'
import { cashierChecks } from '#server/invariants/checks/cashier.ts'
import { numberOf, refused, startCashier } from '#tests/support/people/cashier.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const {
  coin,
  ops,
  operator,
  trader,
  submitDeposit,
  deposits,
  balance,
  arrive,
  approve,
  revoke,
  asSuper,
  step,
  deps,
  stop,
} = await startCashier()
afterAll(stop)

const MINUTE = 60_000
async function submitted(who: Trader, amount = '100'): Promise<{ id: bigint; deposit: Deposit }> {
  const reply = await submitDeposit(who, amount)
  expect(reply.status, reply.text).toBe(200)
  const deposit = reply.json!.data as Deposit
  return { id: numberOf(deposit.deposit_id), deposit }
}
/** Makes a request, as if it had been made earlier. */
const age = (id: bigint, minutes: number) =>
  asSuper(async (db) => {
    await db.query(`update deposits set requested_at = requested_at - interval '${minutes} minutes' where id = ${id}`)
    await db.query('commit')
  }, 'replica')

describe('what arrived for a deposit', () => {
  test('counts at the rate of its request within 15 minutes, and is shown to both sides', async () => {
    const one = await trader()
    const { id, deposit } = await submitted(one)
    coin.cents = 100n
    await age(id, 10)
    const [read] = await deposits(one)
    const transaction = transactionId()
    await arrive(
      id,
      ops[0]!,
      deposit.coin_amount!.toFixed(8),
      Date.parse(read!.requested_at!) + 5 * MINUTE,
      transaction,
    )
    expect((await deposits(one))[0]!.arrival).toMatchObject({
      transaction_id: transaction,
      coin_amount: deposit.coin_amount,
      rate: deposit.rate,
      amount: 100,
    })
    await approve(id, ops[0]!, 100)
    expect(await balance(one)).toBe(100)
  })

  test.each([
    ['after them', 15 * MINUTE + 1_000],
    ['before the request', -1_000],
  ])("counts at the tape's rate of its time %s", async (_, offset) => {
    const one = await trader()
    const { id } = await submitted(one)
    await age(id, 30)
    coin.cents = 5_000_000n
    await arrive(id, ops[0]!, '0.002', Date.parse((await deposits(one))[0]!.requested_at!) + offset)
    expect((await deposits(one))[0]!.arrival).toMatchObject({ rate: '50000.00', amount: 100 })
    coin.cents = 4_000_000n
    await arrive(id, ops[1]!, '0.001', Date.parse((await deposits(one))[0]!.requested_at!) + offset)
    expect((await deposits(one))[0]!.arrival).toMatchObject({ rate: '40000.00', amount: 40 })
  })

  test('is entered before anyone approves, by the database too', async () => {
    const one = await trader()
    const { id, deposit } = await submitted(one)
    const approveNow = () =>
      step((tx) => approveDeposit(deps, tx, { depositId: id, operator: ops[0]!, amount: usd(10_000n) }))
    await expect(approveNow()).rejects.toEqual(refused('wrong_state'))
    const insert = (cents: number) =>
      asSuper((db) => db.query(`insert into deposit_approvals values (${id}, ${ops[0]!.id}, ${cents})`))
    await expect(insert(10_000)).rejects.toThrow(/has no arrival/)
    await arrive(id, ops[0]!, deposit.coin_amount!.toFixed(8), Date.now())
    await expect(insert(10_001)).rejects.toThrow(/has no arrival of this amount/)
    await approveNow()
    expect(await balance(one)).toBe(100)
  })

  test('is the most that can be credited', async () => {
    const one = await trader()
    const { id } = await submitted(one)
    await age(id, 30)
    coin.cents = 4_000_000n
    await arrive(id, ops[0]!, '0.001', Date.now() - MINUTE)
    for (const who of ops)
      await expect(approve(id, who, 40.01)).rejects.toEqual(
        expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ field: 'amount' })] }),
      )
    await approve(id, ops[0]!, 40)
    expect(await balance(one)).toBe(40)
  })

  test('is corrected only until someone has approved it, and never by the trader', async () => {
    const one = await trader()
    const { id } = await submitted(one, '5000')
    await age(id, 30)
    coin.cents = 5_000_000n
    await expect(arrive(id, await operator(one.email), '0.1', Date.now() - MINUTE)).rejects.toEqual(refused('own_item'))
    await arrive(id, ops[0]!, '0.1', Date.now() - MINUTE)
    await approve(id, ops[0]!, 5_000)
    await expect(arrive(id, ops[1]!, '0.2', Date.now() - MINUTE)).rejects.toEqual(refused('wrong_state'))
    await expect(
      asSuper((db) => db.query(`update deposit_arrivals set coins = 1, amount = 5000000 where deposit_id = ${id}`)),
    ).rejects.toThrow(/takes no arrival/)
    await revoke(id, ops[0]!)
    await arrive(id, ops[1]!, '0.05', Date.now() - MINUTE)
    expect((await deposits(one))[0]!.arrival).toMatchObject({ amount: 2_500 })
  })

  test('needs a transaction of the coin that paid no other deposit of this trader, a past time and a price', async () => {
    const [one, other] = [await trader(), await trader()]
    const [first, second, third] = [await submitted(one), await submitted(one), await submitted(other)]
    await age(second.id, 30)
    const transaction = transactionId()
    await arrive(first.id, ops[0]!, '0.001', Date.now() - MINUTE, transaction)
    await expect(arrive(second.id, ops[0]!, '0.001', Date.now() - MINUTE, transaction.toUpperCase())).rejects.toEqual(
      refused('already_exists'),
    )
    // An exchange may pay several traders at once.
    await arrive(third.id, ops[0]!, '0.001', Date.now() - MINUTE, transaction)
    const invalid = (field: string) =>
      expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ field })] })
    await expect(arrive(second.id, ops[0]!, '0.001', Date.now(), transactionId('ETH'))).rejects.toEqual(
      invalid('transaction_id'),
    )
    await expect(arrive(second.id, ops[0]!, '0.001', Date.now() + MINUTE)).rejects.toEqual(invalid('arrived_at'))
    coin.open = false
    await expect(arrive(second.id, ops[0]!, '0.001', Date.now() - MINUTE)).rejects.toEqual(invalid('arrived_at'))
    coin.open = true
    expect((await deposits(one))[0]!).not.toHaveProperty('arrival')
  })

  test.each([
    ['more than arrived', (id: bigint) => `update deposits set credited = credited + 1 where id = ${id}`],
    ['nothing on the blockchain', (id: bigint) => `delete from deposit_arrivals where deposit_id = ${id}`],
    ['coins at another rate', (id: bigint) => `update deposit_arrivals set rate = rate * 2 where deposit_id = ${id}`],
  ])('is found by verify if it was credited with %s', async (_, statement) => {
    const one = await trader()
    const { id, deposit } = await submitted(one)
    await arrive(id, ops[0]!, deposit.coin_amount!.toFixed(8), Date.now())
    await approve(id, ops[0]!, 100)
    const check = cashierChecks.find(({ says }) => says.startsWith('each credited coin deposit names its arrival'))!
    const found = (planted?: string) =>
      asSuper(async (db) => {
        await db.query('alter table deposit_arrivals drop constraint deposit_arrivals_worth')
        if (planted) await db.query(planted)
        return ((await db.query(check.sql)).rows as { id: bigint }[]).map((row) => row.id)
      }, 'replica')
    expect(await found()).toEqual([])
    expect(await found(statement(id))).toEqual([id])
  })
})
