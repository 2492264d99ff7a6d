import { randomUUID } from 'node:crypto'
import type { Trade } from '#contract/trading/trading.ts'
import { confirmEmail, enterArrivals } from '../support/cashier.ts'
import { operatorIn } from '../support/desk.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { photo } from '../support/pictures.ts'
import { expect, expectAccessible, type Page, test } from '../support/test.ts'
import { balanceShown, place } from '../support/trading.ts'

const tokenOf = async (page: Page) => (await rootOf(page)).state.auth.tokens!.access.token

test('a stake typed with a comma is the stake that is shown, announced and placed', async ({ page }) => {
  // A low screen: the panel ends right below the field.
  await page.setViewportSize({ width: 1366, height: 768 })
  await signedIn(page)
  await page.goto('/user/home')
  const buy = page.getByRole('button', { name: /^Buy pays/ })
  await expect(buy).toBeEnabled()
  const amount = page.getByRole('spinbutton', { name: 'Amount' })
  await amount.click()
  await page.keyboard.type('12,50')
  await expect(amount).toHaveValue('12,50')
  await expect(amount).toHaveAttribute('aria-valuenow', '12.5')
  await expect(amount).toHaveAttribute('aria-valuemin', '1')
  await expect(amount).toHaveAttribute('aria-valuemax', '10000')
  await expect(buy).toHaveAccessibleName(/ for \$12\.50$/)
  await amount.press('ArrowUp')
  await expect(amount).toHaveValue('132.5')
  await amount.press('ArrowDown')
  await amount.fill('1,500')
  await expect(amount).not.toHaveAttribute('aria-valuenow')
  await expect(buy).toHaveAttribute('aria-disabled', 'true')
  const message = page.getByText('Amount can mean thousands or decimals. Write 1500 or 1,500.00')
  await expect(message).toBeInViewport({ ratio: 1 })
  await amount.fill('1.234,5')
  await expect(buy).toHaveAccessibleName(/ for \$1,234\.50$/)
  await place(page, 'Buy')
  await expect.poll(() => balanceShown(page)).toBe('$8,765.50')
  const answer = await page.request.get('/api/trading?mode=demo', {
    headers: { authorization: `Bearer ${await tokenOf(page)}` },
  })
  expect(((await answer.json()) as { data: Trade[] }).data.map((trade) => trade.amount)).toEqual([1234.5])
})

test('an operator who types 9,50 credits $9.50, and an odd amount is asked for again', async ({ page, browser }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await page.goto('/user/home')
  const submitted = await page.request.post('/api/deposit', {
    headers: { authorization: `Bearer ${await tokenOf(page)}` },
    multipart: { usd_amount: '9.50', currency: 'BTC', receipt: await photo('receipt.png') },
  })
  expect(submitted.ok(), await submitted.text()).toBe(true)
  const desk = await operatorIn(browser, `ann-${randomUUID()}@example.com`, 'finance')
  const sent: unknown[] = []
  desk.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/approve')) sent.push(request.postDataJSON())
  })
  await enterArrivals(email)
  await desk.goto('/desk/deposits')
  await desk.getByRole('region', { name: 'Deposits' }).getByRole('button', { name: email }).click()
  const item = desk.getByRole('region', { name: 'Selected deposit' })
  await item.getByRole('button', { name: 'Approve', exact: true }).click()
  const received = desk.getByLabel('US dollars received', { exact: true })

  await received.fill('1e3')
  await received.press('Enter')
  await expect(item.getByRole('alert')).toContainText('US dollars received must be an amount such as 12.50')
  await received.fill('950')
  await item.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(item.getByRole('alert')).toContainText('$950.00 is more than twice the submitted amount of $9.50.')
  await expect(received).toHaveValue('')
  await expectAccessible(desk)
  await received.fill('9,50')
  await received.press('Enter')
  await expect(item.getByText(`Credit $9.50 to`)).toContainText(`${email}`)
  expect(sent).toEqual([])
  await item.getByRole('button', { name: 'Credit $9.50', exact: true }).click()
  await expect(desk.getByText(`$9.50 was credited to ${email}.`)).toBeVisible()
  expect(sent).toEqual([{ amount: 9.5 }])
  await expect.poll(() => balanceShown(page)).toBe('$9.50')

  await page.goto('/user/withdraw-fund')
  await page.getByRole('button', { name: /^Crypto wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw to Crypto Wallet' })
  await dialog.getByLabel('Amount', { exact: true }).fill('1,50')
  await expect(dialog.getByText('After this $8.00')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Review $1.50', exact: true })).toBeVisible()
  await desk.context().close()
})

test('a deposit typed in another country’s way is the amount that is asked for', async ({ page }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: /^Ethereum/ }).click()
  const dialog = page.getByRole('dialog')
  const amount = dialog.getByLabel('Amount', { exact: true })
  await amount.fill('1.500')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText('Amount can mean thousands or decimals. Write 1500 or 1,500.00')).toBeVisible()
  await amount.fill('1.500,00')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText('$1,500.00')).toBeVisible()
})
