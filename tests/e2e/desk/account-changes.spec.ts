import { randomUUID } from 'node:crypto'
import { sql } from '#server/platform/database/db.ts'
import { approveIdentity, confirmEmail } from '../support/cashier.ts'
import { approveItem, operatorIn } from '../support/desk.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { withServerDatabase } from '../support/servers/database.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test, typeInto } from '../support/test.ts'

const name = (who: string) => `${who}-${randomUUID().slice(0, 8)}@desk.example`

test('a lock of another role is lifted by two', async ({ page, browser }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await approveIdentity(email)
  const id = (await rootOf(page)).state.auth.user_data!.id
  const [compliance, risk] = [
    await operatorIn(browser, name('ann'), 'compliance'),
    await operatorIn(browser, name('bob'), 'risk'),
  ]
  await compliance.goto(`/desk/users/${id}`)
  await compliance.getByLabel('Deposits: no new deposits').check()
  await compliance.getByLabel('Reason', { exact: true }).fill('Someone else may own the wallet.')
  await compliance.getByRole('button', { name: 'Change the locks' }).click()
  await expect(compliance.getByText(`The locks of ${email} were changed.`)).toBeVisible()

  await risk.goto(`/desk/users/${id}`)
  await risk.getByLabel('Deposits: no new deposits').uncheck()
  await expect(risk.getByText('Another role set this lock. A second operator decides.')).toBeVisible()
  await risk.getByLabel('Reason', { exact: true }).fill('The wallet is theirs.')
  await risk.getByRole('button', { name: 'Propose to unlock' }).click()
  await expect(risk.getByText('Proposed. Another operator decides in Account changes.')).toBeVisible()

  await compliance.goto('/desk/account-changes')
  await compliance.getByText(email).first().click()
  const item = compliance.getByRole('region', { name: 'Selected account change' })
  await expect(item.getByText('Unlock deposits')).toBeVisible()
  await expectAccessible(compliance)
  for (const width of [390, 1366]) {
    await compliance.setViewportSize({ width, height: 800 })
    await expectNoSidewaysScroll(compliance)
  }
  await approveItem(item)
  await expect(compliance.getByText(`Approved: unlock deposits for ${email}.`)).toBeVisible()
  await Promise.all([compliance.context().close(), risk.context().close()])
})

test('an operator sees their sessions and can change their password', async ({ browser }) => {
  const desk = await operatorIn(browser, name('eve'), 'support')
  await desk.getByRole('link', { name: /^eve-/ }).click()
  await expect(desk.getByRole('heading', { name: 'My account' })).toBeVisible()
  await expect(desk.getByText('This session')).toBeVisible()
  await expectAccessible(desk)
  for (const width of [390, 1366]) {
    await desk.setViewportSize({ width, height: 800 })
    await expectNoSidewaysScroll(desk)
  }
  await desk.getByRole('button', { name: 'Change password' }).click()
  await expect(desk.getByText('Current password must not be empty')).toBeVisible()
  await desk.context().close()
})

test('a deposit without a birth date opens Edit profile at that field', async ({ page, trouble }) => {
  trouble.allow(/^answered 422: POST \/api\/deposit\/requests/)
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await withServerDatabase((db) => sql`update users set date_of_birth = null where email = ${email}`.execute(db))
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: /Bitcoin wallet/ }).click()
  await typeInto(page, 'Amount', '250')
  await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).click()
  await expect(page).toHaveURL(/edit-profile/)
  await expect(page.getByText(/Date of birth is required before your first deposit/).last()).toBeVisible()
  await expect(page.getByLabel('Date of birth')).toBeFocused()
})
