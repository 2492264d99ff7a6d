import { afterAll, describe, expect, test } from 'vitest'
import type { DeskPayoutBatch, DeskPayouts } from '#contract/desk/money/payout-batches.ts'
import { parsePublicId } from '#kernel/id.ts'
import { cashierChecks } from '#server/invariants/checks/cashier.ts'
import { type DeskOperator, operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const { app, items, finance, auditOf, notices, asSuper, stop } = await startDesk()
const [anna, bert] = finance as [DeskOperator, DeskOperator]
afterAll(stop)

/** Creates approved withdrawals in Bitcoin, each of $50.00 of another trader. */
const approved = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const item = await items.withdrawals(50)
      expect(refusal(await bert.ask('POST', `/withdrawals/${item.id}/approve`))).toEqual([200, undefined])
      return item
    }),
  )
const create = (who = anna, currency = 'BTC') => who.ask('POST', '/payout-batches', { body: { currency } })
const paid = (who: DeskOperator, id: string, withdrawals: readonly string[], transaction_id = transactionId()) =>
  who.ask('POST', `/payout-batches/${id}/paid`, { body: { payments: [{ withdrawals, transaction_id }] } })
const takeOut = (who: DeskOperator, id: string, withdrawals: readonly string[]) =>
  who.ask('POST', `/payout-batches/${id}/take-out`, { body: { withdrawals } })
const idsOf = (batch: DeskPayoutBatch) => batch.items.map(({ id }) => id)
const payouts = async () => data<DeskPayouts>(await anna.ask('GET', '/payout-batches'))
/** Takes everything out of open batches, and pays what is approved, so that no test finds another's. */
const clear = async () => {
  await create()
  for (const batch of (await payouts()).batches.filter(({ unpaid }) => unpaid > 0))
    await paid(
      anna,
      batch.id,
      batch.items.filter(({ status }) => status === 'Unpaid').map(({ id }) => id),
    )
}

