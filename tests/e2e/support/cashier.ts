import { randomUUID } from 'node:crypto'
import type { Reply } from '#contract/api.ts'
import { usd } from '#kernel/money.ts'
import { inTransaction, sql, type Tx } from '#server/platform/database/db.ts'
import { arrive } from '#tests/support/arrivals.ts'
import { fund as creditDeposit } from '#tests/support/trades/money.ts'
import { mailTo, rootOf } from './people.ts'
import { withServerDatabase } from './servers/database.ts'
import type { Locator, Page } from './test.ts'

/** Runs `run` for the account with this address in one transaction, on the shared server or another data folder. */
const asSuper = <T>(email: string, run: (tx: Tx, userId: bigint) => Promise<T>, dataDir?: string): Promise<T> =>
  withServerDatabase(async (db) => {
    const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
    return inTransaction(db, (tx) => run(tx, id))
  }, dataDir)

/** Adds real money to an account through a credited deposit. */
export const fund = (email: string, dollars: number, dataDir?: string): Promise<void> =>
  asSuper(email, (tx, userId) => creditDeposit(tx, userId, usd(BigInt(Math.round(dollars * 100)))), dataDir)

/** Enters what arrived for the pending deposits in coins of an account: at least this many cents for each. */
export const enterArrivals = (email: string, cents = 0): Promise<void> =>
  asSuper(email, async (tx, userId) => {
    const rows = await tx.selectFrom('deposits').select('id').where('user_id', '=', userId).execute()
    for (const { id } of rows) await arrive(tx, id, cents)
  })
/** Reviews what is filled in, and requests the withdrawal. */
export async function sendWithdrawal(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: /^Review \$/ }).click()
  await dialog.getByRole('button', { name: /^Withdraw \$/ }).click()
}

/** Approves an identity without a submitted ID. */
export const approveIdentity = (email: string): Promise<void> =>
  asSuper(email, async (tx, userId) => {
    await sql`
      insert into identity_checks (user_id, method, status, file, decided_at)
      values (${userId}, 'national_id', 'Approved', ${randomUUID()}, clock_timestamp())`.execute(tx)
  })

/**
 * Confirms the address through the API with this browser's cookies, so that its session continues, and adds the birth
 * date that deposits need.
 */
export async function confirmEmail(page: Page, email: string, dataDir?: string): Promise<void> {
  const mail = await mailTo(page, email, /Confirm/i)
  const hash = new URL(mail.links.find((link) => link.includes('hash='))!).searchParams.get('hash')
  const token = page.url().startsWith('http') ? (await rootOf(page))?.state.auth.tokens?.access.token : undefined
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await page.request.post('/api/auth/verify-email', { data: { hash }, headers })
  if (!answer.ok()) throw new Error(`confirmation: ${await answer.text()}`)
  await giveBirthDate(email, dataDir)
}

/** Adds the birth date that deposits need. */
export const giveBirthDate = (email: string, dataDir?: string) =>
  withServerDatabase(
    (db) =>
      sql`update users set date_of_birth = date '1930-01-01' + (id % 25000)::int
      where email = ${email} and date_of_birth is null`.execute(db),
    dataDir,
  )

/** Completes the profile of the signed-in trader through the API. */
export async function completeProfile(page: Page): Promise<void> {
  const headers = { authorization: `Bearer ${(await rootOf(page)).state.auth.tokens!.access.token}` }
  const place = { address: '12 St James’s Square', city: 'London', state: 'England', country: 'United Kingdom' }
  const data = { firstname: 'Ada', lastname: 'Byron', gender: 'female', date_of_birth: '1985-12-10', ...place }
  const answer = await page.request.patch('/api/users', { headers, data })
  if (!answer.ok()) throw new Error(`profile: ${await answer.text()}`)
}

/** Answers as an installation that has credited and paid enough to say how soon. */
export const measureTimes = (page: Page): Promise<unknown> =>
  page.route('**/api/public/figures', async (route) => {
    const { data } = (await (await route.fetch()).json()) as Reply<'GET /public/figures'>
    const deposits = { credited: 12_345, median_ms: 2_500_000 }
    const withdrawals = { paid: 1_234, median_ms: 24_600_000 }
    await route.fulfill({ json: { status: true, data: { ...data, deposits, withdrawals } } })
  })
