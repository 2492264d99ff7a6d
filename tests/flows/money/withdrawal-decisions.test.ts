import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { Withdrawal } from '#contract/money/cashier.ts'
import { usd } from '#kernel/money.ts'
import type { Operator } from '#server/cashier/operator.ts'
import { WITHDRAWAL_NEXT } from '#server/cashier/withdrawals/withdrawal.ts'
import { type PayoutRouteColumns, payoutRouteColumns, payoutRouteFlags } from '#server/desk/lists/money-flags.ts'
import { sql } from '#server/platform/database/db.ts'
import { ETH, numberOf, refused, startCashier } from '#tests/support/people/cashier.ts'
import { refusal } from '#tests/support/replies.ts'
import type { Reply } from '#tests/support/servers/app.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const {
  app,
  notices,
  ops,
  operator,
  trader,
  withdraw,
  withdrawToBank,
  cancel,
  withdrawals,
  account,
  approve,
  approveOut,
  revokeOut,
  pay,
  rejectOut,
  pendingDeposit,
  pendingWithdrawal,
  asSuper,
  stop,
} = await startCashier()
afterAll(stop)

describe('deciding a withdrawal', () => {
  test("one operator approves up to the threshold, and it's paid with a reference", async () => {
    const one = await trader(1_000)
    const id = await pendingWithdrawal(one, 1_000)
    await approveOut(id, ops[0]!)
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Processing', held_by: 'Operator (paying)' })
    expect(refusal(await cancel(one, (await withdrawals(one))[0]!.withdraw_id))).toEqual([409, 'wrong_state'])
    const reference = transactionId('ETH')
    await pay(id, ops[0]!, reference)
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Paid', reference, held_by: 'You' })
    expect(await account(one)).toEqual({ balance: 0n, hold: 0n, owed: 0n })
    expect(notices.at(-1)).toMatchObject({
      title: 'Your withdrawal was paid',
      text: expect.stringContaining(reference),
    })
  })

  test('above it, two different operators approve, and no one their own', async () => {
    const one = await trader(1_000.01)
    const id = await pendingWithdrawal(one, 1_000.01)
    const own = await operator(one.email.toUpperCase())
    for (const work of [approveOut, pay, rejectOut]) await expect(work(id, own)).rejects.toEqual(refused('own_item'))
    await expect(
      asSuper((db) => db.query(`insert into withdrawal_approvals values (${id}, ${own.id})`)),
    ).rejects.toThrow(/approve their own item/)
    await approveOut(id, ops[0]!)
    expect((await withdrawals(one))[0]).toMatchObject({
      status: 'Pending',
      held_by: 'Second operator (reviewing)',
    })
    await expect(approveOut(id, ops[0]!)).rejects.toEqual(refused('second_person_required'))
    await expect(pay(id, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await approveOut(id, ops[1]!)
    await pay(id, ops[0]!)
    expect((await withdrawals(one))[0]!.status).toBe('Paid')
  })

  test("only the approver can revoke an approval, and only while it's pending", async () => {
    const one = await trader(3_000)
    const id = await pendingWithdrawal(one, 3_000)
    const own = await operator(one.email)
    await approveOut(id, ops[0]!)
    await expect(revokeOut(id, ops[1]!)).rejects.toEqual(refused('wrong_state'))
    await expect(revokeOut(id, own)).rejects.toEqual(refused('own_item'))
    await revokeOut(id, ops[0]!)
    expect((await withdrawals(one))[0]).toMatchObject({ status: 'Pending', held_by: 'Operator (reviewing)' })
    await approveOut(id, ops[1]!)
    expect((await withdrawals(one))[0]!.status).toBe('Pending')
    await approveOut(id, ops[0]!)
    const remove = () => app.db.deleteFrom('withdrawal_approvals').where('withdrawal_id', '=', id).execute()
    for (const work of [undefined, () => pay(id, ops[2]!)]) {
      await work?.()
      for (const who of ops) await expect(revokeOut(id, who)).rejects.toEqual(refused('wrong_state'))
      await expect(remove()).rejects.toThrow(/cannot be revoked/)
    }
    await expect(app.db.updateTable('withdrawal_approvals').set({ at: new Date() }).execute()).rejects.toThrow()
  })

  test('a rejection returns the money, even if the payment bounced', async () => {
    const one = await trader(300)
    const [waiting, processing] = [await pendingWithdrawal(one, 100), await pendingWithdrawal(one, 200)]
    await approveOut(processing, ops[0]!)
    await rejectOut(waiting, ops[0]!, 'Not your wallet.')
    await rejectOut(processing, ops[1]!)
    expect(await account(one)).toEqual({ balance: 30_000n, hold: 0n, owed: 0n })
    expect((await withdrawals(one)).map(({ status, reason }) => [status, reason])).toEqual([
      ['Rejected', 'The payment bounced.'],
      ['Rejected', 'Not your wallet.'],
    ])
  })

  test('the use cases accept exactly the allowed transitions', async () => {
    type Status = keyof typeof WITHDRAWAL_NEXT
    async function go(to: Status, id: bigint, by: Operator, cancelled: () => Promise<Reply>): Promise<unknown> {
      if (to === 'Processing') return approveOut(id, by)
      if (to === 'Paid') return pay(id, by)
      if (to === 'Rejected') return rejectOut(id, by)
      const { status, json } = await cancelled()
      if (status !== 200) throw json
      return json
    }
    for (const from of Object.keys(WITHDRAWAL_NEXT) as (keyof typeof WITHDRAWAL_NEXT)[]) {
      for (const to of ['Processing', 'Paid', 'Rejected', 'Cancelled'] as const) {
        const one = await trader(10)
        const { withdraw_id } = (await withdraw(one, 10)).json!.data as Withdrawal
        const id = numberOf(withdraw_id)
        const cancelled = () => cancel(one, withdraw_id)
        if (from === 'Paid') await go('Processing', id, ops[0]!, cancelled)
        if (from !== 'Pending') await go(from, id, ops[0]!, cancelled)
        const result = await go(to, id, ops[1]!, cancelled).then(
          () => true,
          (error: { code: string }) => error.code !== 'wrong_state' && error,
        )
        expect(result, `${from} to ${to}`).toBe(WITHDRAWAL_NEXT[from].includes(to))
      }
    }
  })

  test('the database accepts exactly the allowed transitions', async () => {
    const one = await trader(100)
    const fields = {
      Pending: 'processing_at = null, ended_at = null, reason = null, reference = null',
      Processing: 'processing_at = now(), ended_at = null, reason = null, reference = null',
      Paid: "processing_at = coalesce(processing_at, now()), ended_at = now(), reason = null, reference = 'x'",
      Rejected: "ended_at = now(), reason = 'x', reference = null",
      Cancelled: 'processing_at = null, ended_at = now(), reason = null, reference = null',
    } as const
    const states = Object.keys(fields) as (keyof typeof fields)[]
    const id = numberOf(((await withdrawToBank(one, 10)).json!.data as Withdrawal).withdraw_id)
    for (const from of states)
      for (const to of states) {
        const attempt = asSuper(async (db) => {
          await db.query(`insert into withdrawal_approvals values (${id}, ${ops[0]!.id})`)
          // Set the initial state without triggers; the transition itself runs with them.
          await db.query("set local session_replication_role = 'replica'")
          await db.query(`update withdrawals set status = '${from}', ${fields[from]} where id = ${id}`)
          await db.query("set local session_replication_role = 'origin'")
          await db.query(`update withdrawals set status = '${to}', ${fields[to]} where id = ${id}`)
        })
        const isEdge = WITHDRAWAL_NEXT[from].includes(to)
        if (isEdge) await attempt
        else await expect(attempt, `${from} to ${to}`).rejects.toThrow()
      }
    await expect(
      asSuper((db) => db.query(`update withdrawals set status = 'Processing', processing_at = now() where id = ${id}`)),
    ).rejects.toThrow(/lacks an approval/)
    await expect(
      asSuper(async (db) => {
        await db.query(`update withdrawals set status = 'Rejected', ended_at = now(), reason = 'x' where id = ${id}`)
        await db.query('set constraints all immediate')
      }),
    ).rejects.toThrow(/not where its status says/)
    await expect(
      app.db
        .updateTable('withdrawals')
        .set({ amount: usd(1n) })
        .execute(),
    ).rejects.toThrow(/permission denied/)
  })

  test('of twenty parallel decisions of every kind, one wins, and the money is in one place', async () => {
    for (let round = 0; round < 3; round++) {
      const one = await trader(100)
      const { withdraw_id } = (await withdraw(one, 100)).json!.data as Withdrawal
      const id = numberOf(withdraw_id)
      await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          [
            () => approveOut(id, ops[n % 3]!),
            () => pay(id, ops[n % 3]!),
            () => rejectOut(id, ops[n % 3]!),
            () => cancel(one, withdraw_id),
          ][(n + round) % 4]!(),
        ),
      )
      const { status } = (await withdrawals(one))[0]!
      const { balance, hold } = await account(one)
      expect({ balance, hold }).toEqual(
        status === 'Paid'
          ? { balance: 0n, hold: 0n }
          : status === 'Processing' || status === 'Pending'
            ? { balance: 0n, hold: 10_000n }
            : { balance: 10_000n, hold: 0n },
      )
    }
  })

  test('flags suspicious withdrawals', async () => {
    const [one, other] = [await trader(), await trader(100)]
    await approve(await pendingDeposit(one, '100'), ops[0]!, 100)
    const toEth = numberOf(((await withdraw(one, 10, ETH.toLowerCase())).json!.data as Withdrawal).withdraw_id)
    const toBtc = numberOf(
      ((await withdraw(one, 10, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')).json!.data as Withdrawal).withdraw_id,
    )
    const account = { account_number: randomBytes(6).toString('hex') }
    const toBank = numberOf(((await withdrawToBank(one, 10, account)).json!.data as Withdrawal).withdraw_id)
    await withdrawToBank(other, 10, {
      account_number: `${account.account_number.slice(0, 4)} ${account.account_number.slice(4)}`,
    })
    const flagsOf = async (id: bigint) => {
      const { rows } =
        await sql<PayoutRouteColumns>`select ${payoutRouteColumns} from withdrawals item where item.id = ${id}`.execute(
          app.db,
        )
      return payoutRouteFlags(rows[0]!)
    }
    expect(await flagsOf(toBtc)).toEqual([])
    expect(await flagsOf(toEth)).toEqual([
      'Withdrawal to ETH, but deposits came by BTC',
      expect.stringMatching(/^\S+@\S+ used the same wallet: possible second account$/),
    ])
    expect(await flagsOf(toBank)).toEqual([
      'Withdrawal to bank, but deposits came by BTC',
      `${other.email} used the same bank account: possible second account`,
    ])
  })
})
