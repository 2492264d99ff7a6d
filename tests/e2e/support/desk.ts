import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from '@playwright/test'
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

/** Somebody who joined the desk and signed in, in a browser of his own, through the screens. */
export async function operatorIn(browser: Browser, email: string, roles: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: process.env.E2E_ORIGIN! })
  const page = await context.newPage()
  await page.goto(inviteFromHost(email, roles))
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Go on' }).click()
  const secret = ((await page.locator('code').first().textContent()) ?? '').trim()
  // Each code works once: the one of now joins, the one to come signs in.
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret))
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, Date.now() + 30_000))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'What waits' }).waitFor()
  return page
}
