import { randomUUID } from 'node:crypto'
import { confirmEmail, enterArrivals, fund } from '../support/cashier.ts'
import { approveItem, findUser, openQueue, operatorIn } from '../support/desk.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { photo } from '../support/pictures.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { balanceShown, chooseSymbol, place, setOrder } from '../support/trading.ts'

const name = (who: string) => `${who}-${randomUUID().slice(0, 8)}@desk.example`

/** Checks the desk's screen at a desktop's and a phone's width. */
async function expectGoodEverywhere(desk: Page): Promise<void> {
  for (const width of [390, 1440]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    await expectAccessible(desk)
  }
}

/** Goes to a page of the desk through its navigation. */
const goTo = (desk: Page, place: string) =>
  desk
    .getByRole('navigation', { name: 'Desk' })
    .getByRole('link', { name: new RegExp(`^${place}`) })
    .click()

/** Opens a user's page at the desk through the search. */
async function openUser(desk: Page, email: string): Promise<void> {
  await goTo(desk, 'Users')
  await findUser(desk, email)
  await expect(desk.getByRole('heading', { level: 1, name: email })).toBeVisible()
}

async function openAdjustment(desk: Page, email: string, figure: string, status = 'Pending'): Promise<void> {
  await openQueue(desk, 'adjustments')
  const list = desk.getByRole('region', { name: 'Adjustments' })
  await list.getByRole('radio', { name: status, exact: true }).check()
  await list.getByRole('button', { name: email }).filter({ hasText: figure }).click()
}

/** Expects exactly these audit rows about an item, newest first: who, what, why. */
async function expectAudit(desk: Page, kind: string, id: string, entries: string[][]): Promise<void> {
  await goTo(desk, 'Audit log')
  await desk.getByLabel('Item').fill(id)
  const rows = desk.getByRole('row').filter({ hasText: `${kind} ${id}` })
  const texts = () =>
    rows.evaluateAll((all) =>
      all.map((row) => {
        const cells = [...row.children].map((cell) => cell.textContent ?? '')
        return [cells[2]!, cells[3]!, cells[5]!]
      }),
    )
  // The list reloads for the item, and may show only some of its rows before.
  await expect.poll(texts).toEqual(entries)
}

/** Expects a notification in the trader's bell. */
async function expectNotice(page: Page, title: string, text: string): Promise<void> {
  await page.getByRole('button', { name: /^Notifications/ }).click()
  const notices = page.getByRole('dialog', { name: 'Notifications' })
  await expect(notices.getByText(title).first()).toBeVisible()
  await expect(notices.getByText(text).first()).toBeVisible()
  await page.keyboard.press('Escape')
}

