import { randomUUID } from 'node:crypto'
import { afterAll, expect, test, vi } from 'vitest'
import type { DeskDeposit } from '#contract/desk/money/deposits.ts'
import type { DeskUnknownDeposit } from '#contract/desk/money/unknown-deposits.ts'
import { parsePublicId } from '#kernel/id.ts'
import { type Usd, usd } from '#kernel/money.ts'
import { sql } from '#server/platform/database/db.ts'
import { startDesk } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const { app, finance, risk, stop } = await startDesk()
afterAll(stop)
const [first, second] = [finance[0]!, finance[1]!]

/** A card payment without a deposit, as the provider's event stores it. */
async function cardPayment(amount: Usd): Promise<{ id: string; reference: string }> {
  const reference = `pi_${randomUUID()}`
  await app.db
    .insertInto('card_events')
    .values({ id: `evt_${reference}`, kind: 'paid', payment: reference })
    .execute()
  const { id } = await app.db
    .insertInto('unknown_deposits')
    .values({ reference, amount })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: String(id), reference }
}
const one = async (id: string) =>
  data<DeskUnknownDeposit[]>(await first.ask('GET', '/unknown-deposits?limit=200')).find((row) => row.id === id)!
const assign = (who: typeof first, id: string, user: string) =>
  who.ask('POST', `/unknown-deposits/${id}/assign`, { body: { user } })
const sendBack = (who: typeof first, id: string, reason = 'Refunded as re_1.') =>
  who.ask('POST', `/unknown-deposits/${id}/send-back`, { body: { reason } })
const approve = (who: typeof first, id: string, amount: number) =>
  who.ask('POST', `/deposits/${id}/approve`, { body: { amount } })
const balance = async (trader: Trader) =>
  ((await app.send('GET', '/api/users/me', { token: trader.token })).json!.data as { balance: number }).balance
const depositor = async () => {
  const trader = await app.confirmedTrader()
  await app.completeProfile(trader, { date_of_birth: '1990-05-05' })
  return trader
}
/** Records coins at the newest price of the tape. */
async function coins(coin_amount: string): Promise<DeskUnknownDeposit> {
  const body = { currency: 'BTC', transaction_id: transactionId(), address: 'bc1qfound', coin_amount }
  const record = () =>
    first.ask('POST', '/unknown-deposits', { body: { ...body, arrived_at: new Date().toISOString() } })
  // Until the first price is on the tape.
  return vi.waitFor(async () => data<DeskUnknownDeposit>(await record()), { timeout: 60_000 })
}

test('a card payment is assigned by one operator and credited by another', async () => {
  const trader = await depositor()
  const { id, reference } = await cardPayment(usd(25_000n))
  const waiting = await first.ask('GET', '/inbox?queue=unknown-deposits')
  expect(data<{ id: string }[]>(waiting).map((item) => item.id)).toContain(id)
  expect(refusal(await risk[0]!.ask('GET', '/unknown-deposits'))).toEqual([403, 'forbidden'])
  expect(refusal(await assign(first, id, 'nobody@example.org'))).toEqual([422, 'validation_failed'])

  expect(data(await assign(first, id, trader.email))).toMatchObject({
    status: 'Assigned',
    assigned: { email: first.email, trader: trader.email },
  })
  expect(refusal(await assign(second, id, trader.id))).toEqual([409, 'wrong_state'])
  expect(refusal(await sendBack(second, id))).toEqual([409, 'wrong_state'])
  const { deposit_id } = (await one(id)).assigned!
  const [listed] = data<DeskDeposit[]>(await second.ask('GET', `/deposits?user=${trader.id}`))
  expect(listed).toMatchObject({ assigned: true, approvals: 1, approvals_needed: 2, method: 'card', usd_amount: 250 })
  expect(refusal(await approve(first, deposit_id, 250))).toEqual([409, 'second_person_required'])
  expect(refusal(await approve(second, deposit_id, 250.01))).toEqual([422, 'validation_failed'])
  // Nobody credits it with one approval, by SQL either.
  await expect(
    sql`update deposits set status = 'Approved', credited = 25000, decided_at = now() where id = ${parsePublicId(deposit_id)}`.execute(
      app.db,
    ),
  ).rejects.toThrow(/lacks an approval/)
  const credited = await Promise.all([1, 2, 3].map(() => approve(second, deposit_id, 250)))
  expect(credited.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await balance(trader)).toBe(250)
  expect(await one(id)).toMatchObject({ status: 'Credited', reference })
})

test('one that was assigned to the wrong trader is rejected and assigned again', async () => {
  const [wrong, right] = [await depositor(), await depositor()]
  for (const { id, amount } of [{ ...(await cardPayment(usd(5_000n))), amount: 50 }, await coins('0.001')]) {
    data(await assign(first, id, wrong.id))
    const rejected = (await one(id)).assigned!.deposit_id
    data(await second.ask('POST', `/deposits/${rejected}/reject`, { body: { reason: 'Not yours.' } }))
    expect((await one(id)).status).toBe('Open')
    data(await assign(second, id, right.id))
    data(await approve(first, (await one(id)).assigned!.deposit_id, amount))
    expect(await one(id)).toMatchObject({ status: 'Credited', assigned: { trader: right.email } })
  }
  expect(await balance(wrong)).toBe(0)
})

