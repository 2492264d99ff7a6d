import { confirmEmail } from '../support/cashier.ts'
import { signedIn } from '../support/people.ts'
import { photo } from '../support/pictures.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

const WIDTHS = [390, 1000, 1366, 1920]

async function look(page: Page, name: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png` })
  }
  await page.setViewportSize({ width: 1366, height: 900 })
}

test('an interrupted deposit is found again after a reload, in another tab and from its badge', async ({
  page,
  context,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await page.setViewportSize({ width: 1366, height: 900 })
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: /^Card or Bitcoin wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Deposit by card or Bitcoin' })
  await dialog.getByLabel('Amount', { exact: true }).fill('250')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByRole('timer')).toHaveText(/^1[45]:\d\d$|^15 min/)
  const coins = await dialog
    .locator('code')
    .filter({ hasText: /^0\.\d+$/ })
    .textContent()
  await expectAccessible(page)
  await look(page, 'deposit-pay')

  await page.reload()
  await expect(dialog.getByText(coins!, { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  const card = page.getByRole('heading', { name: 'Awaiting payment' })
  await expect(card).toBeVisible()
  await expectAccessible(page)
  await look(page, 'deposit-open')

  await page.goto('/user/home')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deposit 1 in progress' }).click()
  const other = await context.newPage()
  await other.goto('/user/deposit')
  for (const tab of [page, other]) {
    await tab.getByRole('button', { name: 'Continue' }).click()
    await expect(tab.getByRole('dialog').getByText(coins!, { exact: true })).toBeVisible()
    await tab.getByLabel('Receipt').setInputFiles(await photo('receipt.png'))
  }
  await dialog.getByRole('button', { name: 'Request' }).click()
  await expect(dialog).toBeHidden()
  await expect(card).toBeHidden()
  await expect(page.getByRole('heading', { name: 'In progress' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: /^Receipt uploaded\d/ })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Deposit 1 in progress' })).toBeVisible()
  await expectAccessible(page)
  await look(page, 'deposit-under-way')

  // The stream has closed the request in the other tab as well.
  await expect(other.getByRole('heading', { name: 'Awaiting payment' })).toBeHidden()
  await other.close()
  await page.goto('/user/deposit-log')
  await expect(page.getByRole('main').getByText('$250.00')).toHaveCount(1)
})
