import { randomUUID } from 'node:crypto'
import { confirmEmail, fund } from '../support/cashier.ts'
import { approveItem, askDesk, operatorIn } from '../support/desk.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { photo } from '../support/pictures.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { balanceShown } from '../support/trading.ts'

const name = () => `${randomUUID().slice(0, 13)}@desk.example`

async function expectGoodEverywhere(desk: Page, shot: string): Promise<void> {
  for (const width of [390, 1000, 1366, 1440]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/${shot}-${width}.png` })
  }
  await expectAccessible(desk)
}

test('a deposit is reversed by two operators: one proposes on the deposit, another approves in the queue', async ({
  page,
  browser,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await fund(email, 500)
  await page.goto('/user/home')
  await expect.poll(() => balanceShown(page)).toBe('$500.00')
  const proposer = await operatorIn(browser, name(), 'finance')
  const decider = await operatorIn(browser, name(), 'finance')

  await proposer.goto('/desk/deposits')
  const deposits = proposer.getByRole('region', { name: 'Deposits' })
  await deposits.getByRole('radio', { name: 'Approved', exact: true }).check()
  await deposits.getByRole('button', { name: email }).click()
  await proposer.getByRole('button', { name: 'Propose a reversal' }).click()
  await proposer.getByRole('button', { name: 'Propose', exact: true }).click()
  await expect(proposer.getByText('Reason must not be empty')).toBeVisible()
  await expectGoodEverywhere(proposer, 'reversal-form')
  await proposer.getByLabel('Amount', { exact: true }).fill('120.50')
  await proposer.getByLabel('Reference', { exact: true }).fill(`chargeback-${randomUUID()}`)
  await proposer.getByLabel('Reason', { exact: true }).fill('The bank took the payment back.')
  await proposer.getByRole('button', { name: 'Propose $120.50', exact: true }).click()
  await expect(proposer.getByText('Proposed. Another finance operator decides.').first()).toBeVisible()

  const openReversal = async (desk: Page) => {
    await desk.goto('/desk/reversals')
    await desk.getByRole('region', { name: 'Reversals' }).getByRole('button', { name: email }).click()
  }
  await openReversal(proposer)
  await expect(proposer.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()
  await expect(proposer.getByRole('button', { name: /^(Approve|Reject)/ })).toHaveCount(0)
  expect(await balanceShown(page)).toBe('$500.00')

  await openReversal(decider)
  await expectGoodEverywhere(decider, 'reversals')
  await approveItem(decider)
  await expect(decider.getByText(`$120.50 of the deposit of ${email} was reversed.`)).toBeVisible()
  await expect.poll(() => balanceShown(page)).toBe('$379.50')
  await Promise.all([proposer.context().close(), decider.context().close()])
})

test('identity checks can be filtered by what they prove', async ({ page, browser }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const sent = await page.request.post('/api/profile/address-verification', {
    headers: { authorization: `Bearer ${token}` },
    multipart: { method: 'utility_bill', file: await photo() },
  })
  expect(sent.ok(), await sent.text()).toBe(true)
  const ask = await askDesk(page.request, 'compliance')
  const { data } = (await ask('GET', `/users?q=${encodeURIComponent(email)}`)) as { data: { id: string }[] }
  const desk = await operatorIn(browser, name(), 'compliance')
  await desk.goto(`/desk/identity-checks?user=${data[0]!.id}`)
  const list = desk.getByRole('region', { name: 'Identity checks' })
  const row = list.getByRole('button', { name: email })
  await list.getByRole('radio', { name: 'Address' }).check()
  await expect(row).toBeVisible()
  await list.getByRole('radio', { name: 'Identity' }).check()
  await expect(row).toHaveCount(0)
  await list.getByRole('radio', { name: 'Kind: all' }).check()
  await expect(row).toBeVisible()
  await expectGoodEverywhere(desk, 'identity-checks')

  const loaded = Promise.withResolvers<void>()
  await desk.route('**/identity-checks/*/file', async (route) => {
    await loaded.promise
    await route.continue()
  })
  await row.click()
  const reject = desk.getByRole('button', { name: /^Reject/ })
  const before = await reject.boundingBox()
  if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/picture-loading.png` })
  loaded.resolve()
  await expect(desk.getByRole('img', { name: /^Proof of address of/ })).toHaveJSProperty('complete', true)
  expect(await reject.boundingBox(), 'the picture moves no button').toEqual(before)
  if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/picture-loaded.png` })
  await desk.context().close()
})
