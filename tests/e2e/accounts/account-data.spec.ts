import { readFileSync } from 'node:fs'
import { textOfPdf } from '#tests/support/pdf-text.ts'
import { signedIn } from '../support/people.ts'
import { errorsOn, expect, expectAccessible, test } from '../support/test.ts'

test('a trader downloads everything that is stored about them, with their password', async ({ page, trouble }) => {
  trouble.expect('answered 422: POST /api/users/export')
  const { email, password } = await signedIn(page)
  await page.goto('/user/account')
  await page.getByRole('button', { name: 'Download my data' }).click()
  const dialog = page.getByRole('dialog', { name: 'Download my data' })
  await expectAccessible(page)
  await dialog.getByLabel('Password', { exact: true }).fill('not my password')
  await dialog.getByRole('button', { name: 'Download', exact: true }).click()
  await expect.poll(async () => (await errorsOn(page)).length).toBeGreaterThan(0)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('radio', { name: 'JSON' }).check()
  const saved = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download', exact: true }).click()
  const download = await saved
  expect(download.suggestedFilename()).toMatch(/^account-data-\d{4}-\d\d-\d\d\.json$/)
  const data = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(data.users).toMatchObject([{ email }])
  expect(data.accounts).toHaveLength(2)
  await expect(dialog).toBeHidden()

  await page.getByRole('button', { name: 'Download my data' }).click()
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('radio', { name: 'PDF' }).check()
  const alsoSaved = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download', exact: true }).click()
  const readable = await alsoSaved
  expect(readable.suggestedFilename()).toMatch(/^account-data-\d{4}-\d\d-\d\d\.pdf$/)
  expect(textOfPdf(readFileSync(await readable.path())).text.replaceAll('\n', '')).toContain(email)
})
