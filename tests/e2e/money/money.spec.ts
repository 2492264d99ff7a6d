import { readFile } from 'node:fs/promises'
import { approveIdentity, confirmEmail, fund, giveBirthDate, measureTimes, sendWithdrawal } from '../support/cashier.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { largeImage, photo } from '../support/pictures.ts'
import {
  errorsOn,
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  type Page,
  test,
  typeInto,
} from '../support/test.ts'
import { balanceShown, isPhone } from '../support/trading.ts'

const BITCOIN_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** Opens the details of the newest row of a list. */
async function openNewest(page: Page): Promise<void> {
  const rows = page.getByRole('main').getByRole('button', { name: /^Details of/ })
  await rows.first().click()
}

/** Signs in a trader who may withdraw, with this much in the live account. */
async function mayWithdraw(page: Page, dollars: number) {
  const account = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, account.email)
  await approveIdentity(account.email)
  await fund(account.email, dollars)
  return account
}

test('a Bitcoin deposit is requested in two steps and appears in the history', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { email } = await signedIn(page, { mode: 'real' })
  await page.goto('/user/deposit')
  await expect(page.getByRole('heading', { name: "What you'll need to withdraw" })).toBeVisible()
  await expect(page.getByRole('main').getByRole('button', { name: 'Send Link' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Verify identity' })).toHaveAttribute('href', '/user/verify')
  await expectAccessible(page)
  await confirmEmail(page, email)

  await page.getByRole('button', { name: /Bitcoin wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: /Deposit( by card or)? Bitcoin/ })
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Amount must not be empty'])
  await typeInto(page, 'Amount', '0.5')
  await expect.poll(() => errorsOn(page)).toEqual(['Amount must be at least 1'])
  await typeInto(page, 'Amount', '250')
  await expect(dialog.getByRole('status').filter({ hasText: /^0\.\d+ BTC$/ })).toBeVisible()
  await expect(dialog.getByText('Simulated prices')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Preview' }).click()

  await expect(dialog.getByText('Test address.', { exact: true })).toBeVisible()
  await expect(dialog.getByRole('img', { name: 'QR code of the Bitcoin address' })).toBeVisible()
  await dialog.getByRole('button', { name: /^Copy the address/ }).click()
  await expect(page.getByText('Wallet address copied!')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/TEST/)
  await dialog.getByRole('button', { name: 'Request' }).click()
  await expect(dialog.getByText('Please select file!')).toBeVisible()
  // A receipt that is too large is ignored without an alert.
  await dialog.getByLabel('Receipt').setInputFiles(largeImage(5_242_881))
  await expect(dialog.getByAltText('Preview of your upload')).toBeHidden()
  await dialog.getByLabel('Receipt').setInputFiles(await photo('receipt.png'))
  await expect(dialog.getByAltText('Preview of your upload')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Request' }).click()
  await expect(
    page.getByText("Your deposit was submitted. We'll credit it once we've checked the payment."),
  ).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { name: 'In progress' })).toBeVisible()

  await page.getByRole('main').getByRole('link', { name: 'Deposit history' }).first().click()
  if (!isPhone(page)) {
    await expect(page.getByRole('columnheader')).toHaveText([
      'S/N',
      'Transaction ID',
      'Amount Deposited',
      'Amount in BTC',
      'Status',
      'Date',
      'Details',
    ])
    await expect(page.getByRole('cell', { name: /^0\.\d+ BTC$/ })).toBeVisible()
  }
  await expect(page.getByText('1 deposit, all shown')).toBeVisible()
  await expect(page.getByRole('main').getByText('$250.00')).toBeVisible()
  await expectNoSidewaysScroll(page)
  await openNewest(page)
  const details = page.getByRole('dialog', { name: 'Deposit' })
  await expect(details.getByText('Operator (reviewing)')).toBeVisible()
  await expect(details.getByAltText('Your receipt')).toHaveJSProperty('complete', true)
  await expectAccessible(page)
})

test('the Ethereum modal shows errors, and the history shows its unit', async ({ page, trouble }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await giveBirthDate(email)
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: /^Ethereum wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Deposit Ethereum' })
  await expect(dialog.getByText(/^Confirm your e-mail address before you deposit:/)).toBeVisible()
  await typeInto(page, 'Amount', '100')
  trouble.expect('answered 422: POST /api/deposit/requests')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(/confirm your e-?mail/i)
  await confirmEmail(page, email)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByLabel('Receipt').setInputFiles(await photo('receipt.png'))
  await dialog.getByRole('button', { name: 'Request' }).click()
  await expect(dialog).toBeHidden()
  await page.goto('/user/deposit-log')
  await openNewest(page)
  await expect(page.getByRole('dialog', { name: 'Deposit' }).getByText(/^0\.\d+ ETH$/)).toBeVisible()
})

test('without a card provider, no card is offered', async ({ page }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: /Bitcoin wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: /Deposit( by card or)? Bitcoin/ })
  await expect(dialog.getByLabel('Amount', { exact: true })).toBeVisible()
  await expect(dialog.getByRole('radio')).toHaveCount(0)
  await expect(page.getByText(/\bcard\b/i)).toHaveCount(0)
})

