import { signedIn } from '../../support/people.ts'
import { type Tape, tapeTest } from '../../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page } from '../../support/test.ts'
import { place, setOrder } from '../../support/trading.ts'

const MINUTE_MS = 60_000
/** Prices every 20 s are enough for a variance. */
const STEP_MS = 20_000
const WIDTH = 468
/** What a sheet leaves of a phone's screen, at least. */
const LEFT_FREE = 40

const details = (page: Page) => page.getByRole('dialog', { name: /^(Buy|Sell) \w+$/ })
const proofOf = (page: Page) => details(page).getByRole('region', { name: 'Receipt' })

/** A Buy and a Sell that have ended, and on top a Buy that runs for half an hour. */
async function threeTrades(page: Page, tape: Tape): Promise<void> {
  // They are closed on one day.
  await tape.toNextDayWithin(45 * MINUTE_MS)
  await page.goto('/user/home')
  // A value to sell for needs half an hour of prices.
  await tape.advance(33 * MINUTE_MS, STEP_MS)
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await place(page, 'Buy')
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
  await place(page, 'Sell')
  await expect(page.getByRole('tab', { name: 'Open 2' })).toBeVisible()
  // With a minute more for the checkpoint that signs the receipts.
  await tape.advance(3 * MINUTE_MS)
  await setOrder(page, { duration: '30 min' })
  await place(page, 'Buy')
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
  await tape.advance(12_000, 1_000)
}

tapeTest(
  'details are a sheet at the right that steps through its list, and says what an open trade is worth',
  async ({ page, tape }) => {
    await page.setViewportSize({ width: 1366, height: 768 })
    await signedIn(page, { mode: 'demo' })
    await threeTrades(page, tape)

    await page.goto('/user/trade-history')
    const rows = page.getByRole('row')
    await rows
      .nth(1)
      .getByRole('button', { name: /^Details of/ })
      .click()
    const sheet = details(page)
    // It slides in.
    await expect
      .poll(() => sheet.locator('> div').boundingBox())
      .toEqual({ x: 1366 - WIDTH, y: 0, width: WIDTH, height: 768 })
    await expect(sheet).toContainText('In Progress')
    await expect(sheet).toContainText(/[+−]?\$\d+\.\d\dIf it ended now · time left \d\d:\d\d/)
    await expect(sheet.getByRole('button', { name: /^Sell for \$\d+\.\d\d, Buy BCHBTC$/ })).toBeEnabled()
    await expect(sheet.getByRole('link', { name: /^Repeat/ })).toHaveCount(0)
    await expectAccessible(page)

    await page.keyboard.press('ArrowUp')
    await expect(sheet, 'nothing is before the first').toContainText('In Progress')
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('dialog', { name: 'Sell BCHBTC' })).toBeVisible()
    await expect(sheet.getByRole('status').filter({ hasText: /^Sell BCHBTC, .*, 2 of 3$/ })).toHaveCount(1)
    await expect(sheet.getByRole('link', { name: 'Repeat: Sell, $100.00, 1 min' })).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('dialog', { name: 'Buy BCHBTC' })).toContainText(/^Buy BCHBTCDemo.*(Won|Lost|Draw)/)
    await page.keyboard.press('ArrowUp')
    await expect(page.getByRole('dialog', { name: 'Sell BCHBTC' })).toBeVisible()

    await expect(proofOf(page)).toBeHidden()
    await page.keyboard.press('p')
    await expect(proofOf(page).getByText(/^Genuine: all \d+ steps passed\.$/)).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('P')
    await expect(proofOf(page)).toBeHidden()

    // What is typed belongs to the field.
    await sheet.getByText('Note and tags').click()
    await sheet.getByLabel('Note').fill('u')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('p')
    await expect(sheet.getByLabel('Note')).toHaveValue('up')
    await expect(proofOf(page)).toBeHidden()
    await page.keyboard.press('Escape')
    await expect(sheet).toBeHidden()
  },
)

tapeTest(
  'the dock steps through the rows of its tab, and a dialog over the details keeps its keys',
  async ({ page, tape }) => {
    await page.setViewportSize({ width: 1366, height: 768 })
    await signedIn(page, { mode: 'demo' })
    await threeTrades(page, tape)
    await page.getByRole('tab', { name: /^Closed today/ }).click()
    await page
      .getByRole('row', { name: /Sell/ })
      .getByRole('button', { name: /^Details of/ })
      .click()
    const sheet = details(page)
    await expect(sheet.getByRole('button', { name: /^Repeat: Sell/ })).toBeVisible()
    await page.keyboard.press('ArrowUp')
    await expect(sheet.getByRole('button', { name: /^Repeat: Sell/ }), 'the open trade is in another tab').toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expect(sheet.getByRole('button', { name: /^Repeat: Buy/ })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(sheet).toBeHidden()

    await page.getByRole('tab', { name: 'All' }).click()
    await page
      .getByRole('row', { name: /Buy/ })
      .first()
      .getByRole('button', { name: /^Details of/ })
      .click()
    await sheet.getByRole('button', { name: /^Sell for/ }).click()
    const question = page.getByRole('dialog', { name: 'Sell your Buy of BCHBTC now?' })
    await expect(question).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    await expect(question).toBeHidden()
    await expect(sheet).toContainText('In Progress')

    // On a phone it rises from the bottom.
    await page.setViewportSize({ width: 390, height: 600 })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('p')
    await expect(proofOf(page).getByText(/^Genuine/)).toBeVisible()
    await expect
      .poll(() => sheet.locator('> div').boundingBox())
      .toEqual({ x: 0, y: LEFT_FREE, width: 390, height: 600 - LEFT_FREE })
    await expectNoSidewaysScroll(page)
  },
)

tapeTest('a receipt that fails its check opens the proof in red, without being asked', async ({ page, tape }) => {
  await signedIn(page, { mode: 'demo' })
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await place(page, 'Buy')
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
  await tape.advance(3 * MINUTE_MS)
  await page.route('**/api/trading/*/receipt', async (route) => {
    const text = await (await route.fetch()).text()
    await route.fulfill({ body: text.replace('"side":"Buy"', '"side":"Sell"'), contentType: 'application/json' })
  })
  await page.goto('/user/trade-history')
  await page.getByRole('button', { name: /^Details of/ }).click()
  await expect(proofOf(page).getByText(/^Not genuine: a step failed/)).toBeVisible()
  await expect(proofOf(page).getByText('The side was changed from Buy to Sell')).toBeVisible()
  await expect(details(page).getByText('a check failed')).toBeVisible()
  await expectAccessible(page)
  // It can be folded all the same.
  await details(page).getByText('Prove it').click()
  await expect(proofOf(page)).toBeHidden()
})
