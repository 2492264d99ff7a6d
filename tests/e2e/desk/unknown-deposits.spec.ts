import { randomUUID } from 'node:crypto'
import { transactionId } from '#tests/support/transaction-id.ts'
import { confirmEmail } from '../support/cashier.ts'
import { openQueue, operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

test('coins without a request are recorded, assigned by one operator and credited by another', async ({
  page,
  browser,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  const name = () => `${randomUUID().slice(0, 13)}@desk.example`
  const desk = await operatorIn(browser, name(), 'finance')
  await openQueue(desk, 'unknown-deposits')
  await desk.getByRole('button', { name: 'Record coins without a request' }).click()
  const form = desk.getByRole('dialog')
  const transaction = transactionId()
  const local = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
  await form.getByLabel('Transaction ID').fill(transaction)
  await form.getByLabel('Arrived at address').fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
  await form.getByLabel('Coins received').fill('1e3')
  await expect(form.getByText('must be a number such as 12.5')).toBeVisible()
  await form.getByLabel('Coins received').fill('0.001')
  await form.getByLabel('Arrived at', { exact: true }).fill(local)
  if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/record.png` })
  await form.getByRole('button', { name: 'Record' }).click()
  const row = desk.getByRole('listitem').filter({ hasText: transaction.slice(0, 20) })
  await row.getByRole('button').click()
  const detail = desk.getByRole('region', { name: 'Selected unknown deposit' })
  await expect(detail).toContainText('0.001')
  for (const width of [390, 1000, 1366, 1920]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    await expectAccessible(desk)
    if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/unknown-${width}.png` })
  }
  await detail.getByRole('button', { name: /^Assign to a trader/ }).click()
  await detail.getByLabel('Address or number of the trader').fill(email)
  await detail.getByRole('button', { name: 'Assign to a trader' }).click()
  await desk.getByRole('group', { name: 'Status' }).getByText('Assigned', { exact: true }).click()
  await row.getByRole('button').click()
  const worth = await detail
    .getByText(/^\$[\d,.]+$/)
    .first()
    .textContent()
  if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/unknown-assigned.png` })

  const second = await operatorIn(browser, name(), 'finance')
  await second.goto('/desk/deposits')
  await second.getByRole('listitem').filter({ hasText: email }).getByRole('button').click()
  const theirs = second.getByRole('region', { name: 'Selected deposit' })
  await expect(theirs).toContainText('Assigned by an operator')
  await theirs.getByRole('button', { name: /^Approve/ }).click()
  await theirs.getByLabel('US dollars received').fill(worth!.replace(/[$,]/g, ''))
  await theirs.getByRole('button', { name: 'Continue' }).click()
  await theirs.getByRole('button', { name: /^Credit/ }).click()
  await expect(second.getByText(new RegExp(`was credited to ${email}`))).toBeVisible()
  await desk.context().close()
  await second.context().close()
})
