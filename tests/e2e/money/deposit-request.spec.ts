import { randomUUID } from 'node:crypto'
import { transactionId } from '#tests/support/transaction-id.ts'
import { confirmEmail, measureTimes } from '../support/cashier.ts'
import { operatorIn } from '../support/desk.ts'
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

/** Returns the time of the browser as `datetime-local` takes it. */
const localNow = () => {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

test('an interrupted deposit is found again after a reload, in another tab and from its badge', async ({
  page,
  context,
  browser,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await measureTimes(page)
  const took = 'Of 12,345 deposits credited in the last 30 days, half took 42 min or less.'
  await page.setViewportSize({ width: 1366, height: 900 })
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: /Bitcoin wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: /Deposit( by card or)? Bitcoin/ })
  await dialog.getByLabel('Amount', { exact: true }).fill('250')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByRole('timer')).toHaveText(/^1[45]:\d\d$|^15 min/)
  const coins = await dialog
    .locator('code')
    .filter({ hasText: /^0\.\d+$/ })
    .textContent()
  await expect(dialog.getByText(took)).toBeVisible()
  await expectAccessible(page)
  // From a laptop on, everything is in view at once: what to send on the left, what to upload on the right.
  await expect(dialog.getByRole('button', { name: 'Request' })).toBeInViewport({ ratio: 1 })
  await expect(dialog.getByRole('heading', { name: /^Deposit/ })).toBeInViewport({ ratio: 1 })
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
  await expect(page.getByText(took)).toBeVisible()
  await expectAccessible(page)
  await look(page, 'deposit-under-way')

  // The stream has closed the request in the other tab as well.
  await expect(other.getByRole('heading', { name: 'Awaiting payment' })).toBeHidden()
  await other.close()
  await page.goto('/user/deposit-log')
  await expect(page.getByRole('main').getByText('$250.00')).toHaveCount(1)

  // An operator reads from the blockchain what arrived, and credits that.
  const desk = await operatorIn(browser, `finance-${randomUUID().slice(0, 8)}@desk.example`, 'finance')
  await desk.goto('/desk/deposits')
  await desk.getByRole('region', { name: 'Deposits' }).getByRole('button', { name: email }).click()
  await desk.getByRole('button', { name: 'Enter what arrived' }).click()
  const reference = transactionId()
  await desk.getByLabel('Transaction ID', { exact: true }).fill(reference)
  await desk.getByLabel('Coins received', { exact: true }).fill(coins!)
  await desk.getByLabel('Arrived at', { exact: true }).fill(await desk.evaluate(localNow))
  await desk.getByRole('button', { name: 'Look up its value' }).click()
  await expect(desk.getByText(reference)).toBeVisible()
  await expect(desk.getByText(/USD, of the request$/)).toBeVisible()
  await expectAccessible(desk)
  if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/desk-arrival.png`, fullPage: true })
  await desk.getByRole('button', { name: 'Approve', exact: true }).click()
  await desk.getByLabel('US dollars received', { exact: true }).fill('250')
  await desk.getByRole('button', { name: 'Continue', exact: true }).click()
  await desk.getByRole('button', { name: 'Credit $250.00', exact: true }).click()
  await expect(desk.getByText(`$250.00 was credited to ${email}.`)).toBeVisible()
  await desk.context().close()

  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deposit', exact: true }),
  ).toBeVisible()
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Details of/ })
    .click()
  const details = page.getByRole('dialog', { name: 'Deposit' })
  await expect(details.getByText(reference)).toBeVisible()
  await expect(details.getByRole('listitem').filter({ hasText: /^Checked and credited\d/ })).toBeVisible()
  await look(page, 'deposit-details')
})
