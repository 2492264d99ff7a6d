import { randomUUID } from 'node:crypto'
import { type APIRequestContext, type Browser, expect, type Locator, type Page } from '@playwright/test'
import type { Operator } from '#contract/desk/auth.ts'
import { QUEUES, type Queue } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { inviteFromHost } from '#server/desk/access/invite.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import type { AccessTokens } from '#web/client/index.ts'
import { withServerDatabase } from './servers/database.ts'
import { serverTime } from './servers/server-time.ts'

const PASSWORD = 'difference engine'

/** A server other than the shared one. */
interface ServerAt {
  origin: string
  dataDir: string
}

/** Invites an operator with the host command. Returns the secret in the link. */
const invite = (email: string, roles: string, at?: ServerAt): Promise<string> =>
  withServerDatabase(async (db) => {
    const { token } = await inviteFromHost(db, { email, roles: roles.split(',') as OperatorRole[] })
    return token
  }, at?.dataDir)

/** Joins the desk and signs in as a new operator through the screens, in a separate browser context. */
export async function operatorThroughScreens(browser: Browser, email: string, roles: string): Promise<Page> {
  const page = await deskPage(browser)
  await page.goto(`/desk/join?token=${await invite(email, roles)}`)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  const secret = ((await page.locator('code').first().textContent()) ?? '').trim()
  // Each code works once: the current one joins, the next one signs in.
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, await serverTime()))
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, (await serverTime()) + 30_000))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Start', exact: true }).waitFor()
  return page
}

/** Opens the desk for a new operator in a separate browser context. */
export async function operatorIn(browser: Browser, email: string, roles: string, at?: ServerAt): Promise<Page> {
  const page = await deskPage(browser, at)
  const { data: operator, tokens } = await signedIn(page.request, email, roles, at)
  // Open one of our pages that has no scripts, to access its storage.
  await page.goto('/robots.txt')
  await page.evaluate(
    (text) => sessionStorage.setItem('desk', text),
    JSON.stringify({ state: { operator, tokens }, version: 1 }),
  )
  await page.goto('/desk')
  await page.getByRole('heading', { name: 'Start', exact: true }).waitFor()
  return page
}

async function deskPage(browser: Browser, at?: ServerAt): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    baseURL: at?.origin ?? process.env.E2E_ORIGIN!,
  })
  return context.newPage()
}

export type DeskAsk = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Record<string, unknown>>

/** Returns a function that makes calls of the desk as a new operator with these roles. */
export async function askDesk(request: APIRequestContext, roles: string): Promise<DeskAsk> {
  const { tokens } = await signedIn(request, `${randomUUID().slice(0, 13)}@desk.example`, roles)
  return asking(request, tokens.access.token)
}

/** Joins and signs in through the API. */
async function signedIn(request: APIRequestContext, email: string, roles: string, at?: ServerAt) {
  const ask = asking(request)
  const token = await invite(email, roles, at)
  const { data } = (await ask('POST', '/auth/join', { token, password: PASSWORD })) as { data: { secret: string } }
  await ask('POST', '/auth/join/confirm', { token, code: totpCode(data.secret, await serverTime()) })
  const code = totpCode(data.secret, (await serverTime()) + 30_000)
  return (await ask('POST', '/auth/login', { email, password: PASSWORD, code })) as {
    data: Operator
    tokens: AccessTokens
  }
}

const asking =
  (request: APIRequestContext, token?: string): DeskAsk =>
  async (method, path, data) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    if (method === 'POST') headers['idempotency-key'] = randomUUID()
    const reply = await request.fetch(`/api/desk${path}`, { method, headers, ...(data ? { data } : {}) })
    if (!reply.ok()) throw new Error(`${method} ${path}: ${reply.status()} ${await reply.text()}`)
    return (await reply.json()) as Record<string, unknown>
  }

/** Opens a queue: the inbox or the proposals in the navigation, then the filter that leads to it. */
export async function openQueue(desk: Page, queue: Queue): Promise<void> {
  const { title, work } = QUEUES[queue]
  const go = (navigation: string, link: string) =>
    desk
      .getByRole('navigation', { name: navigation })
      .getByRole('link', { name: new RegExp(`^${link}`) })
      .click()
  await go('Desk', work === 'claimed' ? 'Inbox' : 'Proposals')
  await go('Filters', title)
}

/** Finds a user on the desk's page of users and opens their page. */
export async function findUser(desk: Page, email: string): Promise<void> {
  await desk.getByLabel('Find', { exact: true }).fill(email)
  // Until then, the list may be replaced under the pointer.
  await expect(desk.getByText('1 user, all shown')).toBeVisible()
  await desk.getByRole('button', { name: `Open ${email}` }).click()
}

/** Approves an item: its button, then the second look. */
export async function approveItem(where: Page | Locator): Promise<void> {
  const approve = where.getByRole('button', { name: /^Approve/ })
  await approve.click()
  await expect(where.getByText(/^Approve .*\?$/)).toBeVisible()
  await approve.click()
}
