import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import type { Notice } from '#contract/messages/notices.ts'
import type { Deposit } from '#contract/money/cashier.ts'
import { type PaymentProofColumns, paymentProofColumns, paymentProofFlags } from '#server/desk/lists/money-flags.ts'
import { sql } from '#server/platform/database/db.ts'
import { arrive } from '#tests/support/arrivals.ts'
import { drawn, numberOf, startCashier, unlock } from '#tests/support/people/cashier.ts'
import { GIF, HTML, PDF, pngBomb, SCRIPT, SVG, webp } from '#tests/support/pictures.ts'
import { refusal, twenty } from '#tests/support/replies.ts'

const { app, picture, ops, trader, fresh, submitDeposit, deposits, balance, approve, stop } = await startCashier()
afterAll(stop)

describe('submitting a deposit', () => {
  test('asks for the birth date first', async () => {
    const one = await trader()
    const born = await app.db
      .selectFrom('users')
      .select('date_of_birth')
      .where('id', '=', BigInt(one.id))
      .executeTakeFirstOrThrow()
    await app.db.updateTable('users').set({ date_of_birth: null }).where('id', '=', BigInt(one.id)).execute()
    const refused = [
      await app.send('GET', '/api/deposit/wallet-address', { token: one.token }),
      await submitDeposit(one, '100'),
    ]
    for (const reply of refused) {
      expect(refusal(reply)).toEqual([422, 'validation_failed'])
      expect(reply.json!.errors).toEqual([
        { field: 'date_of_birth', message: 'is required before your first deposit. Add it in Edit profile.' },
      ])
    }
    expect(await deposits(one)).toEqual([])
    const saved = await app.send('PATCH', '/api/users', {
      token: one.token,
      body: {
        firstname: 'Eve',
        lastname: 'Byron',
        gender: 'female',
        country: 'Norway',
        state: 'Oslo',
        city: 'Oslo',
        address: 'A 1',
        date_of_birth: born.date_of_birth,
      },
    })
    expect(saved.status, saved.text).toBe(200)
    expect((await submitDeposit(one, '100')).status).toBe(200)
    // Open requests continue.
    await app.db.updateTable('users').set({ date_of_birth: null }).where('id', '=', BigInt(one.id)).execute()
    const id = numberOf((await deposits(one))[0]!.deposit_id)
    await arrive(app.db, id)
    await approve(id, ops[0]!, 100)
    expect(await balance(one)).toBe(100)
  })

  test('keeps the rate, the coins and the receipt, and credits nothing', async () => {
    const one = await trader()
    const reply = await submitDeposit(one, '1234.56', { currency: 'eth' })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.json!.message).toBe("Your deposit was submitted. We'll credit it once we've checked the payment.")
    const deposit = reply.json!.data as Deposit
    expect(deposit).toMatchObject({
      method: 'crypto',
      currency: 'ETH',
      amount: 1234.56,
      usd_amount: 1234.56,
      status: 'Pending',
      held_by: 'Operator (reviewing)',
      since: deposit.createdAt,
    })
    expect(deposit.coin_amount! * Number(deposit.rate)).toBeCloseTo(1234.56, 3)
    expect(Date.parse(deposit.due_by!) - Date.parse(deposit.since)).toBeGreaterThanOrEqual(86_400_000)
    expect(await deposits(one)).toEqual([deposit])
    expect(await balance(one)).toBe(0)
    const { json } = await app.send('GET', '/api/notices', { token: one.token })
    const path = `/user/deposit-log?deposit=${deposit.deposit_id}`
    expect((json!.data as Notice[])[0]).toMatchObject({ kind: 'deposit', path, read: false })
    const alone = await app.send('GET', `/api/deposit/${deposit.deposit_id}`, { token: one.token })
    expect(alone.json).toEqual({ status: true, data: deposit })
  })

  test('defaults to Bitcoin, and accepts coins in either case', async () => {
    const one = await trader()
    expect(((await submitDeposit(one, '1')).json!.data as Deposit).currency).toBe('BTC')
    for (const currency of ['btc', 'BTC', 'Eth'])
      expect((await submitDeposit(one, '1.5', { currency })).json).toMatchObject({
        data: { currency: currency.toUpperCase() },
      })
    for (const currency of ['DOGE', '', 'constructor'])
      expect(refusal(await submitDeposit(one, '1', { currency }))).toEqual([422, 'validation_failed'])
  })

  test('requires a confirmed e-mail and unlocked deposits', async () => {
    const one = await app.trader()
    expect(refusal(await submitDeposit(one, '100'))).toEqual([422, 'email_not_confirmed'])
    await app.verify(one)
    await app.db
      .insertInto('user_locks')
      .values({ user_id: BigInt(one.id), kind: 'deposits', operator_id: ops[0]!.id, reason: 'Being looked at.' })
      .execute()
    expect(refusal(await submitDeposit(one, '100'))).toEqual([422, 'account_locked'])
    expect(refusal(await app.send('GET', '/api/deposit/wallet-address', { token: one.token }))).toEqual([
      422,
      'account_locked',
    ])
    await unlock(app.superUrl, one.id)
    expect((await submitDeposit(one, '100')).status).toBe(200)
    expect(await deposits(one)).toHaveLength(1)
  })

  test.each(['0', '0.99', '-1', '1e3', '0x10', '1,000', '１０', 'NaN', 'Infinity', '1.005', ' ', '99999999999999999'])(
    'rejects the amount %j',
    async (amount) => {
      const one = await trader()
      expect(refusal(await submitDeposit(one, amount))).toEqual([422, 'validation_failed'])
      expect(await deposits(one)).toEqual([])
    },
  )

  test('only the owner can read a receipt, re-encoded as an image', async () => {
    const [one, other] = [await trader(), await trader()]
    const { receipt_url } = (await submitDeposit(one, '10')).json!.data as Deposit
    const read = await fetch(app.origin + receipt_url, { headers: { authorization: `Bearer ${one.token}` } })
    expect(read.status).toBe(200)
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    })
    const bytes = Buffer.from(await read.arrayBuffer())
    expect((await sharp(bytes).metadata()).exif).toBeUndefined()
    expect(bytes.includes('Secret Artist')).toBe(false)
    expect((await app.send('GET', receipt_url!, { token: other.token })).status).toBe(404)
    expect((await app.send('GET', receipt_url!)).status).toBe(401)
    for (const id of ['0000000000000', 'x', '..%2f..%2ffiles.key', '%00'])
      expect((await app.send('GET', `/api/deposit/${id}/receipt`, { token: one.token })).status).toBeGreaterThanOrEqual(
        400,
      )
  })

  test('accepts only images as receipts, judged by their bytes and never by their name', async () => {
    const one = await trader()
    const cases: [string, Buffer, number][] = [
      ['a script', Buffer.from(SCRIPT), 415],
      ['SVG', SVG, 415],
      ['HTML', HTML, 415],
      ['GIF', GIF, 415],
      ['PDF', PDF, 415],
      ['a bomb', pngBomb(16_000), 422],
      ['a truncated picture', picture.subarray(0, 400), 422],
      ['5 MB and a byte', Buffer.alloc(5_242_881), 413],
    ]
    for (const [what, file, status] of cases)
      expect((await submitDeposit(one, '10', { file, name: `${what}.jpg` })).status, what).toBe(status)
    expect(await deposits(one)).toEqual([])
    expect(
      (await submitDeposit(one, '10', { file: await webp(), name: '../../../etc/passwd', type: 'text/html' })).status,
    ).toBe(200)
  })

  test('flags a repeated receipt without rejecting it', async () => {
    const [one, other] = [await trader(), await trader()]
    const file = await drawn()
    const ids: bigint[] = []
    for (const who of [one, one, other])
      ids.push(numberOf(((await submitDeposit(who, '10', { file })).json!.data as Deposit).deposit_id))
    const clean = numberOf(
      ((await submitDeposit(other, '10', { file: await drawn() })).json!.data as Deposit).deposit_id,
    )
    // The same picture in a different file.
    const padded = Buffer.concat([file, randomBytes(16)])
    const again = numberOf(((await submitDeposit(other, '10', { file: padded })).json!.data as Deposit).deposit_id)
    const flagsOf = async (id: bigint) => {
      const { rows } =
        await sql<PaymentProofColumns>`select ${paymentProofColumns} from deposits item where item.id = ${id}`.execute(
          app.db,
        )
      return paymentProofFlags(rows[0]!)
    }
    expect(await flagsOf(ids[1]!)).toEqual([
      'The same receipt was submitted before',
      `${other.email} submitted the same receipt: possible second account`,
    ])
    expect(await flagsOf(ids[2]!)).toEqual([`${one.email} submitted the same receipt: possible second account`])
    expect(await flagsOf(clean)).toEqual([])
    expect(await flagsOf(again)).toEqual([
      'The same receipt was submitted before',
      `${one.email} submitted the same receipt: possible second account`,
    ])
  })

  test('the same key always returns the same response for one deposit; another body is rejected', async () => {
    const one = await trader()
    const file = fresh()
    const replies = await twenty(() => submitDeposit(one, '50', { file, key: 'one' }))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(await deposits(one)).toHaveLength(1)
    const id = numberOf((replies[0]!.json!.data as Deposit).deposit_id)
    await arrive(app.db, id)
    await approve(id, ops[0]!, 40)
    expect((await submitDeposit(one, '50', { file, key: 'one' })).json).toEqual(replies[0]!.json)
    expect(refusal(await submitDeposit(one, '51', { file, key: 'one' }))).toEqual([409, 'idempotency_mismatch'])
    expect(refusal(await submitDeposit(one, '50', { file: fresh(), key: 'one' }))).toEqual([
      409,
      'idempotency_mismatch',
    ])
    expect(await balance(one)).toBe(40)
  })

  test('card deposits are unavailable without a provider', async () => {
    const one = await trader()
    const reply = await app.send('POST', '/api/deposit/card', { token: one.token, body: { amount: 100 } })
    expect([...refusal(reply), reply.json!.message]).toEqual([503, 'not_configured', "Card deposits aren't available"])
    expect(await deposits(one)).toEqual([])
  })

  test('marks the address of a test installation', async () => {
    const one = await trader()
    for (const currency of ['btc', 'ETH']) {
      const { json } = await app.send('GET', `/api/deposit/wallet-address?currency=${currency}`, { token: one.token })
      expect(json).toMatchObject({ status: true, test: true, data: expect.stringMatching(/TEST/) })
    }
  })
})