test('where it is wide, the deposit screen shows the money, and what is typed survives a change of width', async ({
  page,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await fund(email, 400)
  await page.setViewportSize({ width: 1366, height: 768 })
  await page.goto('/user/deposit')
  const money = page.getByRole('complementary').filter({ hasText: 'Live balance' })
  await expect(money).toContainText('Live balance$400.00')
  for (const part of ['In open trades', 'On its way in', 'Held for withdrawals'])
    await expect(money).toContainText(`${part}$0.00`)
  await expect(money.getByRole('heading', { name: 'Last movements' })).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: /Bitcoin wallet/ }).click()
  await typeInto(page, 'Amount', '250')
  for (const width of [1000, 1366]) {
    await page.setViewportSize({ width, height: 768 })
    await expect(money).toHaveCount(width < 1200 ? 0 : 1)
    await expect(page.getByRole('dialog').getByLabel('Amount', { exact: true })).toHaveValue('250')
  }
})

test('a withdrawal shows the missing steps first, and sends nothing above the balance', async ({ page }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await fund(email, 40)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('/api/withdraw')) sent.push(request.url())
  })
  await page.goto('/user/withdraw-fund')
  await expect(page.getByRole('heading', { name: 'Before you can withdraw' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Verify identity' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: /^Crypto wallet/ }).click()
  const wallet = page.getByRole('dialog', { name: 'Withdraw to Crypto Wallet' })
  await expect(wallet.getByText(/confirm your e-mail, verify your identity/)).toBeVisible()
  await wallet.getByLabel('Amount', { exact: true }).fill('40.01')
  await wallet.getByLabel('Wallet', { exact: true }).fill(BITCOIN_ADDRESS)
  await wallet.getByRole('button', { name: 'Review' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Cannot withraw more than available balance'])
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Bank/ }).click()
  const bank = page.getByRole('dialog', { name: 'Withdraw to Bank' })
  await bank.getByRole('button', { name: 'Review' }).click()
  await expect
    .poll(() => errorsOn(page))
    .toEqual([
      'Please input all fields correctly!',
      'Amount must not be empty',
      'Bank name must not be empty',
      'Account type must not be empty',
      'Account number must not be empty',
      'Routing number must not be empty',
    ])
  await expectAccessible(page)
  expect(sent).toEqual([])
})

test('a withdrawal that is cancelled while the list loads is shown as cancelled', async ({ page, context }) => {
  await mayWithdraw(page, 900)
  const other = await context.newPage()
  await other.goto('/user/withdraw-fund')
  await other.getByRole('button', { name: /^Bank/ }).click()
  const dialog = other.getByRole('dialog', { name: 'Withdraw to Bank' })
  await dialog.getByLabel('Amount', { exact: true }).fill('250')
  await dialog.getByLabel('Bank name').fill('First National')
  await dialog.getByLabel('Account type').selectOption('Savings')
  await dialog.getByLabel('Account number').fill('000123456789')
  await dialog.getByLabel('Routing number').fill('021000021')
  await sendWithdrawal(dialog)
  await expect(dialog).toBeHidden()
  await other.goto('/user/withdraw-log')

  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let isHeld = false
  await page.route(/\/api\/withdraw\?/, async (route) => {
    if (isHeld) return route.continue()
    isHeld = true
    const response = await route.fetch()
    await released
    await route.fulfill({ response })
  })
  await page.goto('/user/withdraw-log')
  await expect.poll(() => isHeld).toBe(true)
  await expect.poll(() => balanceShown(page)).toBe('$650.00')
  await openNewest(other)
  const details = other.getByRole('dialog', { name: 'Withdrawal' })
  await details.getByRole('button', { name: 'Cancel this withdrawal' }).click()
  await details.getByRole('button', { name: 'Yes, cancel it' }).click()
  await expect.poll(() => balanceShown(page)).toBe('$900.00')
  release()
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible()
})

test('a bank withdrawal is requested, shown and cancelled', async ({ page }) => {
  await mayWithdraw(page, 900)
  await page.goto('/user/withdraw-fund')
  await expect(page.getByText('Available $900.00')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Before you can withdraw' })).toHaveCount(0)
  await whilePaused(page)
  await page.getByRole('button', { name: /^Bank/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw to Bank' })
  await dialog.getByLabel('Amount', { exact: true }).fill('250.75')
  await expect(dialog.getByText('After this $649.25')).toBeVisible()
  await dialog.getByLabel('Bank name').fill('First National')
  await dialog.getByLabel('Account type').selectOption('Savings')
  await dialog.getByLabel('Account number').fill('000123456789')
  await dialog.getByLabel('Routing number').fill('021000021')
  await sendWithdrawal(dialog)
  await expect(page.getByText("Your withdrawal was requested. The amount is on hold until it's paid.")).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect.poll(() => balanceShown(page)).toBe('$649.25')

  await page.getByRole('main').getByRole('link', { name: 'Withdraw history' }).click()
  if (!isPhone(page)) {
    await expect(page.getByRole('columnheader')).toHaveText([
      'S/N',
      'Transaction ID',
      'Wallet',
      'Amount',
      'Status',
      'Details',
    ])
  }
  await expect(page.getByText('Bank, account ending 6789')).toBeVisible()
  await expectAccessible(page)
  await openNewest(page)
  const details = page.getByRole('dialog', { name: 'Withdrawal' })
  await details.getByRole('button', { name: 'Cancel this withdrawal' }).click()
  await expect(details.getByText('$250.75 returns to your balance')).toBeVisible()
  await expectAccessible(page)
  await details.getByRole('button', { name: 'Yes, cancel it' }).click()
  await expect(page.getByText('Your withdrawal was cancelled. The money is back in your balance.')).toBeVisible()
  await expect(details.getByText('Cancelled', { exact: true })).toBeVisible()
  await expect(details.getByRole('button', { name: 'Cancel this withdrawal' })).toHaveCount(0)
  await expect.poll(() => balanceShown(page)).toBe('$900.00')
})

test('a withdrawal is reviewed before it is sent, and Enter alone sends nothing', async ({ page }) => {
  await mayWithdraw(page, 2_000)
  await measureTimes(page)
  const took = 'Of 1,234 withdrawals paid in the last 30 days, half took 6 h 50 min or less.'
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/withdraw')) sent.push(request.url())
  })
  await page.goto('/user/withdraw-fund')
  await page.getByRole('button', { name: /^Crypto wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw to Crypto Wallet' })
  await dialog.getByLabel('Amount', { exact: true }).fill('1500')
  await dialog.getByLabel('Wallet', { exact: true }).fill(BITCOIN_ADDRESS)
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('heading', { name: 'You withdraw $1,500.00' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog.getByText(BITCOIN_ADDRESS)).toBeVisible()
  await expect(dialog.getByText('first time')).toBeVisible()
  for (const fact of [/about 0\.\d+ BTC/, 'None: we pay it', '$500.00', 'Two people, above $1,000.00', took])
    await expect(dialog.getByText(fact)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Back' }).click()
  await expect(dialog.getByLabel('Amount', { exact: true })).toHaveValue('1500')
  await expect(dialog.getByLabel('Wallet', { exact: true })).toHaveValue(BITCOIN_ADDRESS)
  expect(sent).toEqual([])
  await sendWithdrawal(dialog)
  await expect(dialog).toBeHidden()
  const underWay = page
    .getByRole('main')
    .locator('section', { has: page.getByRole('heading', { name: 'In progress' }) })
  await expect(underWay.getByText('Operator (reviewing)')).toBeVisible()
  await expect(underWay.getByText(took)).toBeVisible()
  await page.reload()
  await underWay.getByRole('button', { name: 'Cancel this withdrawal' }).click()
  await underWay.getByRole('button', { name: 'Yes, cancel it' }).click()
  await expect(underWay).toHaveCount(0)
  await expect.poll(() => balanceShown(page)).toBe('$2,000.00')
})

test("a withdrawal asks for the second factor if it's on, then continues", async ({ page, trouble }) => {
  const { password } = await mayWithdraw(page, 500)
  await page.goto('/user/withdraw-fund')
  const codes = await enrol(page, password)
  await page.getByRole('button', { name: /^Crypto wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw to Crypto Wallet' })
  await dialog.getByLabel('Amount', { exact: true }).fill('120')
  await dialog.getByLabel('Wallet', { exact: true }).fill(BITCOIN_ADDRESS)
  trouble.expect('answered 428: POST /api/withdraw', 'answered 422: POST /api/auth/step-up')
  await sendWithdrawal(dialog)
  const question = page.getByRole('dialog', { name: "Confirm it's you" })
  await expect(question.getByLabel('Code', { exact: true })).toBeFocused()
  await expect(question.getByLabel('Code', { exact: true })).toHaveAttribute('autocomplete', 'one-time-code')
  await expectAccessible(page)
  // Six digits submit automatically; these are wrong.
  await question.getByLabel('Code', { exact: true }).fill('000 000')
  await expect(question.getByRole('alert')).toBeVisible()
  await question.getByRole('button', { name: 'Use a recovery code' }).click()
  await question.getByLabel('Recovery code').fill(codes[0]!)
  await question.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('Your withdrawal was requested.', { exact: false }).first()).toBeVisible()
  await expect(question).toBeHidden()
  await expect(dialog).toBeHidden()
  await expect.poll(() => balanceShown(page)).toBe('$380.00')
})

test('a statement is downloaded for custom dates, live and demo', async ({ page }) => {
  await mayWithdraw(page, 900)
  await page.goto('/user/deposit-log')
  await page.getByRole('button', { name: 'Statement' }).click()
  const dialog = page.getByRole('dialog', { name: 'Download a statement' })
  await dialog.getByRole('radio', { name: 'CSV' }).check()
  await dialog.getByLabel('Period').selectOption('Custom dates')
  await dialog.getByLabel('First day').fill('2020-01-02')
  await dialog.getByLabel('Last day').fill('2020-01-01')
  await expect(dialog.getByRole('alert')).toHaveText('Last day must not be before the first day')
  await expectAccessible(page)
  await dialog.getByLabel('Last day').fill('2099-12-31')
  const [live] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(live.suggestedFilename()).toBe('statement-live-2020-01-02-2099-12-31.csv')
  const lines = (await readFile(await live.path(), 'utf8')).trim().split(/\r?\n/)
  expect(lines[0]).toBe('date (UTC),type,reference,description,amount,balance')
  expect(lines.at(-1)).toMatch(/,900\.00,900\.00$/)
  await expect(dialog).toBeHidden()

  await page.getByRole('button', { name: /open the wallet/ }).click()
  await page.getByRole('dialog', { name: 'Wallet' }).getByRole('button', { name: 'Statement' }).click()
  await dialog.getByRole('radio', { name: 'Demo' }).check()
  await dialog.getByRole('radio', { name: 'PDF' }).check()
  const [demo] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(demo.suggestedFilename()).toMatch(/^statement-demo-.*\.pdf$/)
  expect((await readFile(await demo.path())).subarray(0, 5).toString()).toBe('%PDF-')
})

test('the bell counts unread notifications, and opening it marks them as read', async ({ page }) => {
  await mayWithdraw(page, 900)
  await page.goto('/user/withdraw-log')
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await bell.click()
  await expect(page.getByText(/^Nothing yet\./)).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(bell).toBeFocused()

  // It's pushed while another screen is open.
  const { state } = await rootOf(page)
  const answer = await page.request.post('/api/withdraw', {
    data: { amount: 25, wallet: BITCOIN_ADDRESS },
    headers: { authorization: `Bearer ${state.auth.tokens!.access.token}` },
  })
  expect(answer.ok()).toBe(true)
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread')
  await expect(page.getByText('Your withdrawal was requested').first()).toBeVisible()
  await expect(page.getByText('$25.00').first()).toBeVisible()
  if (isPhone(page)) {
    await page.getByRole('button', { name: 'Open menu' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: 'Notifications 1 unread' }).click()
  } else {
    await bell.click()
  }
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await expect(panel.getByRole('link', { name: /^Your withdrawal was requested \(new\)/ })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(bell).toHaveAccessibleName('Notifications')
  await page.goto('/user/home')
  await page.getByRole('button', { name: 'Trade Demo' }).first().click()
  await expect(bell).toHaveAccessibleName('Notifications')
  // The notification's target exists in real mode only.
  await bell.click()
  await panel.getByRole('link', { name: /^Your withdrawal was requested/ }).click()
  const question = page.getByRole('dialog', { name: 'Switch to your live account?' })
  await question.getByRole('button', { name: 'Trade Live' }).click()
  const { data } = (await answer.json()) as { data: { withdraw_id: string } }
  await expect(page).toHaveURL(`/user/withdraw-log?withdrawal=${data.withdraw_id}`)
  await expect(panel).toBeHidden()
  const details = page.getByRole('dialog', { name: 'Withdrawal' })
  await expect(details.getByText(data.withdraw_id)).toBeVisible()
  // As if it was older than those listed.
  await page.route(/\/api\/withdraw\?/, (route) => route.fulfill({ json: { status: true, data: [] } }))
  await page.reload()
  await expect(details.getByText(data.withdraw_id), 'its address names it').toBeVisible()
  await details.getByRole('button', { name: 'Close' }).click()
  await expect(page).toHaveURL('/user/withdraw-log')
  await expect(details).toBeHidden()
})

test('a list that fails to load shows a toast and can be retried', async ({ page, trouble }) => {
  await signedIn(page, { mode: 'real' })
  // It fails until the click: the screen also reads its list again by itself, once its socket is ready.
  const isAsked = () => page.evaluate(() => document.documentElement.dataset.asked === 'yes')
  await page.route(/\/api\/deposit\?/, async (route) => {
    if (await isAsked()) return route.continue()
    await route.fulfill({
      status: 422,
      json: { status: false, code: 'validation_failed', message: 'No list today' },
    })
  })
  trouble.expect('answered 422: GET /api/deposit')
  await page.goto('/user/deposit-log')
  await expect(page.getByText('No list today').first()).toBeVisible()
  await page.evaluate(() =>
    document.addEventListener('click', () => Object.assign(document.documentElement.dataset, { asked: 'yes' }), true),
  )
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText("You don't have any deposit history !!")).toBeVisible()
})

/** Enables an authenticator app through the API. Returns the recovery codes. */
async function enrol(page: Page, password: string): Promise<string[]> {
  const { TOTP } = await import('otpauth')
  const headers = { authorization: `Bearer ${(await rootOf(page)).state.auth.tokens!.access.token}` }
  const begun = await page.request.post('/api/auth/2fa/totp', { headers, data: { password } })
  const { secret } = ((await begun.json()) as { data: { secret: string } }).data
  const code = new TOTP({ secret }).generate()
  const confirmed = await page.request.post('/api/auth/2fa/totp/confirm', { headers, data: { code } })
  if (!confirmed.ok()) throw new Error(`second factor: ${await confirmed.text()}`)
  return ((await confirmed.json()) as { data: { recovery_codes: string[] } }).data.recovery_codes
}

/** Checks that the screen says payouts are paused, and no longer does once they resume. */
async function whilePaused(page: Page): Promise<void> {
  const path = '**/api/withdraw/requirements'
  await page.route(path, async (route) => {
    const response = await route.fetch()
    const { data, ...rest } = await response.json()
    await route.fulfill({ response, json: { ...rest, data: { ...data, paused_since: '2026-11-23T04:05:06.000Z' } } })
  })
  await page.reload()
  const note = page.getByText(/^Payouts are paused since 2026-11-23 04:05:06\./)
  await expect(note).toBeVisible()
  await expectAccessible(page)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/payouts-paused.png` })
  await page.unrouteAll({ behavior: 'wait' })
  await page.reload()
  await expect(page.getByText('Available $900.00')).toBeVisible()
  await expect(page.getByText(/^Paid within 5 business days/)).toBeVisible()
  await expect(note).toHaveCount(0)
}
