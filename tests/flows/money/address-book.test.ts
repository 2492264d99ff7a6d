import { afterAll, describe, expect, test } from 'vitest'
import type { AddressBook, PayoutAddress } from '#contract/money/address-book.ts'
import { accountChecks } from '#server/invariants/checks/accounts.ts'
import { sql } from '#server/platform/database/db.ts'
import { BANK, BTC, ETH, startCashier } from '#tests/support/people/cashier.ts'
import { operator } from '#tests/support/people/desk.ts'
import type { Reply, Trader } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { totpCode } from '#tests/support/totp-code.ts'

const { app, trader, withdraw, withdrawToBank, asSuper, stop } = await startCashier()
afterAll(stop)

const code = ({ status, json }: Reply) => [status, json?.code]
const DONE = [200, undefined]
const call = ({ token }: { token: string }, method: string, path: string, body?: object) =>
  app.send(method, `/api/withdraw/addresses${path}`, { token, ...(body === undefined ? {} : { body }) })
const add = (one: Trader, more: object = {}) =>
  call(one, 'POST', '', { name: 'Ledger', wallet: ETH, password: one.password, ...more })
const addBank = (one: Trader, more: object = {}) =>
  call(one, 'POST', '/bank', {
    ...{ name: 'Home', bank_name: BANK.bank_name, account_number: BANK.account_number },
    ...{ routing_number: BANK.routing_number, password: one.password, ...more },
  })
const setOnly = (one: Trader, only: boolean, password = one.password) => call(one, 'POST', '/only', { only, password })
const book = async (one: Trader) => (await call(one, 'GET', '')).json!.data as AddressBook
const preview = (one: Trader, wallet: string) =>
  app.send('POST', '/api/withdraw/preview', { token: one.token, body: { amount: 1, wallet } })

/** Makes a trader's book, its setting and withdrawals older, as the owner of the database: the application can't. */
async function age({ id }: Trader, interval: string): Promise<void> {
  const client = await connectTo(app.superUrl)
  try {
    await client.query(`set session_replication_role = 'replica'`)
    await client.query(
      `update payout_addresses set created_at = created_at - $2::interval, usable_at = usable_at - $2::interval where user_id = $1`,
      [id, interval],
    )
    await client.query(
      `update payout_guards set on_since = on_since - $2::interval, off_at = off_at - $2::interval where user_id = $1`,
      [id, interval],
    )
    await client.query(`update withdrawals set created_at = created_at - $2::interval where user_id = $1`, [
      id,
      interval,
    ])
  } finally {
    await client.end()
  }
}

