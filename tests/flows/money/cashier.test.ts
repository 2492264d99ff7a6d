import { afterAll, describe, expect, test } from 'vitest'
import type { Withdrawal } from '#contract/money/cashier.ts'
import { usd } from '#kernel/money.ts'
import { cashierChecks } from '#server/invariants/checks/cashier.ts'
import { accountOf } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { ETH, refused, startCashier } from '#tests/support/people/cashier.ts'
import { refusal } from '#tests/support/replies.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const {
  app,
  deps,
  notices,
  ops,
  trader,
  submitDeposit,
  withdraw,
  withdrawToBank,
  cancel,
  withdrawals,
  account,
  approve,
  reverse,
  approveOut,
  pay,
  rejectOut,
  pendingDeposit,
  pendingWithdrawal,
  asSuper,
  stop,
} = await startCashier()
afterAll(stop)

describe('a debtor', () => {
  /** Creates a trader with $900 on hold for a withdrawal, whose $900 deposit is then charged back. */
  async function debtor() {
    const one = await trader()
    const deposit = await pendingDeposit(one, '900')
    await approve(deposit, ops[0]!, 900)
    const out = await pendingWithdrawal(one, 900)
    return { one, out, chargeBack: () => reverse(deposit, 900) }
  }

  test('is never paid: released money repays the debt first', async () => {
    const { one, out, chargeBack } = await debtor()
    await chargeBack()
    expect(await account(one)).toEqual({ balance: 0n, hold: 90_000n, owed: -90_000n })
    const requirements = await app.send('GET', '/api/withdraw/requirements', { token: one.token })
    expect(requirements.json!.data).toMatchObject({ possible: false, owed: 900 })
    await expect(approveOut(out, ops[1]!)).rejects.toEqual(refused('debt_outstanding'))
    expect((await cancel(one, (await withdrawals(one))[0]!.withdraw_id)).status).toBe(200)
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: 0n })
    expect(refusal(await withdraw(one, 900))).toEqual([422, 'insufficient_balance'])
    expect(await app.broken()).toEqual([])
  })

  test("can't request more, and sees the debt", async () => {
    const { one, chargeBack } = await debtor()
    await chargeBack()
    for (const reply of [await withdraw(one, 1), await withdrawToBank(one, 1)]) {
      expect(refusal(reply)).toEqual([422, 'debt_outstanding'])
      expect(reply.json!.message).toContain('You owe $900.00')
    }
  })

  test("isn't paid a withdrawal approved before the debt; its rejection repays it", async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await chargeBack()
    await expect(pay(out, ops[0]!)).rejects.toEqual(refused('debt_outstanding'))
    await rejectOut(out, ops[0]!)
    expect(notices.at(-1)!.text).toContain('$900.00 repaid your debt.')
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: 0n })
  })

  test('repays in part if less is released than owed', async () => {
    const one = await trader(50)
    const deposit = await pendingDeposit(one, '900')
    await approve(deposit, ops[0]!, 900)
    const small = await pendingWithdrawal(one, 300)
    const large = await pendingWithdrawal(one, 600)
    await reverse(deposit, 900)
    expect(await account(one)).toEqual({ balance: 0n, hold: 90_000n, owed: -85_000n })
    await rejectOut(small, ops[0]!)
    expect(await account(one)).toEqual({ balance: 0n, hold: 60_000n, owed: -55_000n })
    await rejectOut(large, ops[0]!)
    expect(notices.at(-1)!.text).toContain('$550.00 repaid your debt, and $50.00 is back in your balance.')
    expect(await account(one)).toEqual({ balance: 5_000n, hold: 0n, owed: 0n })
  })

  test('is rejected by the database too', async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await chargeBack()
    for (const statement of [
      sql`update withdrawals set status = 'Paid', reference = 'x', ended_at = clock_timestamp() where id = ${out}`,
      sql`insert into withdrawals (id, user_id, method, coin, wallet, amount)
          values (${deps.newId()}, ${one.id}, 'crypto', 'ETH', ${ETH}, 100)`,
    ])
      await expect(statement.execute(app.db)).rejects.toThrow(/owes money/)
    await expect(
      asSuper(
        (db) => db.query(`update accounts set balance = 1 where id = ${accountOf(BigInt(one.id), 'real')}`),
        'replica',
      ),
    ).rejects.toThrow(/accounts_debt_first/)
  })

  test('is found by verify if paid', async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await chargeBack()
    const reference = transactionId('ETH')
    const found = await asSuper(async (db) => {
      const accountId = accountOf(BigInt(one.id), 'real')
      await db.query(
        `insert into coin_transactions (coin, transaction_id, payout_id) values ('ETH', '${reference}', ${out})`,
      )
      await db.query(
        `update withdrawals set status = 'Paid', reference = '${reference}', payout_id = id, coin_amount = 900, rate = 1, rate_at = now(),
          ended_at = clock_timestamp() where id = ${out}`,
      )
      await db.query(`insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
        select 'withdraw_paid', ${out}, 1, id, 'real', 'hold', 'external_out', 90000, seq + 1, 0, clock_timestamp() from accounts where id = ${accountId}`)
      await db.query(`update accounts set hold = 0, seq = seq + 1 where id = ${accountId}`)
      const says: string[] = []
      for (const check of cashierChecks) if ((await db.query(check.sql)).rowCount) says.push(check.says)
      return says
    }, 'replica')
    expect(found).toEqual([
      'no trader was paid more than they deposited and won, less what was reversed before the payment',
      'no debtor was paid',
    ])
  })

  test('whose debt came after the payment violates nothing', async () => {
    const { one, out, chargeBack } = await debtor()
    await approveOut(out, ops[1]!)
    await pay(out, ops[0]!)
    await chargeBack()
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: -90_000n })
    expect(await app.broken()).toEqual([])
  })
})

