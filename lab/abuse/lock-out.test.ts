import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DESK_PASSWORD, operator } from '#tests/support/people/desk.ts'
import { BEHIND_PROXY, startWholeApp, type Trader, type WholeApp } from '#tests/support/servers/app.ts'
import { totpCode } from '#tests/support/totp-code.ts'

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp({ RATE_LIMITS: 'on', ...BEHIND_PROXY }, { shippedPasswordCost: true })
})
afterAll(() => app.stop())

let networks = 0
const newNetwork = () => `203.0.${113 + Math.floor(networks / 250)}.${1 + (networks++ % 250)}`

interface SignIn {
  email: string
  password: string
  link?: string
  code?: string
}

function signIn(path: string, body: SignIn, from: { network: string; cookie?: string }) {
  const headers: Record<string, string> = { 'x-forwarded-for': from.network }
  if (from.cookie) headers.cookie = from.cookie
  return app.send('POST', path, { body, headers })
}
const trader = (body: SignIn, from: { network: string; cookie?: string }) => signIn('/api/auth/login', body, from)
const desk = (body: SignIn, from: { network: string; cookie?: string }) => signIn('/api/desk/auth/login', body, from)

/** Registers from a new network, and returns the account with the cookie of its device. */
async function account(): Promise<Pick<Trader, 'email' | 'password'> & { cookie: string }> {
  const network = newNetwork()
  const email = `owner-${networks}@example.org`
  const password = 'analytical engine'
  const body = { firstname: 'Eve', lastname: 'Byron', email, password, confirmPassword: password }
  await app.send('POST', '/api/auth/register', { body, headers: { 'x-forwarded-for': network } })
  const reply = await trader({ email, password }, { network })
  const cookie = reply.headers.getSetCookie().find((one) => one.startsWith('device='))
  expect(cookie, reply.text).toMatch(/HttpOnly/)
  return { email, password, cookie: cookie!.split(';')[0]! }
}

async function mailsTo(email: string, subject: string): Promise<{ links: string[] }[]> {
  const { text } = await app.send('GET', `/mailbox.json?to=${encodeURIComponent(email)}`)
  return (JSON.parse(text) as { subject: string; links: string[] }[]).filter((mail) => mail.subject === subject)
}

async function linkFor(email: string, subject = 'Sign in to your account', name = 'link'): Promise<string> {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 50) {
    const [mail] = await mailsTo(email, subject)
    if (mail) return new URL(mail.links[0]!).searchParams.get(name)!
    await sleep(50)
  }
  throw new Error(`no e-mail '${subject}' to ${email}`)
}

/** Strangers in eight networks do what anyone can to send e-mails to an address. */
async function floodWithMails(email: string): Promise<void> {
  for (let n = 0; n < 8; n++) {
    const headers = { 'x-forwarded-for': newNetwork() }
    const body = { firstname: 'Eve', lastname: 'Byron', email, password: 'one of mine', confirmPassword: 'one of mine' }
    for (let k = 0; k < 5; k++) {
      await app.send('GET', `/api/auth/reset-password?email=${encodeURIComponent(email)}`, { headers })
      await app.send('POST', '/api/auth/register', { body, headers })
    }
  }
}

