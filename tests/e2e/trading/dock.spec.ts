import { fund } from '../support/cashier.ts'
import { signedIn } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, type Page, test } from '../support/test.ts'
import { balanceShown, chooseSymbol, place, placedCard, setOrder } from '../support/trading.ts'

const MINUTE_MS = 60_000
const dock = (page: Page) => page.getByRole('region', { name: 'Transaction history' })
const ticket = (page: Page) => page.getByRole('region', { name: /^New order/ })
const labels = (page: Page, symbol: string) => page.getByRole('list', { name: `Open trades on ${symbol}` })
const tab = (page: Page, name: string) => dock(page).getByRole('tab', { name, exact: true })

async function openTrading(page: Page, mode: 'demo' | 'real' = 'demo'): Promise<void> {
  const account = await signedIn(page, { mode })
  if (mode === 'real') await fund(account.email, 500)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
}

tapeTest('open trades are on the chart and in the dock, until they have ended', async ({ page, tape }) => {
  await tape.toNextDayWithin(10 * MINUTE_MS)
  await openTrading(page)
  await setOrder(page, { duration: '3 min', amount: '100' })
  await place(page, 'Buy')
  await expect(tab(page, 'Open 1')).toHaveAttribute('aria-selected', 'true')
  // So the trades end one after the other, and the figures follow both.
  await tape.advance(5_000)
  await setOrder(page, { amount: '50' })
  await place(page, 'Buy')
  await expect(tab(page, 'Open 2')).toBeVisible()
  await expect(dock(page).getByText('At risk $150.00')).toBeVisible()
  await expect(dock(page).getByText(/^If they ended now [+−]?\$\d/)).toBeVisible()

  // The label and its rows show each other.
  await page.getByRole('heading', { level: 1 }).hover()
  const background = (index: number) =>
    dock(page)
      .getByRole('row')
      .nth(index)
      .evaluate((row) => getComputedStyle(row).backgroundColor)
  const plain = await background(1)
  const isMarked = async () => [await background(1), await background(2)].some((one) => one !== plain)
  const label = labels(page, 'BCHBTC').getByRole('button').first()
  await label.focus()
  await expect.poll(isMarked).toBe(true)
  await label.blur()
  await expect.poll(isMarked).toBe(false)
  await expectAccessible(page)

  await tape.advance(4 * MINUTE_MS)
  await expect(labels(page, 'BCHBTC')).toBeHidden()
  await tab(page, 'Closed today 2').click()
  await expect(dock(page).getByText(/^(Won|Lost|Draw)$/)).toHaveCount(2)
  const isNetShown = async () => {
    const net = Number((await balanceShown(page)).replace(/[$,]/g, '')) - 10_000
    const shown = `${net > 0 ? '+' : net < 0 ? '−' : ''}$${Math.abs(net).toFixed(2)}`
    return dock(page).getByText(`Net ${shown}`).isVisible()
  }
  await expect.poll(isNetShown, 'the dock and the balance agree').toBe(true)
  await expect(page.getByText(/^Today .*Break-even 57\.1%/)).toBeVisible()
  for (const [width, height] of [
    [1280, 720],
    [1366, 768],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height })
    const panel = page.getByRole('complementary', { name: 'Profits and recent trades' })
    const hidden = () => panel.evaluate((element) => element.scrollHeight - element.clientHeight)
    await expect.poll(hidden, `the panel shows everything at ${width} px`).toBe(0)
  }
})

test('four open trades are in view without scrolling, two on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 768 })
  await openTrading(page)
  for (const [at, amount] of ['10', '20', '30', '40'].entries()) {
    await setOrder(page, { duration: '1 day', amount })
    await place(page, at % 2 ? 'Buy' : 'Sell')
    await expect(tab(page, `Open ${at + 1}`)).toBeVisible()
  }
  for (const [width, height, rows] of [
    [1366, 768, 4],
    [1000, 800, 4],
    [1920, 1080, 4],
    [390, 844, 2],
  ] as const) {
    await page.setViewportSize({ width, height })
    const repeats = dock(page).getByRole('button', { name: /^Repeat/ })
    await expect(repeats).toHaveCount(4)
    // The whole row, down to its second line.
    const row = dock(page)
      .locator('tbody tr, li')
      .nth(rows - 1)
    await expect(row, `at ${width} px`).toBeInViewport({ ratio: 0.98 })
  }
})

