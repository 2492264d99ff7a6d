import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs'
import { chromium, type Page } from '@playwright/test'
import { totpCode } from '#server/platform/totp.ts'
import { unpackBrowser } from './support/browser.ts'
import { photo } from './support/pictures.ts'

const ORIGIN = process.env.ORIGIN!,
  DATA = process.env.DATA!
const OUT = '/tmp/shots'
const folder = mkdtempSync('/tmp/explore-')
chmodSync(folder, 0o711)
const b = await unpackBrowser(folder)
const browser = await chromium.launch({
  executablePath: b.executablePath,
  env: { ...process.env, ...b.env } as any,
  args: ['--no-sandbox', '--disable-gpu'],
})
const say = console.log
async function context(w = 1440, h = 900) {
  const c = await browser.newContext({ viewport: { width: w, height: h }, baseURL: ORIGIN, reducedMotion: 'reduce' })
  const p = await c.newPage()
  p.on('console', (m) => m.type() === 'error' && say('console', m.text()))
  p.on('pageerror', (e) => say('pageerror', e.message))
  p.on('response', (r) => r.status() >= 400 && say(r.status(), r.request().method(), r.url()))
  return p
}
const shot = async (p: Page, n: string) => {
  await p.waitForTimeout(600)
  await p.screenshot({ path: `${OUT}/${n}.png` })
}
async function join(email: string, roles: string) {
  const out = execFileSync(process.execPath, ['server/desk-command.ts', 'invite', email, roles], {
    cwd: '/work/main',
    env: { ...process.env, DATA_DIR: DATA, PUBLIC_URL: ORIGIN },
    encoding: 'utf8',
  })
  const link = /http\S+join\S+/.exec(out)![0]
  const p = await context()
  await p.goto(link.replace(/^https?:\/\/[^/]+/, ORIGIN))
  await p.getByLabel('Password', { exact: true }).fill('difference engine')
  await p.getByLabel('Confirm password').fill('difference engine')
  await shot(p, 'join-1')
  await p.getByRole('button', { name: 'Go on' }).click()
  const secret = (await p.locator('code').first().innerText()).trim()
  await shot(p, 'join-2')
  await p.getByLabel('Code').fill(totpCode(secret, Date.now() - 30_000))
  await p.getByRole('button', { name: 'Join' }).click()
  await p.getByLabel('Email').fill(email)
  await p.getByLabel('Password', { exact: true }).fill('difference engine')
  await p.getByLabel('Code').fill(totpCode(secret))
  await shot(p, 'desk-signin')
  await p.getByRole('button', { name: 'Sign in' }).click()
  await p.getByRole('heading', { name: 'What waits' }).waitFor()
  return p
}
async function api(token: string | undefined, method: string, path: string, body?: any, form?: boolean) {
  const r = await fetch(ORIGIN + '/api' + path, {
    method,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body && !form ? { 'content-type': 'application/json' } : {}),
    },
    body: body ? (form ? body : JSON.stringify(body)) : undefined,
  } as any)
  const j = (await r.json()) as any
  if (r.status !== 200) say(method, path, r.status, JSON.stringify(j))
  return j
}
const people: any[] = []
for (const name of ['Grace', 'Alan', 'Barbara', 'Donald']) {
  const email = `${name.toLowerCase()}-${Date.now()}@example.org`,
    password = 'analytical engine'
  const reg = await api(undefined, 'POST', '/auth/register', {
    firstname: name,
    lastname: 'Hopper',
    email,
    phone: '+44 20 7946 0000',
    password,
    confirmPassword: password,
  })
  await api(undefined, 'POST', '/auth/complete-profile', {
    gender: 'female',
    date_of_birth: '1985-12-10',
    address: '12 Analytical Street',
    city: 'London',
    state: 'Greater London',
    country: 'United Kingdom',
    session: reg.session,
  })
  const pic = await photo()
  const f = new FormData()
  f.set('method', 'national_id')
  f.set('session', reg.session)
  f.set('id_file', new Blob([new Uint8Array(pic.buffer)], { type: 'image/png' }), 'id.png')
  await api(undefined, 'POST', '/users/user-identification', f, true)
  const mails = (await (await fetch(`${ORIGIN}/mailbox.json?to=${encodeURIComponent(email)}`)).json()) as any[]
  const hash = new URL(mails.find((m) => /confirm/i.test(m.subject)).links[0]).searchParams.get('hash')
  await api(undefined, 'POST', '/auth/verify-email', { hash })
  const { tokens } = await api(undefined, 'POST', '/auth/login', { email, password })
  const token = tokens.access.token
  for (const amt of [name === 'Grace' ? '5000' : '250.00']) {
    const d = new FormData()
    d.set('usd_amount', amt)
    d.set('currency', name === 'Alan' ? 'ETH' : 'BTC')
    d.set('receipt', new Blob([new Uint8Array((await photo()).buffer)], { type: 'image/png' }), 'r.png')
    await api(token, 'POST', '/deposit', d, true)
  }
  await api(undefined, 'POST', '/public/contact', {
    name,
    email,
    message: 'Hello,\nhow long does a bank wire take?\n\nThank you, ' + name,
  })
  for (const [symbol, side, amt] of [
    ['BTCUSDT', 'Buy', 120],
    ['ETHUSDT', 'Sell', 250],
    ['BCHBTC', 'Buy', 30],
  ] as any)
    await api(token, 'POST', '/trading/submit', {
      symbol,
      trading_type: 'Cryptocurrency',
      trade_mode: side,
      amount: amt,
      duration: 3600,
      strike_rate: '75/3',
      mode: 'demo',
    })
  people.push({ email, token })
}
const all = 'support,compliance,finance,risk,admin,auditor'
const a = await join(`ann-${Date.now()}@desk.example`, all)
const paths = [
  '',
  'identity-checks',
  'deposits',
  'withdrawals',
  'plan-requests',
  'adjustments',
  'messages',
  'users',
  'trades',
  'exposure',
  'feeds',
  'operators',
  'settings',
  'audit',
]
for (const path of paths) {
  await a.goto(`/desk/${path}`)
  await a.waitForTimeout(900)
  if (['identity-checks', 'deposits', 'messages'].includes(path)) {
    await a.keyboard.press('j')
    await a.waitForTimeout(700)
  }
  await shot(a, `desk-${path || 'start'}-1440`)
}
await a.goto('/desk/users')
await a.getByRole('row').nth(1).click()
await a.waitForTimeout(800)
await shot(a, 'desk-user-1440')
await a.getByText('Ledger', { exact: true }).click()
await shot(a, 'desk-user-ledger-1440')
await a.setViewportSize({ width: 390, height: 844 })
for (const path of ['', 'deposits', 'users', 'exposure', 'settings']) {
  await a.goto(`/desk/${path}`)
  await a.waitForTimeout(700)
  if (path === 'deposits') await a.keyboard.press('j')
  await shot(a, `desk-${path || 'start'}-390`)
}
await a.setViewportSize({ width: 1000, height: 800 })
for (const path of ['', 'deposits', 'feeds']) {
  await a.goto(`/desk/${path}`)
  await a.waitForTimeout(700)
  if (path === 'deposits') await a.keyboard.press('j')
  await shot(a, `desk-${path || 'start'}-1000`)
}
await browser.close()
