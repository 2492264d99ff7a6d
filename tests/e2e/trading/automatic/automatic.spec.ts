import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { approveIdentity, confirmEmail, fund } from '../../support/cashier.ts'
import { rootOf, signedIn } from '../../support/people.ts'
import { tapeTest } from '../../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test, typeInto } from '../../support/test.ts'

async function expectGoodEverywhere(page: Page, name: string): Promise<void> {
  for (const width of [320, 390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: true })
  }
  await expectAccessible(page)
}

tapeTest(
  'a trader sets up automatic trades on the demo account, sees one come by itself, and stops them',
  async ({ page, tape }) => {
    await signedIn(page)
    // It may take long until a signal, and its trade must count as one of today.
    await tape.toNextDayWithin(2 * HOUR_MS)
    await page.goto('/user/automatic')
    const state = page.getByRole('region', { name: 'State of your automatic trades' })
    await expect(state.getByText('Nothing is traded until you start.')).toBeVisible()
    await expect(state.getByText('0 of 14')).toBeVisible()
    await expect(page.getByText('No signals yet')).toBeVisible()

    await page.getByLabel('Strategy').selectOption('Coin toss')
    await typeInto(page, 'Amount', '60')
    await page.getByRole('button', { name: 'Start' }).click()
    await expect(page.getByText('Maximum loss per day must be at least the stake')).toBeVisible()
    await typeInto(page, 'Amount', '5')
    await typeInto(page, 'Trades per day', '1')
    await expectGoodEverywhere(page, 'automatic-settings')
    await page.getByRole('button', { name: 'Start' }).click()
    await expect(state.getByText('Running')).toBeVisible()
    await expect(state.getByText('Watching for the next signal.')).toBeVisible()
    await expect(page.getByLabel('Strategy')).toBeDisabled()

    // The tape is as old as the server: it has a minute or two of prices, or no complete minute yet.
    const past = page.getByRole('region', { name: 'Back-test' })
    await expect(past.getByLabel('Prices')).toHaveValue('tape')

    await tape.advanceToToss()
    await expect(state.getByText('1 of 1')).toBeVisible()
    const orders = page.getByRole('region', { name: 'Signals and results' })
    await expect(orders.getByText('In Progress')).toBeVisible()
    await expect(state.getByText('A trade is open.')).toBeVisible()
    await expectGoodEverywhere(page, 'automatic-running')
    await tape.advance(MINUTE_MS + SECOND_MS)
    await expect(orders.getByText(/^(Won|Lost|Draw|Void)$/)).toBeVisible()

    await expect(state.getByText("Today's trade is used up.")).toBeVisible()

    await past.getByRole('button', { name: 'Run the back-test' }).click()
    await expect(past.getByText(/you need [\d.]+% to break even/).first()).toBeVisible()
    await expectGoodEverywhere(page, 'automatic-past')

    await page.goto('/user/trade-history')
    await expect(page.getByText('Auto', { exact: true }).first()).toBeVisible()
    await page.goto('/user/automatic')
    await expect(page.getByLabel('Strategy').locator('option:checked')).toHaveText('Coin toss')
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect(state.getByText('Paused')).toBeVisible()
    await typeInto(page, 'Trades per day', '3')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await expect(state.getByText('1 of 3')).toBeVisible()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect(state.getByText('Nothing is traded until you start.')).toBeVisible()
  },
)

test('on a phone, settings collapse to one line, and an invalid one expands', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signedIn(page)
  await page.goto('/user/automatic')
  const settings = page.getByRole('form', { name: 'Settings of your automatic trades' })
  await expect(
    settings.getByText('Losses of $50.00 a day or $200.00 in total, 14 trades a day, 5 losses in a row').first(),
  ).toBeVisible()
  await expect(settings.getByText('Every day, all day').first()).toBeVisible()
  const lossADay = settings.getByLabel('Maximum loss per day')
  await expect(lossADay).toBeHidden()
  await typeInto(page, 'Amount', '60')
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(settings.getByText('Maximum loss per day must be at least the stake')).toBeVisible()
  await expect(lossADay).toBeFocused()
  await typeInto(page, 'Amount', '5')
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(settings.getByText('Trend, 1 min, Buy and Sell, all symbols').first()).toBeVisible()
  await expect(settings.getByText('$5.00 a trade').first()).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Stop' }).click()
})

test('real money needs a plan and an approved identity, and says where to get them', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/automatic')
  const state = page.getByRole('region', { name: 'State of your automatic trades' })
  await expect(state.getByRole('link')).toHaveText([/^Choose a plan/, /^Verify your identity/])
  await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled()
  await expectGoodEverywhere(page, 'automatic-missing')
  await state.getByRole('link', { name: /^Choose a plan/ }).click()
  await expect(page).toHaveURL('/user/plan')
})

test('a trader buys a plan, confirms the measured results, and starts with real money', async ({ page }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await fund(email, 3_500)
  await approveIdentity(email)
  await page.goto('/user/plan')
  await page.getByRole('button', { name: 'Request Plan: BEGINNER' }).click()
  const dialog = page.getByRole('dialog', { name: 'Beginner plan' })
  await expect(dialog).toContainText('1 automatic trade a day')
  await dialog.getByRole('button', { name: 'Buy for $3,000.00' }).click()
  await expect(page.getByText('Your plan: Beginner')).toBeVisible()

  await page.getByRole('link', { name: 'automatic trades' }).click()
  await expect(page).toHaveURL('/user/automatic')
  const state = page.getByRole('region', { name: 'State of your automatic trades' })
  await expect(state.getByText('0 of 1')).toBeVisible()
  await page.getByRole('button', { name: 'Start' }).click()
  const confirm = page.getByRole('dialog', { name: 'Trade real money automatically?' })
  await expect(confirm).toContainText(/you need [\d.]+% to break even/)
  const go = confirm.getByRole('button', { name: 'Start with real money' })
  await expect(go).toBeDisabled()
  await confirm.getByText("I've read this strategy's results so far.").click()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/automatic-confirm.png` })
  await go.click()
  await expect(state.getByText('Running')).toBeVisible()
  const { state: kept } = await rootOf(page)
  expect(kept.mode).toBe('real')
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(state.getByText('Nothing is traded until you start.')).toBeVisible()
})
