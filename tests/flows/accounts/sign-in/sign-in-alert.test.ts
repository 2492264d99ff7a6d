import { afterAll, describe, expect, test } from 'vitest'
import { refused, startCashier } from '#tests/support/people/cashier.ts'
import { operator } from '#tests/support/people/desk.ts'
import { emailChangeOf } from '#tests/support/people/email-change.ts'
import { BEHIND_PROXY, type Reply, type Trader } from '#tests/support/servers/app.ts'

const { app, ops, trader, withdraw, pendingWithdrawal, approveOut, pay, rejectOut, stop } =
  await startCashier(BEHIND_PROXY)
afterAll(stop)

const CHROME = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/131.0 Safari/537.36'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0'
const code = ({ status, json }: Reply) => [status, json?.code]
const DONE = [200, undefined]

/** Signs in from a browser on a network; returns the reply, and the cookie that makes the device a known one. */
async function signIn(
  { email, password }: { email: string; password: string },
  from: { agent?: string; network?: string; device?: string } = {},
) {
  const { agent = CHROME, network = '198.51.100.7', device } = from
  const headers = {
    'user-agent': agent,
    'x-forwarded-for': network,
    ...(device === undefined ? {} : { cookie: `device=${device}` }),
  }
  const reply = await app.send('POST', '/api/auth/login', { body: { email, password }, headers })
  const cookie = reply.headers.getSetCookie().find((line) => line.startsWith('device='))
  return { reply, device: /^device=([^;]*)/.exec(cookie ?? '')?.[1] ?? device }
}
const alerts = async (email: string) =>
  (
    JSON.parse((await app.send('GET', `/mailbox.json?to=${encodeURIComponent(email)}`)).text) as {
      subject: string
      links: string[]
    }[]
  ).filter(({ subject }) => /^New sign-in/.test(subject))
const disown = (hash: string) => app.send('POST', '/api/auth/sign-in/disown', { body: { hash } })
const isIn = async ({ token }: { token: string }) => (await app.send('GET', '/api/users/me', { token })).status === 200
async function setPassword(email: string, password: string): Promise<void> {
  await app.send('GET', `/api/auth/reset-password?email=${encodeURIComponent(email)}`)
  const hash = await app.hashFor(email, /Reset/)
  const body = { hash, password, confirmPassword: password }
  expect(code(await app.send('POST', '/api/auth/reset-password', { body }))).toEqual(DONE)
}

