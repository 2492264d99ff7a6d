import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { transactionId } from '#tests/support/transaction-id.ts'
import { approveIdentity, confirmEmail, fund } from '../support/cashier.ts'
import { operatorIn } from '../support/desk.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

const ETH = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/** Requests a withdrawal to the wallet through the API. Returns its id. */
async function request(page: Page, amount: number): Promise<string> {
  const token = (await rootOf(page)).state.auth.tokens!.access.token
  const answer = await page.request.post('/api/withdraw', {
    headers: { authorization: `Bearer ${token}` },
    data: { amount, wallet: ETH },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
  return ((await answer.json()) as { data: { withdraw_id: string } }).data.withdraw_id
}

test('approved withdrawals are paid from one file, and one that was not sent is taken out', async ({
  page,
  browser,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await approveIdentity(email)
  await fund(email, 300)
  const ids = [await request(page, 100), await request(page, 200)]

  const desk = await operatorIn(browser, `finance-${randomUUID().slice(0, 8)}@desk.example`, 'finance')
  const press = async (name: string) => {
    const answered = desk.waitForResponse((response) => response.request().method() === 'POST')
    await desk.getByRole('button', { name, exact: true }).click()
    await answered
  }
  for (const id of ids) {
    await desk.goto(`/desk/withdrawals/${id}`)
    await desk.getByRole('button', { name: 'Approve', exact: true }).click()
    await press('Approve')
    await expect(desk.locator('[aria-current=step]')).toHaveText('Fix the amount in ETH')
  }

  await desk.getByRole('link', { name: 'Payout batches' }).click()
  await desk.getByRole('button', { name: 'Create a batch' }).click()
  const row = (id: string) => desk.getByRole('row').filter({ hasText: id })
  for (const id of ids) await expect(row(id)).toContainText('Unpaid')
  for (const width of [320, 390, 1000, 1366, 1920]) {
    await desk.setViewportSize({ width, height: width < 400 ? 844 : 900 })
    await expectNoSidewaysScroll(desk)
    await expectAccessible(desk)
    if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/payouts-${width}.png`, fullPage: true })
  }
  await desk.setViewportSize({ width: 1366, height: 900 })

  const downloads = desk.waitForEvent('download')
  await desk.getByRole('button', { name: 'Download the file' }).click()
  const file = await readFile(await (await downloads).path(), 'utf8')
  expect(file).toMatch(new RegExp(`^address,amount,reference\r\n(${ETH},0\\.\\d{8},(${ids.join('|')})\r\n){2}$`))

  await desk.goto(`/desk/withdrawals/${ids[0]}`)
  await expect(desk.getByText("It's in a payout batch.")).toBeVisible()
  await expect(desk.getByRole('button', { name: 'Mark as paid' })).toBeHidden()
  await desk.getByRole('link', { name: 'Payout batches' }).click()

  await desk.getByRole('button', { name: `Take out ${ids[0]}` }).click()
  await press('Not sent: take out')
  await expect(row(ids[0]!)).toContainText('Taken out')
  const transactions = desk.getByRole('textbox', { name: 'Transaction ID' })
  await transactions.fill(`${ids[0]}, ${transactionId('ETH')}`)
  await desk.getByRole('button', { name: 'Mark as paid' }).click()
  await expect(transactions).toHaveAccessibleDescription(/isn't an unpaid withdrawal of this batch/)
  const reference = transactionId('ETH')
  await transactions.fill(reference)
  await press('Mark as paid')
  await expect(desk.getByText('The batch is paid.')).toBeVisible()
  // The list of a paid batch is closed.
  await expect(desk.getByText(/to be paid$/)).toHaveCount(0)
  await desk.getByText('2 withdrawals', { exact: true }).click()
  await expect(row(ids[1]!)).toContainText('Paid')

  await page.goto('/user/withdraw-log')
  await expect(page.getByRole('main').getByText('Processing').first()).toBeVisible()
  await expect(page.getByRole('main').getByText('Paid').first()).toBeVisible()
  await desk.context().close()
})
