import { afterAll, expect, test } from 'vitest'
import type { DeskPayoutResumption, DeskReconciliation } from '#contract/desk/money/reconciliation.ts'
import type { Withdrawal, WithdrawalRequirements } from '#contract/money/cashier.ts'
import { parsePublicId } from '#kernel/id.ts'
import { reconcile, reconcileQuickly } from '#server/invariants/reconcile.ts'
import { accountOf } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { startDesk } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const { app, items, finance, auditOf, asSuper, stop } = await startDesk({ RECONCILE_SECONDS: '1' })
afterAll(stop)

const state = async () => data<DeskReconciliation>(await finance[0]!.ask('GET', '/reconciliation'))
const pay = (id: string) => finance[0]!.ask('POST', `/withdrawals/${id}/paid`, { body: { reference: transactionId() } })
const approve = (id: string) => finance[0]!.ask('POST', `/withdrawals/${id}/approve`)
const pausedSince = async (token: string) =>
  data<WithdrawalRequirements>(await app.send('GET', '/api/withdraw/requirements', { token })).paused_since
const WITHIN = { timeout: 60_000, interval: 100 }
const PAST_TRIGGERS = `set session_replication_role = 'replica'`

test('a planted cent halts payouts and names the row, and two operators resume them once it is gone', async () => {
  const { trader, id } = await items.withdrawals(100)
  const waiting = await items.withdrawals(50)
  data(await approve(id))
  const account = accountOf(BigInt(trader.id), 'real')
  await asSuper(PAST_TRIGGERS, `update accounts set balance = balance + 1 where id = ${account}`)
  const sums = async () =>
    (await state()).halt?.differences.find(({ says }) => says === 'a cached balance equals the sum of its movements')
  await expect.poll(sums, WITHIN).toBeDefined()
  expect(JSON.parse((await sums())!.rows[0]!)).toMatchObject({ id: String(account), balance: '1', by_movements: '0' })

  // No money leaves; everything else continues.
  for (const refused of [await pay(id), await approve(waiting.id)])
    expect(refusal(refused)).toEqual([409, 'payouts_halted'])
  const number = parsePublicId(id)!
  await expect(
    sql`update withdrawals set status = 'Paid', reference = 'x', ended_at = now() where id = ${number}`.execute(app.db),
  ).rejects.toThrow(/payouts are halted/)
  const [seen] = data<Withdrawal[]>(await app.send('GET', '/api/withdraw', { token: trader.token }))
  expect(seen).toMatchObject({ status: 'Processing', held_by: 'Payouts are paused' })
  expect(await pausedSince(trader.token)).toEqual(expect.any(String))
  const { trade_id } = await app.submit(trader, { mode: 'demo' })
  expect(trade_id).toBeTruthy()
  const rejected = await items.withdrawals(20)
  data(await finance[0]!.ask('POST', `/withdrawals/${rejected.id}/reject`, { body: { reason: 'Wrong wallet.' } }))

  // No one can resume while the difference exists, not even directly in the database.
  const propose = () => finance[0]!.ask('POST', '/payout-resumptions', { body: { reason: 'A cent was removed.' } })
  expect(refusal(await propose())).toEqual([409, 'wrong_state'])
  const end = sql`update payout_halts set ended_at = now(), clean_at = now() where ended_at is null`
  await expect(end.execute(app.db)).rejects.toThrow(/not approved by two operators/)

  await asSuper(PAST_TRIGGERS, `update accounts set balance = balance - 1 where id = ${account}`)
  await expect.poll(async () => (await state()).halt?.clean_at, WITHIN).toBeDefined()
  expect(refusal(await pay(id)), 'agreeing books alone resume nothing').toEqual([409, 'payouts_halted'])
  const proposal = data<DeskPayoutResumption>(await propose())
  const decide = (who: number) => finance[who]!.ask('POST', `/payout-resumptions/${proposal.id}/approve`)
  expect(refusal(await decide(0))).toEqual([409, 'second_person_required'])
  expect((await state()).halt!.resumption).toEqual({ id: proposal.id, proposed_by: finance[0]!.email })
  data(await decide(1))
  expect((await state()).halt).toBeNull()
  expect(await pausedSince(trader.token)).toBeNull()
  expect(await auditOf('payout-resumptions', proposal.id)).toMatchObject([{ action: 'approve' }, { action: 'propose' }])
  data(await pay(id))
})

test.each([
  [
    'all',
    'a withdrawal',
    (id: bigint) => `update withdrawals set amount = amount + 1 where id = ${id}`,
    'hold is the sum',
  ],
  [
    'quickly',
    'a withdrawal',
    (id: bigint) => `update withdrawals set amount = amount + 1 where id = ${id}`,
    'hold is the sum',
  ],
  [
    'all',
    'a movement',
    (id: bigint) => `update transfers set amount = amount + 1 where cause = 'withdraw_hold' and cause_id = ${id}`,
    'a cached balance equals',
  ],
  [
    'quickly',
    'a balance',
    (id: bigint) =>
      `update accounts set balance = balance + 1 where hold > 0 and user_id = (select user_id from withdrawals where id = ${id})`,
    'its newest movement',
  ],
])('comparing %s finds a cent planted in %s', async (how, _, change, says) => {
  const { id } = await items.withdrawals(100)
  const number = parsePublicId(id)!
  await asSuper(PAST_TRIGGERS, change(number))
  const found = await (how === 'quickly' ? reconcileQuickly : reconcile)(app.db)
  await asSuper(PAST_TRIGGERS, change(number).replace('+ 1', '- 1'))
  expect(found.map((difference) => difference.says).join()).toContain(says)
  expect(await reconcile(app.db)).toEqual([])
})