describe('a payout batch', () => {
  test('pays approved withdrawals from one file by one transaction, each with its notice and audit row', async () => {
    await clear()
    const waiting = await approved(3)
    const pending = await items.withdrawals(50)
    expect((await payouts()).ready).toContainEqual({ currency: 'BTC', withdrawals: 3, amount: 150 })
    const batch = data<DeskPayoutBatch>(await create())
    expect(new Set(idsOf(batch))).toEqual(new Set(waiting.map(({ id }) => id)))
    expect(batch).toMatchObject({ unpaid: 3, withdrawals: 3, amount: 150, created_by: { email: anna.email } })
    expect((await payouts()).ready).toContainEqual({ currency: 'BTC', withdrawals: 0, amount: 0 })

    const file = await anna.ask('GET', `/payout-batches/${batch.id}/file`)
    const lines = file.text.trimEnd().split('\r\n')
    expect(lines).toEqual([
      'address,amount,reference',
      ...batch.items.map(({ wallet, coin_amount, id }) => `${wallet},${coin_amount.toFixed(8)},${id}`),
    ])
    expect(file.headers.get('content-type')).toContain('text/csv')

    const reference = transactionId()
    expect(data<DeskPayoutBatch>(await paid(anna, batch.id, idsOf(batch), reference))).toMatchObject({
      unpaid: 0,
      items: batch.items.map(({ id }) => ({ id, status: 'Paid', transaction_id: reference })),
    })
    for (const { id, trader } of waiting) {
      expect((await notices(trader)).map(({ title }) => title)).toContain('Your withdrawal was paid')
      expect((await auditOf('withdrawals', id))[0]).toMatchObject({
        action: 'paid',
        operator: anna.email,
        why: reference,
      })
    }
    expect(refusal(await anna.ask('GET', `/payout-batches/${batch.id}/file`))).toEqual([409, 'wrong_state'])
    expect((await auditOf('withdrawals', pending.id)).length).toBe(0)
  })

  test('holds its withdrawals: they are neither paid, rejected nor given another rate outside of it', async () => {
    await clear()
    const [one] = await approved(1)
    const batch = data<DeskPayoutBatch>(await create())
    for (const [action, body] of [
      ['paid', { reference: transactionId() }],
      ['reject', { reason: 'r' }],
      ['fix-coins', undefined],
    ] as const)
      expect(
        refusal(await bert.ask('POST', `/withdrawals/${one!.id}/${action}`, body ? { body } : {})),
        action,
      ).toEqual([409, 'wrong_state'])
    // The database holds it too.
    await expect(
      asSuper(`update withdrawals set status = 'Rejected', reason = 'r', ended_at = now() where id = (select withdrawal_id
        from payout_batch_items order by batch_id desc limit 1)`),
    ).rejects.toThrow(/is in payout batch/)
    expect(refusal(await create())).toEqual([409, 'wrong_state'])
    expect(data<DeskPayoutBatch>(await takeOut(bert, batch.id, [one!.id]))).toMatchObject({
      unpaid: 0,
      withdrawals: 0,
      items: [{ status: 'Taken out' }],
    })
    expect(refusal(await takeOut(bert, batch.id, [one!.id]))).toEqual([409, 'wrong_state'])
    expect(refusal(await paid(bert, batch.id, [one!.id]))).toEqual([409, 'wrong_state'])
    const reply = await bert.ask('POST', `/withdrawals/${one!.id}/paid`, { body: { reference: transactionId() } })
    expect(refusal(reply)).toEqual([200, undefined])
  })

  test('is paid by several transactions, none of which pays another batch or withdrawal', async () => {
    await clear()
    await approved(2)
    const first = data<DeskPayoutBatch>(await create())
    const [a, b] = idsOf(first) as [string, string]
    const [ofA, ofB] = [transactionId(), transactionId()]
    await paid(anna, first.id, [a], ofA)
    const [other] = await approved(1)
    const second = data<DeskPayoutBatch>(await create(bert))
    expect(idsOf(second)).toEqual([other!.id])
    expect(refusal(await paid(bert, second.id, [other!.id], ofA))).toEqual([409, 'already_exists'])
    expect(refusal(await paid(bert, second.id, [b]))).toEqual([409, 'wrong_state'])
    // All of a call or nothing.
    expect(refusal(await paid(bert, first.id, [b, other!.id], ofB))).toEqual([409, 'wrong_state'])
    expect((await payouts()).batches.find(({ id }) => id === first.id)).toMatchObject({ unpaid: 1 })
    await paid(bert, first.id, [b], ofB)
    expect(data<DeskPayoutBatch>(await paid(bert, second.id, [other!.id]))).toMatchObject({ unpaid: 0 })
  })

  test('takes each withdrawal once, also of twenty batches and payments at once', async () => {
    await clear()
    await approved(4)
    const made = await twenty((n) => create(n % 2 ? anna : bert))
    const batches = made.filter(({ status }) => status === 200).map((reply) => data<DeskPayoutBatch>(reply))
    expect(batches.flatMap(idsOf)).toHaveLength(4)
    for (const batch of batches) {
      const results = await twenty((n) => paid(n % 2 ? anna : bert, batch.id, idsOf(batch), transactionId()))
      expect(results.filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })

  test("leaves out what can't be paid by this operator, and pays nothing while payouts are paused", async () => {
    await clear()
    const [claimed, debtor, good] = await approved(3)
    await bert.ask('POST', `/withdrawals/${claimed!.id}/claim`)
    await asSuper(
      `set session_replication_role = 'replica'`,
      `update accounts set owed = -5 where id = 2 * ${debtor!.trader.id}`,
    )
    const batch = data<DeskPayoutBatch>(await create())
    expect(idsOf(batch)).toEqual([good!.id])
    await asSuper(
      `set session_replication_role = 'replica'`,
      `update accounts set owed = 0 where id = 2 * ${debtor!.trader.id}`,
    )
    expect(refusal(await (await operator(app, ['support'])).ask('GET', '/payout-batches'))).toEqual([403, 'forbidden'])
    await bert.ask('POST', '/levers', { body: { kind: 'withdrawals', reason: 'r' } })
    expect(refusal(await paid(anna, batch.id, idsOf(batch)))).toEqual([409, 'payouts_halted'])
    expect(refusal(await create(bert))).toEqual([409, 'payouts_halted'])
    const [lever] = data<{ id: string }[]>(await bert.ask('GET', '/levers'))
    const release = await bert.ask('POST', '/lever-releases', { body: { lever_id: lever!.id, reason: 'r' } })
    await anna.ask('POST', `/lever-releases/${data<{ id: string }>(release).id}/approve`)
    await paid(anna, batch.id, idsOf(batch))
  })
})

test('verify finds a payment by a transaction of another payout', async () => {
  await clear()
  await approved(1)
  const batch = data<DeskPayoutBatch>(await create())
  await paid(anna, batch.id, idsOf(batch))
  const check = cashierChecks.find(({ says }) => says.startsWith('each coin withdrawal was paid by one transaction'))!
  const id = parsePublicId(idsOf(batch)[0]!)!
  const client = await connectTo(app.superUrl)
  try {
    const found = async () => (await client.query(check.sql)).rows.map(({ withdrawal }) => withdrawal)
    await client.query(`begin; set local session_replication_role = 'replica'`)
    expect(await found()).toEqual([])
    await client.query(
      'update coin_transactions set payout_id = $1 from withdrawals w where w.id = $1 and transaction_id = w.reference',
      [id],
    )
    await client.query('update withdrawals set payout_id = id where id = $1', [id])
    expect(await found()).toEqual([id])
  } finally {
    await client.query('rollback')
    await client.end()
  }
})