describe('the address book', () => {
  test('without the setting is a convenience: any address can be used at once', async () => {
    const one = await trader(100)
    expect(await book(one)).toEqual({ only: false, off_at: null, addresses: [] })
    expect((await preview(one, ETH)).json!.data).toMatchObject({ first_time: true, saved_as: null })
    expect(code(await withdraw(one, 1, BTC))).toEqual(DONE)
    const added = (await add(one, { beneficiary: 'Bob Byron', hosted_by: 'Kraken' })).json!.data as PayoutAddress
    expect(added).toMatchObject({ currency: 'ETH', wallet: ETH, beneficiary: 'Bob Byron', hosted_by: 'Kraken' })
    expect(Date.parse(added.usable_at) - Date.parse(added.created_at)).toBeCloseTo(86_400_000, -3)
    expect((await preview(one, ETH)).json!.data).toMatchObject({ saved_as: 'Ledger' })
    expect(code(await withdraw(one, 1, ETH))).toEqual(DONE)
    const mail = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(one.email)}`)
    expect(mail.text).toContain('Your address book has a new entry')
  })

  test('the desk sees what the trader stated, as it was at the request', async () => {
    const one = await trader(100)
    const added = (await add(one, { beneficiary: 'Bob Byron', hosted_by: 'Kraken' })).json!.data as PayoutAddress
    await addBank(one)
    await withdraw(one, 1, ETH.toLowerCase())
    await withdrawToBank(one, 1, { account_number: '000123456789' })
    await withdraw(one, 1, BTC)
    expect(code(await call(one, 'DELETE', `/${added.id}`))).toEqual(DONE)
    const desk = await operator(app, ['finance'])
    const { data } = (await desk.ask('GET', `/withdrawals?user=${one.id}`)).json as { data: { destination: unknown }[] }
    expect(data.map(({ destination }) => destination)).toEqual([
      null,
      { name: 'Home', beneficiary: null, hosted_by: null, saved_at: expect.any(String) },
      { name: 'Ledger', beneficiary: 'Bob Byron', hosted_by: 'Kraken', saved_at: added.created_at },
    ])
  })

  test('with the setting, money goes only to entries of 24 hours, in the database too', async () => {
    const one = await trader(100)
    await add(one)
    expect((await setOnly(one, true)).json!.data).toMatchObject({ only: true, off_at: null })
    for (const [reply, field] of [
      [await withdraw(one, 1, BTC), 'wallet'],
      [await withdraw(one, 1, ETH), 'wallet'],
      [await preview(one, ETH), 'wallet'],
      [await withdrawToBank(one, 1), 'account_number'],
    ] as const)
      expect([...code(reply), (reply.json as { errors?: unknown }).errors]).toEqual([
        422,
        'validation_failed',
        [expect.objectContaining({ field })],
      ])
    const insert = (wallet: string) =>
      sql`insert into withdrawals (id, user_id, method, coin, wallet, amount) values (2, ${one.id}, 'crypto', 'ETH', ${wallet}, 100)`.execute(
        app.db,
      )
    for (const wallet of [ETH, '0x00000000219ab540356cBB839Cbe05303d7705Fa'])
      await expect(insert(wallet)).rejects.toThrow(/address book only/)
    await age(one, '23 hours 59 minutes')
    expect(code(await withdraw(one, 1, ETH))).toEqual([422, 'validation_failed'])
    await age(one, '1 minute')
    expect(code(await withdraw(one, 1, ETH))).toEqual(DONE)
    expect(code(await withdraw(one, 1, BTC)), 'not in the book').toEqual([422, 'validation_failed'])
    const broken = (statement: string) =>
      asSuper(async (client) => {
        await client.query(statement, [one.id])
        const found: string[] = []
        for (const check of accountChecks) if ((await client.query(check.sql)).rowCount) found.push(check.name)
        return found
      }, 'replica')
    expect(await broken('select $1::bigint')).toEqual([])
    expect(await broken('update withdrawals set address_id = null where user_id = $1')).toEqual(['E3'])
    expect(code(await addBank(one))).toEqual(DONE)
    expect(code(await withdrawToBank(one, 1))).toEqual([422, 'validation_failed'])
    await age(one, '24 hours')
    expect(code(await withdrawToBank(one, 1, { account_number: '0001-2345 6789' }))).toEqual(DONE)
  })

  test('turning it off takes 24 hours, turning it on again nothing', async () => {
    const one = await trader(100)
    await setOnly(one, true)
    const off = (await setOnly(one, false)).json!.data as AddressBook
    expect(off.only).toBe(true)
    expect((Date.parse(off.off_at!) - Date.now()) / 3_600_000).toBeGreaterThan(23.9)
    await age(one, '12 hours')
    const again = (await setOnly(one, false)).json!.data as AddressBook
    expect((Date.parse(again.off_at!) - Date.now()) / 3_600_000, 'asked twice').toBeLessThan(12.1)
    expect(code(await withdraw(one, 1, ETH))).toEqual([422, 'validation_failed'])
    expect((await setOnly(one, true)).json!.data).toMatchObject({ only: true, off_at: null })
    await age(one, '24 hours')
    expect(code(await withdraw(one, 1, ETH))).toEqual([422, 'validation_failed'])
    await setOnly(one, false)
    await age(one, '24 hours')
    expect(await book(one)).toMatchObject({ only: false })
    expect(code(await withdraw(one, 1, ETH))).toEqual(DONE)
    for (const how of [
      sql`delete from payout_guards where user_id = ${one.id}`,
      sql`update payout_addresses set usable_at = now() where user_id = ${one.id}`,
    ])
      await expect(how.execute(app.db)).rejects.toThrow()
    await setOnly(one, true)
    await sql`update payout_guards set off_at = now() - interval '1 day' where user_id = ${one.id}`.execute(app.db)
    expect((await book(one)).only, 'the database sets the time').toBe(true)
  })

  test('a stolen session without the password, or without the factor, changes nothing', async () => {
    const one = await trader(100)
    for (const reply of [
      await add(one, { password: 'a guess' }),
      await addBank(one, { password: 'a guess' }),
      await setOnly(one, true, 'a guess'),
    ])
      expect(code(reply)).toEqual([422, 'invalid_credentials'])
    const begun = await app.send('POST', '/api/auth/2fa/totp', { token: one.token, body: { password: one.password } })
    const { secret } = begun.json!.data as { secret: string }
    await app.send('POST', '/api/auth/2fa/totp/confirm', { token: one.token, body: { code: totpCode(secret) } })
    for (const reply of [await add(one), await addBank(one), await setOnly(one, true)])
      expect(code(reply)).toEqual([428, 'step_up_required'])
    expect(await book(one)).toEqual({ only: false, off_at: null, addresses: [] })
  })

  test('takes an address once, however often it is sent at once, and 50 in all', async () => {
    const one = await trader()
    const replies = await Promise.all([1, 2, 3, 4].map(() => add(one)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect(code(await add(one, { wallet: ETH.toLowerCase() }))).toEqual([409, 'already_exists'])
    const [{ id }] = (await book(one)).addresses as [PayoutAddress]
    await sql`
      insert into payout_addresses (id, user_id, name, method, coin, wallet)
      select 900000 + g, ${one.id}, 'n', 'crypto', 'BTC', 'wallet ' || g from generate_series(1, 49) g`.execute(app.db)
    expect(code(await add(one, { wallet: BTC }))).toEqual([422, 'limit_reached'])
    expect(code(await call(one, 'DELETE', `/${id}`))).toEqual(DONE)
    expect(code(await call(one, 'DELETE', `/${id}`))).toEqual([404, 'not_found'])
    expect(code(await add(one))).toEqual(DONE)
  })
})
