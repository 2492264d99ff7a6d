import { randomUUID } from 'node:crypto'
import { approveItem, operatorIn } from '../support/desk.ts'
import { mailTo } from '../support/people.ts'
import { expect, type Page, test } from '../support/test.ts'

test('an operator is invited by two admins: one proposes, another approves, and the link goes to the invitee', async ({
  browser,
  page,
}) => {
  const run = randomUUID().slice(0, 8)
  const invitee = `invitee-${run}@desk.example`
  const first = await operatorIn(browser, `first-${run}@desk.example`, 'admin')
  const second = await operatorIn(browser, `second-${run}@desk.example`, 'admin')
  for (const admin of [first, second]) await admin.goto('/desk/operators')

  await first.getByRole('button', { name: 'Invite an operator' }).click()
  await first.getByLabel('Email', { exact: true }).fill(invitee)
  await first.getByRole('checkbox', { name: /^finance/ }).check()
  await first.getByRole('button', { name: 'Propose the invitation' }).click()
  const cardOf = (admin: Page) =>
    admin.locator('section').filter({ has: admin.getByRole('heading', { name: `Invite ${invitee}` }) })
  const mine = cardOf(first)
  await expect(mine).toContainText('You proposed this. Ask another admin to decide.')
  await expect(mine.getByRole('button', { name: 'Approve' })).toHaveCount(0)

  const theirs = cardOf(second)
  await approveItem(theirs)
  await expect(second.getByText(`The invitation was e-mailed to ${invitee}.`)).toBeVisible()
  await expect(theirs).toHaveCount(0)

  const mail = await mailTo(page, invitee, /Join the/)
  await page.goto(new URL(mail.links[0]!).pathname + new URL(mail.links[0]!).search)
  await expect(page.getByRole('heading', { name: 'Join the desk' })).toBeVisible()
})