test('an adjustment is proposed by one and decided by another', async ({ page, browser }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await page.goto('/user/home')
  const [ann, bob] = [name('ann'), name('bob')]
  const proposer = await operatorIn(browser, ann, 'finance')
  const decider = await operatorIn(browser, bob, 'finance,auditor')

  const propose = async (amount: string, reason: string) => {
    await openUser(proposer, email)
    await proposer.getByRole('button', { name: 'Propose an adjustment' }).click()
    await proposer.getByLabel('Amount', { exact: true }).fill(amount)
    await proposer.getByLabel('Reason', { exact: true }).fill(reason)
    await proposer.getByRole('button', { name: /^Propose to (credit|debit) \$/ }).click()
    await expect(proposer.getByText('Proposed. Another finance operator decides.').first()).toBeVisible()
  }

  await test.step('an invalid amount shows an error before any call', async () => {
    await openUser(proposer, email)
    await proposer.getByRole('button', { name: 'Propose an adjustment' }).click()
    await proposer.getByLabel('Amount', { exact: true }).fill('0.0001')
    await proposer.getByRole('button', { name: 'Propose to credit', exact: true }).click()
    await expect(proposer.getByText('Amount must be an amount with at most two decimals')).toBeVisible()
    await expect(proposer.getByText('Reason must not be empty')).toBeVisible()
    await expectGoodEverywhere(proposer)
  })

  await test.step('one proposes: no money moves, and the proposer cannot approve it', async () => {
    await propose('25', 'The bank took a fee that is ours.')
    await openAdjustment(proposer, email, '+$25.00')
    const item = proposer.getByRole('region', { name: 'Selected adjustment' })
    await expect(item.getByText('The bank took a fee that is ours.')).toBeVisible()
    await expect(item.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()
    await expect(item.getByRole('button', { name: /^(Approve|Reject)/ })).toHaveCount(0)
    await expectGoodEverywhere(proposer)
    expect(await balanceShown(page)).toBe('$0.00')
  })

  await test.step('another approves: the trader is credited at once and sees why', async () => {
    await openAdjustment(decider, email, '+$25.00')
    await expectGoodEverywhere(decider)
    await approveItem(decider)
    await expect(decider.getByText(`+$25.00 was applied to ${email}.`)).toBeVisible()
    await expect.poll(() => balanceShown(page)).toBe('$25.00')
    await expectNotice(page, '$25.00 was added to your real account', 'The bank took a fee that is ours.')
  })

  await test.step('a debit is rejected: nothing moves, and both see why', async () => {
    await propose('-10.50', 'It was counted twice.')
    await openAdjustment(decider, email, '−$10.50')
    await decider.getByRole('button', { name: 'Reject' }).click()
    await decider.getByLabel('Reason', { exact: true }).fill('It was counted once.')
    await decider.getByRole('button', { name: 'Reject', exact: true }).click()
    await expect(decider.getByText('The adjustment was rejected.')).toBeVisible()
    await openAdjustment(proposer, email, '−$10.50', 'Rejected')
    const item = proposer.getByRole('region', { name: 'Selected adjustment' })
    await expect(item.getByText('It was counted once.')).toBeVisible()
    await expect(item.getByText(bob)).toBeVisible()
    await page.reload()
    await expect.poll(() => balanceShown(page)).toBe('$25.00')
  })

  await test.step('a debit above the balance shows an error and stays pending', async () => {
    await propose('-1,000.00', 'A mistake.')
    await openAdjustment(decider, email, '−$1,000.00')
    await approveItem(decider)
    await expect(decider.getByRole('alert').filter({ hasText: 'Insufficient balance' })).toBeVisible()
    await expect(decider.getByRole('region', { name: 'Selected adjustment' }).getByText('Pending')).toBeVisible()
  })

  await test.step('the ledger, the requests and the audit log name it', async () => {
    await openUser(decider, email)
    await decider.getByText('Ledger', { exact: true }).click()
    await expect(decider.getByRole('row').filter({ hasText: 'adjust' })).toHaveCount(1)
    await decider.getByText('Requests', { exact: true }).click()
    await decider.getByRole('link', { name: /The bank took a fee/ }).click()
    await decider.waitForURL(/adjustments\/\d+/)
    const id = /adjustments\/(\d+)/.exec(decider.url())![1]!
    await expect(decider.getByRole('region', { name: 'Selected adjustment' }).getByText('+$25.00')).toBeVisible()
    await expectAudit(decider, 'adjustments', id, [
      [bob, 'approve', 'The bank took a fee that is ours.'],
      [ann, 'propose', 'The bank took a fee that is ours.'],
    ])
  })
  await Promise.all([proposer.context().close(), decider.context().close()])
})

test('a trade is voided by two, and the trader reads the reason', async ({ page, browser, trouble }) => {
  // The receipt follows with the next checkpoint.
  trouble.allow(/^answered 409: GET \/api\/trading\/\w+\/receipt/)
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await fund(email, 500)
  await page.goto('/user/home')
  await setOrder(page, { duration: '15 minutes', strike: 'Buy pays 75%, Sell pays 3%', amount: '100' })
  await place(page, 'Buy', { asked: true })
  await expect.poll(() => balanceShown(page)).toBe('$400.00')
  const [ann, bob] = [name('ann'), name('bob')]
  const first = await operatorIn(browser, ann, 'risk')
  const second = await operatorIn(browser, bob, 'risk,auditor')

  const openTrade = async (desk: Page) => {
    await goTo(desk, 'Trades')
    await desk.getByRole('row').filter({ hasText: email }).click()
    await expect(desk.getByRole('dialog').getByText(email)).toBeVisible()
  }

  await test.step('the first proposes: nothing changes, and they cannot complete it', async () => {
    await openTrade(first)
    await expectGoodEverywhere(first)
    const dialog = first.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Propose to void' }).click()
    await dialog.getByLabel('Reason').fill('The exchange halted this market.')
    await dialog.getByRole('button', { name: 'Propose to void' }).click()
    await expect(first.getByText('Proposed. Another risk operator must complete it.')).toBeVisible()
    await expect(first.getByRole('row').filter({ hasText: email }).getByText('Void proposed')).toBeVisible()
    await openTrade(first)
    await expect(dialog.getByText('You proposed this. Ask another risk operator to complete it.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: /void/ })).toHaveCount(0)
    expect(await balanceShown(page)).toBe('$400.00')
  })

  await test.step('the second completes it: the stake returns, and the trade shows why', async () => {
    await openTrade(second)
    const dialog = second.getByRole('dialog')
    await expect(dialog.getByText(/The exchange halted this market/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Complete the void' }).click()
    await dialog.getByLabel('Reason').fill('I saw the halt too.')
    await expectGoodEverywhere(second)
    await dialog.getByRole('button', { name: 'Complete the void' }).click()
    await expect(second.getByText('Trade voided. The stake was returned.')).toBeVisible()
    await expect.poll(() => balanceShown(page)).toBe('$500.00')
    await expectNotice(page, 'was voided', 'The exchange halted this market.')
    await page.goto('/user/trade-history')
    const row = page.getByRole('row').filter({ hasText: 'Void' })
    await row.getByRole('button', { name: /^Details of/ }).click()
    const details = page.getByRole('dialog')
    await expect(details.getByText(/The exchange halted this market/)).toBeVisible()
    await expectAccessible(page)
    const id = (await details
      .locator('code')
      .filter({ hasText: /^0[0-9A-Z]{12}$/ })
      .textContent())!
    await expectAudit(second, 'trades', id, [
      [bob, 'void', 'I saw the halt too.'],
      [ann, 'propose-void', 'The exchange halted this market.'],
    ])
  })
  await Promise.all([first.context().close(), second.context().close()])
})

test('a setting is changed by two and applies to the next order', async ({ page, browser }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await fund(email, 500)
  const [ann, bob] = [name('ann'), name('bob')]
  const proposer = await operatorIn(browser, ann, 'admin')
  const decider = await operatorIn(browser, bob, 'admin')
  const card = (desk: Page, title: string) =>
    desk.locator('section').filter({ has: desk.getByRole('heading', { name: title }) })
  const change = (desk: Page, words: string) => card(desk, 'Change awaiting approval').filter({ hasText: words })
  const reasons = { raise: `A quiet year ${randomUUID()}`, limit: `A thin market ${randomUUID()}` }

  await test.step('one proposes two changes, and can decide neither', async () => {
    await goTo(proposer, 'Settings')
    const open = proposer.getByLabel('Largest open stake of one trader')
    await open.fill('51,000')
    await expect(proposer.getByText(/can mean thousands or decimals\. Write 51000 or 51,000\.00/)).toBeVisible()
    await open.fill('51.000,00')
    await expect(proposer.getByText('Changes to $51,000.00.')).toBeVisible()
    await card(proposer, 'Limits and money').getByLabel('Reason').fill(reasons.raise)
    await proposer.getByRole('button', { name: 'Propose $51,000.00' }).click()
    await expect(
      change(proposer, reasons.raise).getByText('You proposed this. Ask another admin to decide.'),
    ).toBeVisible()
    await expect(change(proposer, reasons.raise).getByRole('button', { name: 'Approve' })).toHaveCount(0)
    const limits = card(proposer, 'Open stakes by symbol, real account')
    await limits.getByLabel('Symbol').fill('zecbtc')
    await limits.getByLabel('Limit').fill('20')
    await limits.getByLabel('Reason').fill(reasons.limit)
    await limits.getByRole('button', { name: 'Propose the limit $20.00' }).click()
    await expect(change(proposer, reasons.limit)).toContainText('ZECBTC $20.00')
    await expectGoodEverywhere(proposer)
  })

  await test.step('another rejects the one and approves the other', async () => {
    await goTo(decider, 'Settings')
    await expect(change(decider, reasons.raise)).toContainText('$50,000.00 $51,000.00')
    await expectGoodEverywhere(decider)
    await change(decider, reasons.raise).getByRole('button', { name: 'Reject' }).click()
    await change(decider, reasons.raise).getByLabel('Reason').fill('It was loud enough.')
    await change(decider, reasons.raise).getByRole('button', { name: 'Reject', exact: true }).click()
    await expect(change(decider, reasons.raise)).toHaveCount(0)
    await expect(decider.getByLabel('Largest open stake of one trader')).toHaveValue('50000.00')
    await approveItem(change(decider, reasons.limit))
    await expect(decider.getByText('The change is in effect.')).toBeVisible()
    await expect(decider.getByText('$0.00 of $20.00')).toBeVisible()
    await expect(change(decider, reasons.limit)).toHaveCount(0)
  })

  await test.step("the trader's next order above it shows an error", async () => {
    await page.goto('/user/home')
    await chooseSymbol(page, 'ZECBTC')
    await setOrder(page, { amount: '20.01' })
    await expect(page.getByText('Amount must be at most $20.00')).toBeVisible()
    await expect(page.getByText('Max $20.00: symbol limit')).toBeVisible()
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeDisabled()
    await setOrder(page, { amount: '20' })
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    expect(await balanceShown(page)).toBe('$500.00')
  })

  await test.step('the audit log names both, with before and after', async () => {
    await goTo(decider, 'Audit log')
    await decider.getByRole('row').filter({ hasText: reasons.limit }).filter({ hasText: 'approve' }).click()
    const record = decider.getByRole('dialog')
    await expect(record.getByRole('region', { name: 'After' })).toContainText('"ZECBTC"')
    await expectGoodEverywhere(decider)
  })
  await Promise.all([proposer.context().close(), decider.context().close()])
})

test('an operator revokes a wrong approval, and the deposit is credited correctly', async ({
  page,
  browser,
  trouble,
}) => {
  trouble.allow('answered 409: POST /api/desk/deposits')
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await page.goto('/user/home')
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const submitted = await page.request.post('/api/deposit', {
    headers: { authorization: `Bearer ${token}` },
    multipart: { usd_amount: '5000', currency: 'BTC', receipt: await photo('receipt.png') },
  })
  expect(submitted.ok(), await submitted.text()).toBe(true)
  const first = await operatorIn(browser, name('ann'), 'finance')
  const second = await operatorIn(browser, name('bob'), 'finance')

  const openDeposit = async (desk: Page) => {
    await openQueue(desk, 'deposits')
    await desk.getByRole('region', { name: 'Deposits' }).getByRole('button', { name: email }).click()
  }
  await enterArrivals(email, 5_000_000)
  const item = (desk: Page) => desk.getByRole('region', { name: 'Selected deposit' })
  const enter = async (desk: Page, dollars: string) => {
    await item(desk)
      .getByRole('button', { name: /^Approve/ })
      .click()
    await desk.getByLabel('US dollars received').fill(dollars)
    await item(desk).getByRole('button', { name: 'Continue' }).click()
  }
  const approve = async (desk: Page, dollars: string) => {
    await enter(desk, dollars)
    await item(desk)
      .getByRole('button', { name: /^Credit \$/ })
      .click()
  }

  await openDeposit(first)
  await enter(first, '50000')
  await expect(item(first).getByRole('alert')).toContainText(
    "$50,000.00 is more than twice the submitted amount of $5,000.00. If that's right, enter the amount again.",
  )
  await expectGoodEverywhere(first)
  await first.getByLabel('US dollars received').fill('50 000')
  await item(first).getByRole('button', { name: 'Continue' }).click()
  await expect(item(first).getByText(`Credit $50,000.00 to Ada Byron (${email})?`)).toBeVisible()
  await item(first).getByRole('button', { name: 'Credit $50,000.00', exact: true }).click()
  await expect(item(first).getByText('1 of 2')).toBeVisible()
  await expect(item(first).getByRole('button', { name: /^Approve/ })).toHaveCount(0)
  await expectGoodEverywhere(first)

  await openDeposit(second)
  await expect(item(second).getByRole('button', { name: 'Revoke my approval' })).toHaveCount(0)
  await approve(second, '5000')
  await expect(item(second).getByRole('alert')).toContainText('$50,000.00')
  await item(second).getByRole('button', { name: 'Cancel', exact: true }).click()

  await item(first).getByRole('button', { name: 'Revoke my approval' }).click()
  await expect(first.getByText('Your approval was revoked.')).toBeVisible()
  await expect(item(first).getByText('0 of 2')).toBeVisible()
  await approve(first, '5000')
  await expect(item(first).getByText('1 of 2')).toBeVisible()
  expect(await balanceShown(page)).toBe('$0.00')
  await approve(second, '5000')
  await expect(second.getByText(`$5,000.00 was credited to ${email}.`)).toBeVisible()
  await expect.poll(() => balanceShown(page)).toBe('$5,000.00')
  await Promise.all([first.context().close(), second.context().close()])
})
