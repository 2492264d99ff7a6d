import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { User } from '#contract/account/user.ts'

export interface Person {
  firstname: string
  lastname: string
  email: string
  phone: string
  password: string
}

/** Someone unknown to the server. */
export const newPerson = (): Person => ({
  firstname: 'Ada',
  lastname: 'Byron',
  email: `ada-${randomUUID().slice(0, 13)}@example.org`,
  phone: '+44 20 7946 0000',
  password: 'analytical engine',
})

export interface Account extends Person {
  /** The onboarding session from the registration's response. */
  session: string
}

/** A registered account, created through the API. */
export async function register(page: Page, person: Person = newPerson()): Promise<Account> {
  const answer = await page.request.post('/api/auth/register', {
    data: { ...person, confirmPassword: person.password },
  })
  if (!answer.ok()) throw new Error(`registration: ${await answer.text()}`)
  return { ...person, session: ((await answer.json()) as { session: string }).session }
}

/** Signs in a new trader in this browser through the API, in demo mode by default. */
export async function signedIn(
  page: Page,
  options: { mode?: 'real' | 'demo'; account?: Person } = {},
): Promise<Account> {
  const account = options.account ? { ...options.account, session: '' } : await register(page)
  const answer = await page.request.post('/api/auth/login', {
    data: { email: account.email, password: account.password },
  })
  if (!answer.ok()) throw new Error(`sign-in: ${await answer.text()}`)
  const { data, tokens } = (await answer.json()) as { data: User; tokens: { access: { token: string } } }
  const root = JSON.stringify({
    state: { auth: { user_data: data, tokens }, mode: options.mode ?? 'demo' },
    version: 1,
  })
  // Open one of our pages that has no scripts, to access its storage.
  await page.goto('/robots.txt')
  await page.evaluate((text) => localStorage.setItem('root', text), root)
  return account
}

interface Root {
  state: {
    auth: { user_data: User | null; tokens: { access: { token: string; expires: string } } | null }
    mode: string
  }
  version: number
}

/** Returns the app's data in the browser, stored under `root`. */
export const rootOf = (page: Page): Promise<Root> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('root') ?? 'null') as Root)

interface Mail {
  to: string
  subject: string
  text: string
  links: string[]
}

/** Waits for the newest e-mail to this address with this subject. */
export async function mailTo(page: Page, email: string, subject: RegExp): Promise<Mail> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const answer = await page.request.get(`/mailbox.json?to=${encodeURIComponent(email)}`)
    const received = ((await answer.json()) as Mail[]).find((mail) => subject.test(mail.subject))
    if (received) return received
    await page.waitForTimeout(100)
  }
  throw new Error(`no e-mail ${subject} to ${email}`)
}
