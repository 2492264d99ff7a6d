import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import type { Deposit, DepositRequest } from '#contract/money/cashier.ts'
import { sql } from '#server/platform/database/db.ts'
import { arrive } from '#tests/support/arrivals.ts'
import { keyed, numberOf, startCashier, unlock } from '#tests/support/people/cashier.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { refusal, twenty } from '#tests/support/replies.ts'
import type { Reply, Trader } from '#tests/support/servers/app.ts'

const { app, ops, trader, fresh, submitDeposit, deposits, approve, balance, asSuper, stop } = await startCashier()
afterAll(stop)

const request = (who: Trader, usd_amount = 250, currency = 'BTC') =>
  app.send('POST', '/api/deposit/requests', { token: who.token, body: { usd_amount, currency } })
const requested = async (who: Trader, amount?: number) => {
  const reply = await request(who, amount)
  expect(reply.status, reply.text).toBe(200)
  return reply.json!.data as DepositRequest
}
const open = async (who: Trader) =>
  (await app.send('GET', '/api/deposit/requests', { token: who.token })).json!.data as DepositRequest[]
const cancel = (who: Trader, id: string) => app.send('POST', `/api/deposit/requests/${id}/cancel`, { token: who.token })
function submit(who: Trader, id: string, key?: string, file = fresh()): Promise<Reply> {
  const form = new FormData()
  form.set('receipt', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'receipt.jpg')
  return app.send('POST', `/api/deposit/requests/${id}/submit`, { token: who.token, body: form, headers: keyed(key) })
}
/** Makes a request older. */
const age = (id: string, by: string) =>
  asSuper(async (db) => {
    await db.query(`update deposit_requests set created_at = created_at - interval '${by}' where id = ${numberOf(id)}`)
    await db.query('commit')
  }, 'replica')