test('coins without a request are worth what the tape says, and stored once', async () => {
  const trader = await depositor()
  const found = await coins('0.00123')
  expect(found).toMatchObject({
    status: 'Open',
    currency: 'BTC',
    coin_amount: 0.00123,
    recorded_by: { email: first.email },
  })
  expect(found.amount).toBeCloseTo(0.00123 * Number(found.rate), 2)
  const again = { currency: 'BTC', transaction_id: found.reference, address: 'x', coin_amount: '1' }
  const arrived_at = new Date().toISOString()
  expect(refusal(await second.ask('POST', '/unknown-deposits', { body: { ...again, arrived_at } }))).toEqual([
    409,
    'already_exists',
  ])
  const future = new Date(Date.now() + 3_600_000).toISOString()
  expect(
    refusal(
      await second.ask('POST', '/unknown-deposits', {
        body: { ...again, transaction_id: transactionId(), arrived_at: future },
      }),
    ),
  ).toEqual([422, 'validation_failed'])
  data(await assign(second, found.id, trader.email))
  const shown = (await app.send('GET', '/api/deposit', { token: trader.token })).json!.data
  expect(shown).toMatchObject([{ status: 'Pending', arrival: { transaction_id: found.reference } }])
  const { deposit_id } = (await one(found.id)).assigned!
  data(await approve(first, deposit_id, found.amount))
  expect(await balance(trader)).toBe(found.amount)
})

test('two operators send one back; one, or SQL, does not', async () => {
  const trader = await depositor()
  const { id } = await cardPayment(usd(700n))
  expect(data(await sendBack(first, id))).toMatchObject({ status: 'Proposed', returned: { email: first.email } })
  expect(refusal(await sendBack(first, id))).toEqual([409, 'second_person_required'])
  expect(refusal(await assign(first, id, trader.id))).toEqual([409, 'second_person_required'])
  await expect(sql`update unknown_deposits set returned_at = now() where id = ${id}`.execute(app.db)).rejects.toThrow(
    /approved by two people/,
  )
  expect(data(await sendBack(second, id, 'Seen.'))).toMatchObject({
    status: 'Returned',
    returned: { email: first.email, reason: 'Refunded as re_1.' },
  })
  expect(refusal(await assign(second, id, trader.id))).toEqual([409, 'wrong_state'])
  // A proposed return ends when another operator assigns the payment.
  const other = await cardPayment(usd(800n))
  data(await sendBack(first, other.id))
  data(await assign(second, other.id, trader.id))
  expect((await one(other.id)).status).toBe('Assigned')
})

test('nobody assigns to an account that may not deposit, or more than arrived', async () => {
  const { id } = await cardPayment(usd(900n))
  const unconfirmed = await app.trader()
  expect(refusal(await assign(first, id, unconfirmed.id))).toEqual([409, 'wrong_state'])
  const excluded = await depositor()
  await app.send('POST', '/api/guardrails/exclusion', { token: excluded.token, body: { months: 6 } })
  expect(refusal(await assign(first, id, excluded.id))).toEqual([409, 'wrong_state'])
  const trader = await depositor()
  await expect(
    sql`
      with d as (
        insert into deposits (id, user_id, method, submitted, provider_reference) values (77, ${trader.id}, 'card', 90000, 'x') returning id
      )
      update unknown_deposits set deposit_id = 77, assigned_by = ${first.id} where id = ${id}`.execute(app.db),
  ).rejects.toThrow(/not what was assigned|foreign key/)
  await expect(
    sql`insert into deposits (id, user_id, method, coin, submitted, coin_amount, rate, address, requested_at)
      values (78, ${trader.id}, 'crypto', 'BTC', 500, 1, 5, 'x', null)`.execute(app.db),
  ).rejects.toThrow(/no payment proof/)
})

test('what the provider took back before is taken from the trader too, and verify sees what one person did alone', async () => {
  const trader = await depositor()
  const { id, reference } = await cardPayment(usd(3_000n))
  await app.db
    .insertInto('card_events')
    .values({
      ...{ id: `evt_2_${reference}`, kind: 'refund', payment: reference },
      ...{ reference: `re_${reference}`, amount: usd(1_000n), effect: 'taken' },
    })
    .execute()
  data(await assign(first, id, trader.id))
  data(await approve(second, (await one(id)).assigned!.deposit_id, 30))
  expect(await balance(trader)).toBe(20)
  expect(await app.broken()).toEqual([])
  const client = await connectTo(app.superUrl)
  await client.query("set session_replication_role = 'replica'")
  const approval = `deposit_id = ${parsePublicId((await one(id)).assigned!.deposit_id)} and operator_id = ${first.id}`
  await client.query(`create temp table kept as select * from deposit_approvals where ${approval}`)
  await client.query(`delete from deposit_approvals where ${approval}`)
  expect(await app.broken()).toContain('W3')
  await client.query('insert into deposit_approvals select * from kept')
  await client.end()
})