test('an open request prevents registering an unconfirmed address again', async () => {
  const one = await app.trader()
  const { json } = await app.send('GET', '/api/deposit', { token: one.token })
  expect(json!.data).toEqual([])
  await app.db
    .insertInto('deposits')
    .values({ id: deps.newId(), user_id: BigInt(one.id), method: 'card', submitted: usd(100n) })
    .execute()
  const reply = await app.send('POST', '/api/auth/register', {
    body: {
      firstname: 'Eve',
      lastname: 'Byron',
      email: one.email,
      phone: '+44 20 7946 0000',
      password: 'another engine',
      confirmPassword: 'another engine',
    },
  })
  expect(refusal(reply)).toEqual([409, 'already_exists'])
})

test('open screens are notified', async () => {
  const one = await trader(100)
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/stream`)
  const received: { op: string; data: unknown }[] = []
  socket.onmessage = ({ data }) => received.push(JSON.parse(String(data)))
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  socket.send(JSON.stringify({ op: 'auth', token: one.token }))
  await expect.poll(() => received.some(({ op }) => op === 'ready')).toBe(true)
  const requested = (await withdraw(one, 30)).json!.data as Withdrawal
  await expect
    .poll(() => received.find(({ op }) => op === 'balance')?.data)
    .toEqual({ balance: 70, demo_balance: 10_000 })
  expect(received.find(({ op }) => op === 'withdraw')?.data).toEqual(requested)
  await expect
    .poll(() => received.find(({ op }) => op === 'notice')?.data)
    .toMatchObject({ kind: 'withdraw', path: `/user/withdraw-log?withdrawal=${requested.withdraw_id}` })
  const alone = await app.send('GET', `/api/withdraw/${requested.withdraw_id}`, { token: one.token })
  expect(alone.json).toEqual({ status: true, data: requested })
  const deposit = (await submitDeposit(one, '5')).json!.data
  await expect.poll(() => received.find(({ op }) => op === 'deposit')?.data).toEqual(deposit)
  socket.close()
})

test('verify finds planted violations', async () => {
  const one = await trader()
  const deposit = await pendingDeposit(one, '200')
  await approve(deposit, ops[0]!, 200)
  const open = await pendingWithdrawal(one, 50)
  const paid = await pendingWithdrawal(one, 60)
  await approveOut(paid, ops[1]!)
  await pay(paid, ops[0]!)
  const found = (entry: string) =>
    asSuper(async (db) => {
      expect((await db.query(entry)).rowCount, entry).not.toBe(0)
      const names: string[] = []
      for (const { name, sql } of cashierChecks) if ((await db.query(sql)).rowCount) names.push(name)
      return [...new Set(names)]
    }, 'replica')
  const id = accountOf(BigInt(one.id), 'real')
  expect(await found(`update withdrawals set status = 'Cancelled', ended_at = now() where id = ${open}`)).toEqual([
    'L8',
    'L9',
    'W1',
  ])
  expect(await found(`update withdrawals set amount = 5001 where id = ${open}`)).toEqual(['L8', 'L9', 'W1'])
  expect(await found(`update deposits set credited = 20001 where id = ${deposit}`)).toEqual(['L9', 'W3'])
  expect(await found(`update deposits set reversed = 1 where id = ${deposit}`)).toEqual(['L9'])
  expect(await found(`delete from transfers where cause = 'deposit_credit' and cause_id = ${deposit}`)).toEqual(['L9'])
  expect(await found(`delete from transfers where cause = 'withdraw_paid' and cause_id = ${paid}`)).toEqual(['W1'])
  expect(await found(`update accounts set hold = hold + 1 where id = ${id}`)).toEqual(['L8'])
  expect(await found(`update accounts set balance = balance + 1 where id = ${id}`)).toEqual(['L9'])
  expect(await found(`delete from withdrawal_approvals where withdrawal_id = ${paid}`)).toEqual(['W3'])
  expect(
    await found(`update users set email = (select email from operators where id = ${ops[0]!.id}) where id = ${one.id}`),
  ).toEqual(['W3'])
  expect(await found(`update withdrawals set amount = 30000, coin_amount = 0.15 where id = ${paid}`)).toEqual([
    'L9',
    'W1',
    'W2',
  ])
})