describe('a sign-in', () => {
  test('is reported from a new device or network, not from a known device wherever it is', async () => {
    const account = await app.register()
    const hash = await app.hashFor(account.email, /Confirm/)
    const count = async () => (await alerts(account.email)).length
    const { device } = await signIn(account)
    await app.send('POST', '/api/auth/verify-email', { body: { hash } })
    await signIn(account)
    expect(await count(), 'the same browser and network, without its cookie').toBe(0)
    await signIn(account, { network: '203.0.113.9', device: device! })
    expect(await count(), 'a known device on the road').toBe(0)
    await signIn(account, { network: '203.0.113.10' })
    expect(await count(), 'another network').toBe(1)
    await signIn(account, { agent: FIREFOX })
    expect(await count(), 'another browser').toBe(2)
    await signIn(account, { agent: FIREFOX })
    expect(await count()).toBe(2)
    const ipv6 = { network: '2001:db8:1:2::5' }
    await signIn(account, ipv6)
    await signIn(account, { network: '2001:db8:1:2:ffff::9' })
    expect(await count(), 'one network of IPv6').toBe(3)
  })

  test('that its owner disowns ends everything at once, and opening the link alone ends nothing', async () => {
    const one = await trader(60)
    const waiting = await pendingWithdrawal(one, 20)
    const approved = await pendingWithdrawal(one, 20)
    await approveOut(approved, ops[0]!)
    const changing = emailChangeOf(app)
    const email = changing.newAddress()
    await changing.request(one, email)
    const thief = await app.trader(one)
    const hash = await app.hashOfNewSignIn(one)
    const page = await app.send('GET', `/not-my-sign-in?hash=${hash}`)
    expect(page.status).not.toBe(500)
    expect([await isIn(one), await isIn(thief)]).toEqual([true, true])

    const presses = await Promise.all([1, 2, 3, 4].map(() => disown(hash)))
    expect(presses.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
    expect([await isIn(one), await isIn(thief)]).toEqual([false, false])
    expect(await changing.confirm(await changing.newHash(email)), 'a change of address under way').toMatchObject({
      status: 422,
    })
    await expect(approveOut(waiting, ops[0]!)).rejects.toEqual(refused('withdrawals_paused'))
    await expect(pay(approved, ops[0]!)).rejects.toEqual(refused('withdrawals_paused'))
    const again = await app.trader(one)
    expect(code(await withdraw(again, 10))).toEqual([422, 'withdrawals_paused'])

    const desk = await operator(app, ['finance'])
    const { data } = (await desk.ask('GET', `/withdrawals?user=${one.id}`)).json as { data: { flags: string[] }[] }
    for (const { flags } of data) expect(flags).toContainEqual(expect.stringMatching(/^Withdrawals frozen: the trader/))
    const picture = (await desk.ask('GET', `/users/${one.id}`)).json!.data as { flags: string[] }
    expect(picture.flags).toContainEqual(expect.stringMatching(/^Withdrawals frozen/))
    for (const { id } of (await desk.ask('GET', `/withdrawals?user=${one.id}`)).json!.data as unknown as {
      id: string
    }[]) {
      const alone = await desk.ask('POST', `/withdrawals/${id}/approve`)
      expect(['withdrawals_paused', 'wrong_state'], 'one operator').toContain(alone.json?.code)
    }
    await rejectOut(waiting, ops[0]!)

    await setPassword(one.email, 'difference engine')
    const back = await app.trader({ ...one, password: 'difference engine' })
    expect(code(await withdraw(back, 10))).toEqual(DONE)
    await pay(approved, ops[0]!)
    const after = (await desk.ask('GET', `/users/${one.id}`)).json!.data as { flags: string[] }
    expect(after.flags).not.toContainEqual(expect.stringMatching(/^Withdrawals/))
  })

  test('a second report needs another new password, and the thief is reported again', async () => {
    const one = await trader(20)
    const thief = { network: '203.0.113.77', device: (await signIn(one, { network: '203.0.113.77' })).device! }
    expect(code(await disown(await app.hashOfNewSignIn(one)))).toEqual(DONE)
    await setPassword(one.email, 'difference engine')
    // Before the first sign-in with it, someone else is in again: they read the new password.
    const next: Trader = { ...one, password: 'difference engine' }
    const reported = await alerts(one.email)
    await signIn(next, thief)
    expect(await alerts(one.email)).toHaveLength(reported.length + 1)
    const [newest] = await alerts(one.email)
    expect(code(await disown(new URL(newest!.links[0]!).searchParams.get('hash')!))).toEqual(DONE)
    expect(code(await withdraw(await app.trader(next), 10))).toEqual([422, 'withdrawals_paused'])
    await setPassword(one.email, 'third engine here')
    expect(code(await withdraw(await app.trader({ ...one, password: 'third engine here' }), 10))).toEqual(DONE)
  })

  test('links of the account die with the one that was pressed, and after 7 days', async () => {
    const one = await app.confirmedTrader()
    const first = await app.hashOfNewSignIn(one)
    await signIn(one, { network: '203.0.113.50' })
    const [newest] = await alerts(one.email)
    expect(code(await disown(new URL(newest!.links[0]!).searchParams.get('hash')!))).toEqual(DONE)
    expect(code(await disown(first))).toEqual([422, 'invalid_hash'])
    const two = await app.confirmedTrader()
    const late = await app.hashOfNewSignIn(two)
    await app.db
      .updateTable('one_time_tokens')
      .set({ expires_at: new Date() })
      .where('user_id', '=', BigInt(two.id))
      .where('purpose', '=', 'disown_sign_in')
      .execute()
    expect(code(await disown(late))).toEqual([422, 'invalid_hash'])
    expect(await isIn(two)).toBe(true)
  })
})
