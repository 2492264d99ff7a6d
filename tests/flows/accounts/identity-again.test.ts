import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AddressVerification, Verification } from '#contract/account/kyc.ts'
import type { DeskIdentityCheck } from '#contract/desk/people/identity-checks.ts'
import { type DeskOperator, operator } from '#tests/support/people/desk.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { photo } from '#tests/support/pictures.ts'
import { type Reply, sharedApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

let app: WholeApp
let compliance: DeskOperator
let finance: DeskOperator
let picture: Buffer
beforeAll(async () => {
  app = await sharedApp()
  compliance = await operator(app, ['compliance'])
  finance = await operator(app, ['finance'])
  picture = await photo()
})
afterAll(async () => {
  const broken = await app.broken()
  await app.stop()
  expect(broken).toEqual([])
})

const PROFILE = {
  firstname: 'Eve',
  lastname: 'Byron',
  phone: '',
  gender: 'female',
  country: 'United Kingdom',
  state: 'England',
  city: 'London',
  address: '12 St. James',
}
const BANK = { bank_name: 'Bank', type: 'Checking', account_number: '000123456789', routing_number: '021000021' }

const refusal = ({ status, json }: Reply) => [status, json?.code]
const good = (reply: Reply) => {
  expect(reply.status, reply.text).toBe(200)
  return reply.json!.data
}
async function upload(trader: Trader, kind: 'user' | 'address', method: string): Promise<Reply> {
  const body = new FormData()
  body.set('method', method)
  body.set(kind === 'user' ? 'id_file' : 'file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'x.jpg')
  return app.send('POST', `/api/profile/${kind}-verification`, { token: trader.token, body })
}
const newestCheck = async (trader: Trader) =>
  ((await compliance.ask('GET', `/identity-checks?user=${trader.id}`)).json!.data as unknown as DeskIdentityCheck[])[0]!
const approve = async (trader: Trader) =>
  good(await compliance.ask('POST', `/identity-checks/${(await newestCheck(trader)).id}/approve`))
const verification = async ({ token }: Trader) =>
  good(await app.send('GET', '/api/profile/user-verification', { token })) as unknown as Verification
const change = ({ token }: Trader, more: object) =>
  app.send('PATCH', '/api/users', { token, body: { ...PROFILE, ...more } })
const withdraw = ({ token }: Trader) =>
  app.send('POST', '/api/withdraw/bank', { token, body: { ...BANK, amount: 100 } })
const requirements = async ({ token }: Trader) =>
  good(await app.send('GET', '/api/withdraw/requirements', { token })) as { possible: boolean }

/** Creates a trader with money, a confirmed address and an approved ID. */
async function approvedTrader(): Promise<Trader> {
  const trader = await app.confirmedTrader()
  await app.completeProfile(trader)
  good(await change(trader, {}))
  expect((await upload(trader, 'user', 'national_id')).status).toBe(200)
  await approve(trader)
  await app.fund(trader, 1_000)
  return trader
}

describe('a change to data that an approved ID proves', () => {
  test.each([
    ['firstname', 'Mallory', 'Eve'],
    ['lastname', 'Milbanke', 'Byron'],
    ['country', 'France', 'United Kingdom'],
    ['date_of_birth', '1990-01-01', '1985-12-10'],
  ])('%s: reopens the check and holds withdrawals until compliance confirms', async (field, value, before) => {
    const trader = await approvedTrader()
    const open = good(await withdraw(trader)) as { withdraw_id: string }
    good(await change(trader, { [field]: value }))
    expect(await verification(trader)).toMatchObject({ status: 'Pending', reopened: true })
    expect((await requirements(trader)).possible).toBe(false)
    expect(refusal(await withdraw(trader)), 'requested').toEqual([422, 'identity_required'])
    expect(refusal(await finance.ask('POST', `/withdrawals/${open.withdraw_id}/approve`)), 'approved').toEqual([
      422,
      'identity_required',
    ])
    const check = await newestCheck(trader)
    expect(check).toMatchObject({ status: 'Pending', kind: 'identity', changed_from: { [field]: before } })
    expect(check.flags[0]).toMatch(/profile was changed/)
    expect((await compliance.ask('GET', `/identity-checks/${check.id}/file`)).status, 'the same picture').toBe(200)

    await approve(trader)
    expect(await verification(trader)).toEqual({
      method: 'national_id',
      status: 'Approved',
      id_file_url: expect.any(String),
    })
    good(await finance.ask('POST', `/withdrawals/${open.withdraw_id}/approve`))
    good(await withdraw(trader))
  })

  test('also holds approved withdrawals', async () => {
    const trader = await approvedTrader()
    const { withdraw_id: id } = good(await withdraw(trader)) as { withdraw_id: string }
    good(await finance.ask('POST', `/withdrawals/${id}/approve`))
    good(await change(trader, { lastname: 'King' }))
    const paid = () => finance.ask('POST', `/withdrawals/${id}/paid`, { body: { reference: transactionId() } })
    expect(refusal(await paid())).toEqual([422, 'identity_required'])
    await approve(trader)
    good(await paid())
  })

  test("a rejection and another upload don't release the hold, even with the requirement off", async () => {
    const setting = (withdrawals_need_identity: boolean) =>
      changeSettings(app.db, { withdrawals_need_identity }, (tx) =>
        tx.updateTable('cashier_settings').set({ withdrawals_need_identity }).execute(),
      )
    await setting(false)
    try {
      const trader = await approvedTrader()
      good(await change(trader, { firstname: 'Mallory' }))
      good(await change(trader, { firstname: 'Trudy', country: 'France' }))
      const check = await newestCheck(trader)
      expect(check.changed_from).toEqual({ firstname: 'Eve', country: 'United Kingdom' })
      good(await compliance.ask('POST', `/identity-checks/${check.id}/reject`, { body: { reason: 'Another name' } }))
      expect(refusal(await withdraw(trader))).toEqual([422, 'identity_required'])
      expect((await upload(trader, 'user', 'national_id')).status).toBe(200)
      expect(refusal(await withdraw(trader))).toEqual([422, 'identity_required'])
      expect((await requirements(trader)).possible).toBe(false)
      await approve(trader)
      good(await withdraw(trader))
    } finally {
      await setting(true)
    }
  })

  test('other fields, and the same values again, change nothing', async () => {
    const trader = await approvedTrader()
    good(await change(trader, { city: 'Leeds', address: '1 Other Street', date_of_birth: '1985-12-10' }))
    expect((await verification(trader)).status).toBe('Approved')
    good(await withdraw(trader))
  })
})

describe('a proof of address', () => {
  const stateOf = async ({ token }: Trader) =>
    good(await app.send('GET', '/api/profile/address-verification', { token })) as unknown as AddressVerification | null

  test('has a separate status from the ID, and is decided at the desk', async () => {
    const trader = await app.trader()
    await app.completeProfile(trader)
    expect(await stateOf(trader)).toBeNull()
    expect((await upload(trader, 'user', 'national_id')).status).toBe(200)
    expect((await upload(trader, 'address', 'utility_bill')).status).toBe(200)
    expect(refusal(await upload(trader, 'address', 'utility_bill'))).toEqual([409, 'wrong_state'])
    const own = (await stateOf(trader))!
    expect(own).toMatchObject({ method: 'utility_bill', status: 'Pending' })
    expect((await app.send('GET', own.file_url, { token: trader.token })).status).toBe(200)
    expect((await app.send('GET', own.file_url, { token: (await app.trader()).token })).status).toBe(404)

    const list = await compliance.ask('GET', `/identity-checks?kind=address&user=${trader.id}`)
    const [check] = list.json!.data as unknown as DeskIdentityCheck[]
    expect(check).toMatchObject({ kind: 'address', method: 'utility_bill', status: 'Pending' })
    good(await compliance.ask('POST', `/identity-checks/${check!.id}/reject`, { body: { reason: 'Too old' } }))
    expect(await stateOf(trader)).toMatchObject({ status: 'Rejected', reason: 'Too old' })
    expect((await verification(trader)).status, 'the ID is another matter').toBe('Pending')
    expect((await upload(trader, 'address', 'bank_statement')).status).toBe(200)
    await approve(trader)
    expect(await stateOf(trader)).toMatchObject({ method: 'bank_statement', status: 'Approved' })
    const users = (await compliance.ask('GET', `/users?q=${trader.email}`)).json!.data as { identity: string }[]
    expect(users.map((user) => user.identity)).toEqual(['Pending'])
  })
})

test("a message from the contact form says that its address isn't proven", async () => {
  const support = await operator(app, ['support'])
  const { email } = await app.trader()
  const body = { name: 'Eve', email, message: 'Please send me my data' }
  expect((await app.send('POST', '/api/public/contact', { body })).status).toBe(200)
  const [message] = (await support.ask('GET', '/messages')).json!.data as { email: string; flags: string[] }[]
  expect(message).toMatchObject({ email, flags: [expect.stringMatching(/Unverified address/)] })
  const { text } = await app.send('GET', '/mailbox.json')
  const [mail] = (JSON.parse(text) as { subject: string; text: string }[]).filter((one) =>
    /contact form/.test(one.subject),
  )
  expect(mail!.text).toContain(`from an unverified address: ${email}`)
})