test('the tabs and rows work from the keyboard', async ({ page }) => {
  await openTrading(page)
  await setOrder(page, { duration: '30 min' })
  for (const open of ['Open 1', 'Open 2']) {
    await place(page, 'Buy')
    await expect(tab(page, open)).toBeVisible()
    // The same order within half a second is a double click.
    await page.waitForTimeout(600)
  }
  await tab(page, 'Open 2').focus()
  await page.keyboard.press('ArrowRight')
  await expect(tab(page, 'Closed today')).toBeFocused()
  await expect(page.getByText('No trades closed today')).toBeVisible()
  await page.keyboard.press('End')
  await expect(tab(page, 'All')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Home')
  await expect(tab(page, 'Open 2')).toBeFocused()
  await page.keyboard.press('Tab')
  const name = dock(page).getByRole('button', { name: /^Buy BCHBTC$/ })
  await expect(name.first()).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(name.nth(1)).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Buy BCHBTC' })).toBeVisible()
})

test('a label that trades share lists them', async ({ page }) => {
  await openTrading(page)
  await setOrder(page, { duration: '1 day' })
  for (const amount of ['10', '20', '30']) {
    await setOrder(page, { amount })
    await place(page, 'Buy')
    await expect(dock(page).getByText(`$${amount}.00`, { exact: true }).first()).toBeVisible()
  }
  // On candles of a day, the entries are close together.
  await page.getByRole('group', { name: 'Candle interval' }).getByRole('radio', { name: '1 day' }).check()
  const label = labels(page, 'BCHBTC').getByRole('button', { name: /^3 trades/ })
  await expect(label).toContainText(/[0-3] winning/)
  await label.focus()
  await page.keyboard.press('Enter')
  const list = page.getByRole('dialog', { name: '3 trades on BCHBTC' })
  await expect(list.getByRole('button', { name: /Details$/ })).toHaveCount(3)
  await expectAccessible(page)
  await list.getByRole('button', { name: /\$20\.00/ }).click()
  await expect(page.getByRole('dialog', { name: 'Buy BCHBTC' })).toContainText('$20.00')
})

for (const mode of ['demo', 'real'] as const)
  test(`repeating a trade fills the order and places nothing (${mode})`, async ({ page }) => {
    await openTrading(page, mode)
    await chooseSymbol(page, 'ETHUSDT')
    await setOrder(page, { duration: '1 hour', amount: '12.50' })
    await place(page, 'Sell', { asked: mode === 'real' })
    await expect(tab(page, 'Open 1')).toBeVisible()
    await chooseSymbol(page, 'BTCUSDT')
    await setOrder(page, { duration: '1 minute', strike: 'Buy pays 11%, Sell pays 13%', amount: '200' })
    const balance = await balanceShown(page)
    const submissions: string[] = []
    page.on('request', (request) => request.url().endsWith('/trading/submit') && submissions.push(request.url()))

    const repeat = dock(page).getByRole('button', { name: 'Repeat Sell ETHUSDT for $12.50' })
    await repeat.focus()
    // A key that is held repeats.
    await page.keyboard.down('Enter')
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await expect(page.getByRole('region', { name: 'Chart of ETHUSDT' })).toBeVisible()
    await expect(ticket(page).getByRole('radio', { name: '1 hour' })).toBeChecked()
    await expect(ticket(page).getByRole('radio', { name: /^Best/ })).toBeChecked()
    await expect(ticket(page).getByLabel('Amount', { exact: true })).toHaveValue('12.5')
    await expect(page.getByText('The order is Sell ETHUSDT for $12.50, 1 h. Nothing is placed.')).toBeAttached()
    expect(submissions).toEqual([])
    expect(await balanceShown(page)).toBe(balance)
    await place(page, 'Sell')
    await expect(tab(page, 'Open 2')).toBeVisible()
  })

test('a stake typed in demo is not taken into live', async ({ page }) => {
  const account = await signedIn(page)
  await fund(account.email, 500)
  await page.goto('/user/home')
  const amount = ticket(page).getByLabel('Amount', { exact: true })
  await amount.fill('320')
  await page.getByRole('banner').getByRole('button', { name: 'Trade Live' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Trade Live' }).click()
  await expect(amount).toHaveValue('100')
  await page.reload()
  await expect(amount).toHaveValue('100')
})

test('the empty dock shows the hints of the first minute again', async ({ page }) => {
  await openTrading(page)
  const hint = page.getByRole('region', { name: /^Hint/ })
  const showMe = dock(page).getByRole('button', { name: 'Show me' })
  await expect(hint).toContainText('This is the price')
  await expect(showMe, 'they are there already').toHaveCount(0)
  await hint.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Close the hints' }).click()
  await showMe.press('Enter')
  await expect(hint).toContainText('This is the price')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Close the hints' }).click()
  await expect(hint).toHaveCount(0)
  await place(page, 'Buy')
  await expect(tab(page, 'Open 1')).toBeVisible()
  await expect(showMe).toHaveCount(0)
})

test('toasts of placed trades cover no row of the dock, at every width', async ({ page }) => {
  await openTrading(page)
  await setOrder(page, { duration: '1 day', amount: '10' })
  for (const [at, width] of [1920, 1366, 1000, 800].entries()) {
    await page.setViewportSize({ width, height: 800 })
    await setOrder(page, { amount: String(10 + at) })
    const card = placedCard(page, `$${10 + at}.00 for 1 day, placed`)
    await place(page, 'Buy')
    const { bottom } = await card
    const rows = (await dock(page).boundingBox())!
    expect(bottom, `at ${width} px`).toBeLessThanOrEqual(rows.y)
  }
})

tapeTest(
  'the first result stays until it is closed, and on a phone its words have most of the card',
  async ({ page, tape }) => {
    await openTrading(page)
    await setOrder(page, { duration: '1 minute', amount: '10' })
    await place(page, 'Buy')
    await expect(tab(page, 'Open 1')).toBeVisible()
    await tape.advance(62_000)
    await tape.advance(2_000)
    const card = page.getByRole('status').filter({ hasText: 'See the proof' })
    const words = card.getByText(/^BCHBTC (was (higher|lower)|had the same price) at /)
    await expect(words).toBeVisible()
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 800 })
      expect((await words.boundingBox())!.width, `at ${width} px`).toBeGreaterThan(width / 2)
    }
    await card.getByRole('button', { name: 'Dismiss' }).click()
    await expect(card).toBeHidden()
  },
)
