import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { APIRequestContext, Browser, Page } from '@playwright/test'
import { totpCode } from '#server/platform/totp.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PASSWORD = 'difference engine'

/** Invites an operator from the host, as `npm run desk` does, and answers the link's path. */
export function inviteFromHost(email: string, roles: string): string {
  const said = execFileSync(process.execPath, ['server/desk-command.ts', 'invite', email, roles], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATA_DIR: process.env.E2E_DATA, PUBLIC_URL: process.env.E2E_ORIGIN },
    encoding: 'utf8',
  })
  const link = /https?:\/\/\S+\/desk\/join\?token=\S+/.exec(said)?.[0]
  if (!link) throw new Error(`no link in: ${said}`)
  const { pathname, search } = new URL(link)
  return pathname + search
}

/** Joins the desk and signs in as a new operator through the screens, in a separate browser context. */
export async function operatorIn(browser: Browser, email: string, roles: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: process.env.E2E_ORIGIN! })
  const page = await context.newPage()
  await page.goto(inviteFromHost(email, roles))
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  const secret = ((await page.locator('code').first().textContent()) ?? '').trim()
  // Each code works once: the current one joins, the next one signs in.
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret))
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, Date.now() + 30_000))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Work queue' }).waitFor()
  return page
}

export type DeskAsk = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Record<string, unknown>>

/** Returns a function that makes calls of the desk as a new operator with these roles, without a screen. */
export async function askDesk(request: APIRequestContext, roles: string): Promise<DeskAsk> {
  const email = `${randomUUID().slice(0, 13)}@desk.example`
  const invitation = new URL(inviteFromHost(email, roles), 'http://localhost').searchParams.get('token')
  let token = ''
  const ask: DeskAsk = async (method, path, data) => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    if (method === 'POST') headers['idempotency-key'] = randomUUID()
    const reply = await request.fetch(`/api/desk${path}`, { method, headers, ...(data ? { data } : {}) })
    if (!reply.ok()) throw new Error(`${method} ${path}: ${reply.status()} ${await reply.text()}`)
    return (await reply.json()) as Record<string, unknown>
  }
  const { data } = (await ask('POST', '/auth/join', { token: invitation, password: PASSWORD })) as {
    data: { secret: string }
  }
  await ask('POST', '/auth/join/confirm', { token: invitation, code: totpCode(data.secret) })
  const signedIn = (await ask('POST', '/auth/login', {
    email,
    password: PASSWORD,
    code: totpCode(data.secret, Date.now() + 30_000),
  })) as { tokens: { access: { token: string } } }
  token = signedIn.tokens.access.token
  return ask
}