describe('a deposit request', () => {
  test('is stored at the preview with address, coins and a rate for 15 minutes, and is nothing else yet', async () => {
    const one = await trader()
    const made = await requested(one)
    expect(made).toMatchObject({
      currency: 'BTC',
      usd_amount: 250,
      coin_amount: expect.any(Number),
      rate: expect.stringMatching(/^\d+\.\d+$/),
      address: 'TEST-BTC-ADDRESS-SEND-NOTHING',
      test: true,
    })
    expect(Date.parse(made.rate_until) - Date.parse(made.createdAt)).toBe(15 * 60_000)
    expect(Date.parse(made.expires_at) - Date.parse(made.createdAt)).toBe(24 * 3_600_000)
    expect(await open(one)).toEqual([made])
    expect(await deposits(one)).toEqual([])
    const { rows } = await sql`select from deposits where user_id = ${one.id}`.execute(app.db)
    expect(rows).toEqual([])
  })

  test('asks for the birth date at the preview, before an address is shown', async () => {
    const one = await trader()
    await sql`update users set date_of_birth = null where id = ${one.id}`.execute(app.db)
    const reply = await request(one)
    expect(refusal(reply)).toEqual([422, 'validation_failed'])
    expect(reply.json!.errors).toMatchObject([{ field: 'date_of_birth' }])
    expect(await open(one)).toEqual([])
  })

  test('becomes a deposit of what was stored, with its receipt, whatever the operator changed since', async () => {
    const one = await trader()
    const made = await requested(one)
    await age(made.request_id, '20 minutes')
    const setAddress = (btc_address: string | null) =>
      changeSettings(app.db, { btc_address }, (tx) => tx.updateTable('cashier_settings').set({ btc_address }).execute())
    await setAddress('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    try {
      const reply = await submit(one, made.request_id)
      expect(reply.status, reply.text).toBe(200)
    } finally {
      await setAddress(null)
    }
    expect(await open(one)).toEqual([])
    const [deposit] = await deposits(one)
    expect(deposit).toMatchObject({
      deposit_id: made.request_id,
      status: 'Pending',
      usd_amount: 250,
      coin_amount: made.coin_amount,
      rate: made.rate,
      address: made.address,
    })
    // The late receipt doesn't make the rate count for longer.
    expect(Date.parse(deposit!.rate_until!)).toBeLessThan(Date.now() - 4 * 60_000)
    await arrive(app.db, numberOf(deposit!.deposit_id))
    await approve(numberOf(deposit!.deposit_id), ops[0]!, 250)
    expect(await balance(one)).toBe(250)
  })

  test('is submitted once, by twenty receipts at once and by two tabs', async () => {
    const one = await trader()
    const { request_id } = await requested(one)
    const replies = await twenty(() => submit(one, request_id))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies) if (reply.status !== 200) expect(refusal(reply)).toEqual([404, 'not_found'])
    expect(await deposits(one)).toHaveLength(1)
  })

  test('answers a retry of its submission with the same deposit', async () => {
    const one = await trader()
    const { request_id } = await requested(one)
    const [key, file] = [randomUUID(), fresh()]
    const first = await submit(one, request_id, key, file)
    expect(first.status).toBe(200)
    expect((await submit(one, request_id, key, file)).text).toBe(first.text)
    expect(refusal(await submit(one, request_id, key))).toEqual([409, 'idempotency_mismatch'])
    expect(await deposits(one)).toHaveLength(1)
  })

  test('of the same amount is the same while its rate counts', async () => {
    const one = await trader()
    const first = await requested(one)
    const again = await twenty(() => request(one))
    for (const reply of again) expect(reply.json!.data).toEqual(first)
    expect(await requested(one, 251)).not.toMatchObject({ request_id: first.request_id })
    await age(first.request_id, '16 minutes')
    expect((await requested(one)).request_id).not.toBe(first.request_id)
  })

  test('is one of at most three, also of twenty at once, until one is cancelled or a day old', async () => {
    const one = await trader()
    const replies = await twenty((n) => request(one, 100 + n))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
    for (const reply of replies) if (reply.status !== 200) expect(refusal(reply)).toEqual([422, 'limit_reached'])
    const [a, b] = await open(one)
    expect((await cancel(one, a!.request_id)).status).toBe(200)
    expect(refusal(await cancel(one, a!.request_id))).toEqual([404, 'not_found'])
    expect((await request(one, 500)).status).toBe(200)
    expect(refusal(await request(one, 501))).toEqual([422, 'limit_reached'])
    await age(b!.request_id, '25 hours')
    expect((await open(one)).map(({ request_id }) => request_id)).not.toContain(b!.request_id)
    expect(refusal(await submit(one, b!.request_id))).toEqual([404, 'not_found'])
    expect((await request(one, 502)).status).toBe(200)
    // A deposit without a request needs no place among them.
    expect((await submitDeposit(one, '20')).status).toBe(200)
    const { rows } = await sql`select from deposit_requests where user_id = ${one.id}`.execute(app.db)
    expect(rows).toHaveLength(3)
  })

  test("is no other trader's", async () => {
    const [one, eve] = [await trader(), await trader()]
    const { request_id } = await requested(one)
    expect(refusal(await submit(eve, request_id))).toEqual([404, 'not_found'])
    expect(refusal(await cancel(eve, request_id))).toEqual([404, 'not_found'])
    expect(await open(one)).toHaveLength(1)
  })

  test('shows no address to those who may not deposit, and takes no receipt from them', async () => {
    expect(refusal(await request(await app.trader()))).toEqual([422, 'email_not_confirmed'])
    const one = await trader()
    const made = await requested(one)
    await sql`insert into user_locks (user_id, kind, reason, operator_id) values (${one.id}, 'deposits', 'r', ${ops[0]!.id})`.execute(
      app.db,
    )
    expect(refusal(await request(one, 99))).toEqual([422, 'account_locked'])
    expect(await open(one)).toEqual([{ ...made, address: null }])
    expect(refusal(await submit(one, made.request_id))).toEqual([422, 'account_locked'])
    await unlock(app.superUrl, one.id)
    expect(await open(one)).toEqual([made])
  })

  test("counts towards the trader's own limit only once it is submitted", async () => {
    const one = await trader()
    const set = await app.send('PUT', '/api/guardrails/limits', {
      token: one.token,
      body: { guarded: 'deposits', period: 'day', max: 300 },
    })
    expect(set.status, set.text).toBe(200)
    const [first, second] = [await requested(one, 200), await requested(one, 201)]
    expect(refusal(await request(one, 301))).toEqual([422, 'limit_reached'])
    expect((await submit(one, first.request_id)).status).toBe(200)
    expect(refusal(await submit(one, second.request_id))).toEqual([422, 'limit_reached'])
    expect(await open(one)).toHaveLength(1)
  })

  test('is what the database lets a deposit be, and can not be changed', async () => {
    const one = await trader()
    const made = await requested(one)
    const id = numberOf(made.request_id)
    const insert = (column: string, value: string) => {
      const columns = ['user_id', 'coin', 'submitted', 'coin_amount', 'rate', 'address']
      const values = columns.map((name) => (name === column ? value : name))
      return sql
        .raw(
          `insert into deposits (id, method, ${columns.join(', ')}, requested_at, receipt, receipt_hash)
           select ${column === 'id' ? value : 'id'}, 'crypto', ${values.join(', ')},
             ${column === 'requested_at' ? value : `created_at - interval '0'`},
             '${'a'.repeat(40)}', sha256('x') from deposit_requests where id = ${id}`,
        )
        .execute(app.db)
    }
    await age(made.request_id, '1 minute')
    for (const [column, value] of [
      ['id', '1'],
      ['coin_amount', 'coin_amount * 2'],
      ['rate', 'rate * 2'],
      ['submitted', 'submitted + 1'],
      ['address', "'mine'"],
      ['requested_at', `created_at + interval '10 seconds'`],
      ['requested_at', `clock_timestamp() + interval '1 hour'`],
    ] as const)
      await expect(insert(column, value), column).rejects.toThrow(/not what was requested/)
    await expect(sql`update deposit_requests set rate = 1 where id = ${id}`.execute(app.db)).rejects.toThrow()
    expect(await open(one)).toHaveLength(1)
  })
})

test('a deposit without a request has its rate for 15 minutes too', async () => {
  const one = await trader()
  const { data } = (await submitDeposit(one, '100')).json as unknown as { data: Deposit }
  expect(Date.parse(data.rate_until!) - Date.parse(data.createdAt)).toBeGreaterThan(14 * 60_000)
  expect(Date.parse(data.rate_until!) - Date.parse(data.createdAt)).toBeLessThanOrEqual(15 * 60_000 + 1_000)
  expect(data.address).toBe('TEST-BTC-ADDRESS-SEND-NOTHING')
})