describe('a trader', () => {
  test('300 parallel guesses from one network count as ten', async () => {
    const { email } = await account()
    const network = newNetwork()
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, n) => trader({ email, password: `guess ${n}` }, { network })),
    )
    expect(replies.filter(({ json }) => json?.code === 'invalid_credentials')).toHaveLength(10)
    // The network's visitors have a budget, too.
    const refusals = ['sign_in_link_required', 'too_many_requests']
    expect(replies.filter(({ json }) => refusals.includes(json?.code ?? ''))).toHaveLength(290)
  })

  test("a stranger who guesses doesn't lock out the owner, at home, on a known device or on the same network", async () => {
    const { email, password, cookie } = await account()
    const network = newNetwork()
    for (let n = 0; n < 15; n++) await trader({ email, password: 'guess' }, { network })
    expect((await trader({ email, password }, { network: newNetwork() })).status).toBe(200)
    expect((await trader({ email, password }, { network, cookie })).status, 'next to the stranger').toBe(200)
    const asked = await trader({ email, password }, { network })
    expect([asked.status, asked.json?.code], 'an unknown device next to them').toEqual([428, 'sign_in_link_required'])
    const link = await linkFor(email)
    expect((await trader({ email, password, link }, { network })).status).toBe(200)
  })

  test("many strangers trigger an e-mailed link; known devices don't need it", async () => {
    const { email, password, cookie } = await account()
    const codes: (string | undefined)[] = []
    for (let n = 0; n < 11; n++) {
      const network = newNetwork()
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => trader({ email, password: 'guess' }, { network })),
      )
      codes.push(...replies.map(({ json }) => json?.code))
    }
    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(100)
    expect(codes.filter((code) => code === 'sign_in_link_required')).toHaveLength(10)
    const home = newNetwork()
    const asked = await trader({ email, password }, { network: home })
    expect([asked.status, asked.json?.code], 'the right password too').toEqual([428, 'sign_in_link_required'])
    expect((await trader({ email, password }, { network: home, cookie })).status).toBe(200)
    const link = await linkFor(email)
    expect((await trader({ email, password: 'guess', link }, { network: home })).json?.code).toBe('invalid_credentials')
    expect((await trader({ email, password, link }, { network: home })).status).toBe(200)
    const again = await trader({ email, password, link }, { network: newNetwork() })
    expect(again.json?.code, 'a link works once').toBe('sign_in_link_required')
  })

  test('strangers who flood an owner with e-mails silence no alarm, and keep no link from them', async () => {
    const { email, password } = await account()
    const hash = await linkFor(email, 'Confirm your e-mail address', 'hash')
    expect((await app.send('POST', '/api/auth/verify-email', { body: { hash } })).status).toBe(200)
    await floodWithMails(email)
    await expect.poll(async () => (await mailsTo(email, 'Reset your password')).length).toBe(5)
    for (let n = 0; n < 11; n++) {
      const network = newNetwork()
      await Promise.all(Array.from({ length: 10 }, () => trader({ email, password: 'guess' }, { network })))
    }
    const home = newNetwork()
    expect((await trader({ email, password }, { network: home })).json?.code).toBe('sign_in_link_required')
    const link = await linkFor(email)
    const headers = { 'x-forwarded-for': home, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' }
    const signed = await app.send('POST', '/api/auth/login', { body: { email, password, link }, headers })
    expect(signed.status, signed.text).toBe(200)
    expect(await mailsTo(email, 'New sign-in to your account')).toHaveLength(1)
    const { tokens } = signed.json as unknown as { tokens: { access: { token: string } } }
    const changed = await app.send('PATCH', '/api/users/change-password', {
      token: tokens.access.token,
      body: { current: password, password: 'difference engine', confirmPassword: 'difference engine' },
    })
    expect(changed.status, changed.text).toBe(200)
    expect(await mailsTo(email, 'Your password was changed')).toHaveLength(1)
  })

  test('dropped e-mails are audited', async () => {
    const email = 'flooded@example.org'
    await floodWithMails(email)
    expect((await mailsTo(email, 'Confirm your e-mail address')).length).toBe(10)
    const rows = async () =>
      (
        await app.pool.query(
          `select a.operator, a.after from audit a join mails m on a.item_kind = 'mails' and a.item_id = m.id::text
           where a.action = 'e-mail-dropped' and m.recipient = $1`,
          [email],
        )
      ).rows
    await expect
      .poll(rows, { timeout: 30_000 })
      .toEqual([{ operator: 'server', after: { subject: 'Confirm your e-mail address', budget: 'confirm' } }])
  })

  test('an unknown address gets the same response', async () => {
    const codes: (string | undefined)[] = []
    for (let n = 0; n < 11; n++) {
      const network = newNetwork()
      for (let k = 0; k < 10; k++)
        codes.push((await trader({ email: 'nobody@example.org', password: 'x' }, { network })).json?.code)
    }
    expect(codes.slice(99, 101)).toEqual(['invalid_credentials', 'sign_in_link_required'])
  })

  test("strangers' wrong passwords don't count against the signed-in owner", async () => {
    const { email, password, cookie } = await account()
    const { tokens } = (await trader({ email, password }, { network: newNetwork(), cookie })).json as unknown as {
      tokens: { access: { token: string } }
    }
    const network = newNetwork()
    for (let n = 0; n < 15; n++) await trader({ email, password: 'guess' }, { network })
    const changed = await app.send('PATCH', '/api/users/change-password', {
      token: tokens.access.token,
      body: { current: password, password: 'difference engine', confirmPassword: 'difference engine' },
    })
    expect(changed.status, changed.text).toBe(200)
  })

  test("strangers on a network don't keep its traders from changing their address", async () => {
    const network = newNetwork()
    const change = async ({ email, password, cookie }: Awaited<ReturnType<typeof account>>, times: number) => {
      const hash = await linkFor(email, 'Confirm your e-mail address', 'hash')
      expect((await app.send('POST', '/api/auth/verify-email', { body: { hash } })).status).toBe(200)
      const { json } = await trader({ email, password }, { network: newNetwork(), cookie })
      const { token } = (json as unknown as { tokens: { access: { token: string } } }).tokens.access
      const statuses: number[] = []
      for (let n = 0; n < times; n++) {
        const body = { email: `new-${networks}-${n}@example.org`, password }
        const headers = { 'x-forwarded-for': network }
        statuses.push((await app.send('POST', '/api/auth/email-change', { token, body, headers })).status)
      }
      return statuses
    }
    for (let n = 0; n < 4; n++) expect(await change(await account(), 5)).toEqual([200, 200, 200, 200, 200])
    expect(await change(await account(), 6)).toEqual([200, 200, 200, 200, 200, 429])
  })

  test("a stranger who keeps registering an address doesn't block its owner", async () => {
    const email = 'wanted@example.org'
    const register = (network: string, password: string) =>
      app.send('POST', '/api/auth/register', {
        body: { firstname: 'Eve', lastname: 'Byron', email, password, confirmPassword: password },
        headers: { 'x-forwarded-for': network },
      })
    const network = newNetwork()
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) statuses.push((await register(network, 'strangers password')).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    expect((await register(newNetwork(), 'owners password')).status).toBe(200)
  })
})

