import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

test('a trader chooses where notifications go, except for those that warn them', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/home')
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Settings' }).click()
  await expect(page).toHaveURL('/user/notifications')
  const choice = (name: string) => page.getByRole('checkbox', { name, exact: true })
  await expect(choice('Alerts: E-mail')).not.toBeChecked()
  const saved = page.waitForResponse(
    (reply) => reply.url().endsWith('/api/notices/preferences') && reply.request().method() === 'PATCH',
  )
  await choice('Alerts: E-mail').check()
  expect((await saved).status()).toBe(200)
  await choice('Trade settled: In the app').check()
  await expect(choice('Security: E-mail, always on')).toBeDisabled()
  await expect(choice('Withdrawals: E-mail, always on')).toBeDisabled()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.reload()
  await expect(choice('Alerts: E-mail')).toBeChecked()
  await expect(choice('Trade settled: In the app')).toBeChecked()
  await expect(choice('Trade settled: Push')).not.toBeChecked()
})
