import { randomUUID } from 'node:crypto'
import { transactionId } from '#tests/support/transaction-id.ts'
import { approveIdentity, confirmEmail, fund, sendWithdrawal } from '../support/cashier.ts'
import { operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

const WALLET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

test('a withdrawal in coins is approved, fixed, paid with its transaction, and shown to the trader', async ({
  page,
  browser,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await approveIdentity(email)
  await fund(email, 250)

  await page.goto('/user/withdraw-fund')
  await page.getByRole('button', { name: /^Crypto wallet/ }).click()
  const form = page.getByRole('dialog', { name: 'Withdraw to Crypto Wallet' })
  await form.getByLabel('Amount', { exact: true }).fill('250')
  await form.getByLabel('Wallet', { exact: true }).fill(WALLET)
  await sendWithdrawal(form)
  await expect(form).toBeHidden()

  const desk = await operatorIn(browser, `finance-${randomUUID().slice(0, 8)}@desk.example`, 'finance')
  const press = async (name: string) => {
    const answered = desk.waitForResponse((response) => response.request().method() === 'POST')
    await desk.getByRole('button', { name, exact: true }).click()
    await answered
  }
  await desk.goto('/desk/withdrawals')
  await desk.getByRole('region', { name: 'Withdrawals' }).getByRole('button', { name: email }).click()
  await desk.getByRole('button', { name: 'Approve', exact: true }).click()
  await press('Approve')
  const step = desk.locator('[aria-current=step]')
  await expect(step).toHaveText('Fix the amount in BTC')
  await press('Fix the amount in BTC')
  await expect(step).toHaveText(/^Pay 0\.\d+ BTC to the address below$/)
  const sent = /0\.\d+/.exec((await step.textContent()) ?? '')![0]
  await expect(desk.getByText('Send exactly', { exact: true })).toBeVisible()
  await expect(desk.getByRole('button', { name: 'Renew the rate' })).toBeHidden()
  await expectAccessible(desk)
  await shot(desk, 'desk-coins')

  const reference = transactionId()
  await desk.getByRole('button', { name: 'Mark as paid', exact: true }).click()
  await desk.getByLabel('Transaction ID', { exact: true }).fill('wire 42')
  await press('Mark as paid')
  await expect(desk.getByRole('alert').filter({ hasText: "isn't a Bitcoin transaction ID" })).toBeVisible()
  await desk.getByLabel('Transaction ID', { exact: true }).fill(reference)
  await press('Mark as paid')
  await expect(desk.getByText(`$250.00 to ${email} is marked as paid.`)).toBeVisible()

  await page.goto('/user/withdraw-log')
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Details of/ })
    .first()
    .click()
  const details = page.getByRole('dialog', { name: 'Withdrawal' })
  for (const text of [`${sent} BTC`, reference, 'None']) await expect(details.getByText(text).first()).toBeVisible()
  await expect(details.getByRole('listitem').filter({ hasText: /^(Requested|Approved|Paid)\d/ })).toHaveCount(3)
  await expectAccessible(page)
  for (const width of [390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await expectNoSidewaysScroll(page)
    await shot(page, `withdrawal-${width}`)
  }
  await desk.context().close()
})

const shot = async (page: { screenshot(options: { path: string }): Promise<unknown> }, name: string) => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` })
}