describe('an operator', () => {
  test('gets a sign-in link next to a stranger on the same network', async () => {
    const { email, secret } = await operator(app, ['support'])
    const network = newNetwork()
    for (let n = 0; n < 12; n++) await desk({ email, password: 'guess', code: '000000' }, { network })
    const body = { email, password: DESK_PASSWORD, code: totpCode(secret, Date.now() + 30_000) }
    expect((await desk(body, { network })).json?.code).toBe('sign_in_link_required')
    const link = await linkFor(email)
    expect((await desk({ ...body, password: 'guess', link }, { network })).json?.code).toBe('invalid_credentials')
    expect((await desk({ ...body, link }, { network })).status).toBe(200)
  })

  test('is not locked out by one stranger, and gets a sign-in link after many', async () => {
    const { email, secret } = await operator(app, ['support'])
    const code = () => totpCode(secret, Date.now() + 30_000)
    await floodWithMails(email)
    const network = newNetwork()
    for (let n = 0; n < 12; n++) await desk({ email, password: 'guess', code: '000000' }, { network })
    const refused = await desk({ email, password: DESK_PASSWORD, code: code() }, { network })
    expect([refused.status, refused.json?.code]).toEqual([428, 'sign_in_link_required'])
    for (let n = 0; n < 6; n++) {
      const one = newNetwork()
      for (let k = 0; k < 10; k++) await desk({ email, password: 'guess', code: '000000' }, { network: one })
    }
    const home = newNetwork()
    const asked = await desk({ email, password: DESK_PASSWORD, code: code() }, { network: home })
    expect([asked.status, asked.json?.code]).toEqual([428, 'sign_in_link_required'])
    const link = await linkFor(email)
    expect((await desk({ email, password: DESK_PASSWORD, code: code(), link }, { network: home })).status).toBe(200)
    const { rows } = await app.pool.query<{ n: number }>(
      `select count(*)::int as n from audit where action = 'sign-in-failed' and operator = 'visitor'`,
    )
    expect(rows[0]!.n).toBeGreaterThanOrEqual(50)
  })
})
