import { randomUUID } from 'node:crypto'
import { approveIdentity, confirmEmail, fund } from '../support/cashier.ts'
import { mailTo, rootOf, signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test, typeInto } from '../support/test.ts'

/** Checks the screen at widths from a small phone's to a large desktop's. */
async function expectGoodEverywhere(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()
  for (const width of [320, 390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png` })
  }
  await expectAccessible(page)
  if (before) await page.setViewportSize(before)
}

const newAddress = () => `moved-${randomUUID().slice(0, 8)}@example.org`

/** Asks for a change of address on the account's page. */
async function ask(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/user/account')
  await page.getByRole('button', { name: 'Change e-mail address' }).click()
  await typeInto(page, 'New e-mail', email)
  await typeInto(page, 'Password', password)
  await page.getByRole('button', { name: 'Send both links' }).click()
  await expect(page.getByRole('region', { name: 'Change under way' })).toBeVisible()
}

/** Opens an e-mail's link on the page that `path` names. */
async function openLink(page: Page, to: string, subject: RegExp, path: string): Promise<void> {
  const { links } = await mailTo(page, to, subject)
  const link = new URL(links.find((one) => one.includes(path))!)
  await page.goto(link.pathname + link.search)
}

for (const width of [1366, 390])
  test(`both addresses confirm a change, and withdrawals pause, at ${width} px`, async ({ page }) => {
    const { email, password } = await signedIn(page, { mode: 'real' })
    await confirmEmail(page, email)
    await approveIdentity(email)
    await fund(email, 100)
    await page.setViewportSize({ width, height: 844 })
    const next = newAddress()
    await page.goto('/user/account')
    await expect(page.getByText(email, { exact: true }).last()).toBeVisible()
    if (width === 390) await expectGoodEverywhere(page, 'account')
    await ask(page, next, password)
    const waiting = page.getByRole('region', { name: 'Change under way' })
    await expect(waiting.getByRole('listitem')).toHaveText([
      'Old address: waiting for its link',
      'New address: waiting for its link',
    ])
    if (width === 390) await expectGoodEverywhere(page, 'account-waiting')

    await openLink(page, next, /Confirm your new e-mail/, '/change-email')
    await expect(page.getByText(next)).toBeVisible()
    if (width === 390) await expectGoodEverywhere(page, 'change-email')
    // Opening the link alone changes nothing, because mail scanners open links.
    await page.goto('/user/account')
    await expect(waiting.getByRole('listitem').last()).toHaveText('New address: waiting for its link')
    await page.goBack()
    await page.getByRole('button', { name: 'Confirm the change' }).click()
    await expect(page.getByText('Now open the link that we sent to the other address.')).toBeVisible()
    await page.goto('/user/account')
    await expect(waiting.getByRole('listitem')).toHaveText([
      'Old address: waiting for its link',
      'New address: confirmed',
    ])

    await openLink(page, email, /Change of your e-mail/, '/change-email')
    await page.getByRole('button', { name: 'Confirm the change' }).click()
    await expect(page.getByText('Your e-mail address has changed.')).toBeVisible()
    await page.getByRole('link', { name: 'Go to my account' }).click()
    await expect(page).toHaveURL('/user/account')
    await expect(page.getByText(next, { exact: true }).last()).toBeVisible()
    await expect(waiting).toHaveCount(0)

    await page.goto('/user/withdraw-fund')
    await expect(page.getByRole('heading', { name: /Wait until \d{4}-\d\d-\d\d/ })).toBeVisible()
    if (width === 390) await expectGoodEverywhere(page, 'withdraw-paused')
  })

test("'This wasn't me' at the old address signs out everywhere and freezes withdrawals", async ({ page, trouble }) => {
  const { email, password } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  // The open tab learns that its session has ended.
  trouble.allow('answered 401')
  await ask(page, newAddress(), password)
  await openLink(page, email, /Change of your e-mail/, '/not-my-change')
  await expectGoodEverywhere(page, 'not-my-change')
  await page.getByRole('button', { name: 'Cancel the change' }).click()
  await expect(page.getByText('all sessions were ended')).toBeVisible()
  await expectGoodEverywhere(page, 'not-my-change-done')
  trouble.expect('answered 422: POST /api/auth/email-change/disown')
  await openLink(page, email, /Change of your e-mail/, '/not-my-change')
  await page.getByRole('button', { name: 'Cancel the change' }).click()
  await expect(page.getByRole('alert').filter({ hasText: /\w/ })).toBeVisible()
})

test('the e-mail about a new sign-in secures the account with one press', async ({ page, trouble, playwright }) => {
  const { email, password } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  trouble.allow('answered 401')
  const stranger = await playwright.request.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/133.0' })
  await stranger.post(new URL('/api/auth/login', page.url()).href, { data: { email, password } })
  await stranger.dispose()
  // What this tab learns about its session, it asks for.
  await page.routeWebSocket(/\/api\/stream/, (socket) => socket.close())
  await openLink(page, email, /New sign-in/, '/not-my-sign-in')
  await expectGoodEverywhere(page, 'not-my-sign-in')
  await page.getByRole('button', { name: 'Secure my account' }).click()
  await expect(page.getByText('All sessions were ended')).toBeVisible()
  expect((await rootOf(page)).state.auth.tokens, 'the next screen is for visitors').toBeNull()
  await page.getByRole('link', { name: 'Set a new password' }).click()
  await expect(page).toHaveURL('/auth/forgot-password')
})

test('an account with money says what has to be settled first', async ({ page }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await fund(email, 5)
  await page.goto('/user/account')
  await expect(page.getByText('Withdraw your balance of $5.00 first.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Close my account' })).toBeDisabled()
  await expectGoodEverywhere(page, 'close-blocked')
})

test('a closing account says when, and its link keeps it with one press', async ({ page }) => {
  const { email, password } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/user/account')
  await page.getByRole('button', { name: 'Close my account' }).click()
  await typeInto(page, 'Password', password)
  await page.getByRole('button', { name: 'Close in 14 days' }).click()
  await expect(page.getByText(/Your account closes on \d{4}-\d\d-\d\d/)).toBeVisible()
  await expectGoodEverywhere(page, 'closing')
  await openLink(page, email, /will be closed/, '/keep-account')
  await expectGoodEverywhere(page, 'keep-account')
  await page.getByRole('button', { name: 'Keep my account' }).click()
  await expect(page.getByText('Your account stays open.')).toBeVisible()
  await page.goto('/user/account')
  await expect(page.getByRole('button', { name: 'Close my account' })).toBeEnabled()
})
