import { randomUUID } from 'node:crypto'
import { sql } from '#server/platform/database/db.ts'
import { operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { withServerDatabase } from '../support/servers/database.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

test('an account on hold is decided in its queue: kept by one, lifted by two', async ({ page, browser }) => {
  const { email } = await signedIn(page)
  const excluded = await (await browser.newContext()).newPage()
  const { email: other } = await signedIn(excluded)
  await excluded.context().close()
  // The rows that a self-exclusion writes for two accounts of one person.
  await withServerDatabase((db) =>
    sql`
      with own as (
        insert into exclusions (user_id, kind, ends_at, email_key, name_key)
        select id, 'exclusion', null, email, 'ada byron' from users where email = ${other} returning id, email_key
      )
      insert into exclusions (user_id, kind, ends_at, carried_from, email_key, name_key)
      select u.id, 'exclusion', null, own.id, own.email_key, 'ada byron' from own, users u where u.email = ${email}`.execute(
      db,
    ),
  )
  const name = () => `${randomUUID().slice(0, 13)}@desk.example`
  const desk = await operatorIn(browser, name(), 'compliance')
  const item = desk
    .getByRole('region', { name: /^Inbox/ })
    .getByRole('listitem')
    .filter({ hasText: email })
  await item.getByRole('link', { name: 'Exclusion match' }).click()
  const detail = desk.getByRole('region', { name: 'Selected exclusion match' })
  await expect(detail).toContainText(other)
  await expect(detail).toContainText('Same e-mail address')
  await detail.getByRole('button', { name: /^Another person/ }).click()
  await detail.getByLabel("Why they're different people").fill('Their IDs differ.')
  await detail.getByRole('button', { name: 'Another person' }).click()
  await expect(detail.getByText('You proposed to lift this.')).toBeVisible()
  for (const width of [390, 1000, 1366, 1920]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    await expectAccessible(desk)
    if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/match-${width}.png` })
  }

  const second = await operatorIn(browser, name(), 'compliance')
  await second.goto(new URL(desk.url()).pathname)
  const theirs = second.getByRole('region', { name: 'Selected exclusion match' })
  await theirs.getByRole('button', { name: /^Reject/ }).click()
  await theirs.getByLabel('Reason').fill('They are the same.')
  await theirs.getByRole('button', { name: 'Reject' }).click()
  await theirs.getByRole('button', { name: /^Same person/ }).click()
  await theirs.getByLabel('How you know').fill('The same passport.')
  await theirs.getByRole('button', { name: 'Same person' }).click()
  await second.getByRole('group', { name: 'Status' }).getByText('Kept', { exact: true }).click()
  await expect(second.getByRole('listitem').filter({ hasText: email })).toBeVisible()
  await desk.context().close()
  await second.context().close()
})
