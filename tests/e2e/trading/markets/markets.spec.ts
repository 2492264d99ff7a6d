import { signedIn } from '../../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../../support/test.ts'
import { balanceShown, placeBy } from '../../support/trading.ts'

const markets = (page: Page) => page.getByRole('region', { name: 'Markets', exact: true })
const row = (page: Page) => page.getByRole('region', { name: 'Favourite markets' })
const chart = (page: Page, symbol: string) => page.getByRole('region', { name: `Chart of ${symbol}` })

async function onScreen(page: Page, width = 1366): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
}

test('the markets are next to the chart where it keeps 560 px, in a row and a sheet elsewhere', async ({ page }) => {
  await onScreen(page, 1320)
  await expect(markets(page)).toBeVisible()
  await expect(row(page)).toBeHidden()
  expect((await chart(page, 'BCHBTC').boundingBox())!.width).toBeGreaterThanOrEqual(560)
  await expectAccessible(page)
  for (const width of [1319, 1000, 390, 320]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(markets(page)).toBeHidden()
    await expect(row(page)).toBeVisible()
    await expectNoSidewaysScroll(page)
  }
  await row(page).getByRole('button', { name: 'BTCUSDT' }).click()
  await expect(chart(page, 'BTCUSDT')).toBeVisible()
  await row(page).getByRole('button', { name: 'Markets' }).click()
  await expect(page.getByRole('combobox', { name: 'Search' })).toBeFocused()
  await expectAccessible(page)
})

test('below 1320 px the sheet has favourites, recents and movers, with the keyboard alone', async ({ page }) => {
  await onScreen(page, 390)
  const sheet = page.getByRole('dialog', { name: 'Search' })
  const group = (name: string | RegExp) => sheet.getByRole('group', { name }).getByRole('option')
  const open = async () => {
    await row(page).getByRole('button', { name: 'Markets' }).focus()
    await page.keyboard.press('Enter')
    await expect(sheet.getByRole('combobox')).toBeFocused()
  }
  await open()
  await expect(group('Favourites')).toHaveCount(5)
  await expect(group('Recent')).toHaveCount(0)
  await expect(group('Most moved, 24 h')).toHaveCount(12)
  await page.keyboard.press('End')
  const mover = (await group('Most moved, 24 h').last().getAttribute('data-id'))!
  await page.keyboard.press('Enter')
  await expect(chart(page, mover)).toBeVisible()
  await open()
  await expect(group('Recent')).toHaveCount(1)
  await expect(group('Recent')).toContainText(mover.slice(0, 3))
  await expect(sheet.locator(`[data-id="${mover}"]`), 'a market is listed once').toHaveCount(1)
  await expectAccessible(page)
  // Shift+Tab leads to the lists.
  await sheet.getByRole('radio', { name: 'Favourites' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(group('Most moved, 24 h')).toHaveCount(24)
  await page.keyboard.press('ArrowRight')
  await expect(group(/^Against/).first()).toBeVisible()
  await sheet.getByRole('radio', { name: 'Cryptocurrency' }).check({ force: true })
  await expect(group(/^Against (BTC|USDT)$/)).toHaveCount(31)
  await expectAccessible(page)
})

test('the market head names the market and has its star, where there is room', async ({ page }) => {
  await onScreen(page)
  const head = page.locator('h1').locator('..')
  await expect(head.getByText('Bitcoin Cash / Bitcoin')).toBeVisible()
  const star = head.getByRole('button', { name: 'Favourite BCHBTC' })
  await star.click()
  await expect(star).toHaveAttribute('aria-pressed', 'false')
  // Below the favourites are those that moved most, which may name it too.
  const favourites = markets(page).getByRole('list').first()
  await expect(favourites.getByRole('button', { name: 'Favourite XRPUSDT' })).toBeVisible()
  await expect(favourites.getByRole('button', { name: 'Favourite BCHBTC' })).toHaveCount(0)
  await page.setViewportSize({ width: 390, height: 800 })
  await expect(head.getByText('Bitcoin Cash / Bitcoin')).toBeHidden()
  await expect(star).toBeHidden()
})

test('the row of favourites says which markets are closed or stale', async ({ page }) => {
  await page.route('**/api/prices/instruments', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    for (const one of body.data) {
      if (one.symbol === 'ETHUSDT') one.status = 'closed'
      if (one.symbol === 'XRPUSDT') one.status = 'stale'
    }
    await route.fulfill({ response, json: body })
  })
  await onScreen(page, 1000)
  await expect(row(page).getByRole('button', { name: 'ETHUSDT' })).toHaveText('ETHUSDTClosed')
  await expect(row(page).getByRole('button', { name: 'XRPUSDT' })).toHaveText('XRPUSDTStale')
  await expect(row(page).getByRole('button', { name: 'BTCUSDT' })).toHaveText(/%$/)
})

test('stars are kept with the account, and what was opened last is at hand', async ({ page, browser }) => {
  await page.setViewportSize({ width: 1366, height: 800 })
  const account = await signedIn(page)
  await page.goto('/user/home')
  const star = (on: Page, symbol: string) => markets(on).getByRole('button', { name: `Favourite ${symbol}` })
  await markets(page)
    .getByRole('radio', { name: /^All 79/ })
    .check({ force: true })
  await star(page, 'ZECBTC').click()
  await expect(star(page, 'ZECBTC')).toHaveAttribute('aria-pressed', 'true')
  await markets(page)
    .getByRole('button', { name: /^XRPEUR/ })
    .click()
  await expect(page).toHaveURL('/user/home?symbol=XRPEUR')
  await markets(page).getByRole('radio', { name: 'Favourites' }).check({ force: true })
  await star(page, 'ETHUSDT').click()
  await expect(star(page, 'ZECBTC')).toBeVisible()
  await expect(markets(page).getByRole('heading', { name: 'Recent' })).toBeVisible()
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('screen'))).toBeNull()
  const other = await (
    await browser.newContext({ baseURL: new URL(page.url()).origin, viewport: { width: 1366, height: 800 } })
  ).newPage()
  await signedIn(other, { account })
  await other.goto('/user/home')
  await expect(chart(other, 'XRPEUR')).toBeVisible()
  await expect(star(other, 'ZECBTC')).toHaveAttribute('aria-pressed', 'true')
  await expect(star(other, 'ETHUSDT').and(other.locator('[aria-pressed="true"]'))).toHaveCount(0)
  await other.context().close()
})

test('one search finds names and codes of both trading types, and says what can’t be traded', async ({ page }) => {
  await onScreen(page)
  const search = page.getByRole('combobox', { name: 'Search' })
  const found = page.getByRole('option')
  await page.keyboard.press('/')
  for (const [typed, first, count] of [
    ['bitcoin', /^(Favourite)?BTC/, undefined],
    ['xrp eur', /^XRPEUR/, 1],
    ['EURUSD', /^EURUSD.*Not tradable: Display only/, 1],
    ['doge', /./, 0],
  ] as const) {
    await search.fill(typed)
    if (count !== undefined) await expect(found).toHaveCount(count)
    if (count !== 0) await expect(found.first()).toHaveText(first)
  }
  await expect(page.getByText('Nothing found for "doge". Try a coin or currency')).toBeVisible()
  // What can't be traded isn't opened.
  await search.fill('EURUSD')
  await search.press('Enter')
  await expect(search).toBeVisible()
  await search.fill('euro ripple')
  await search.fill('ethereum eur')
  await search.press('Enter')
  await expect(chart(page, 'ETHEUR')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Trading type Currencies' })).toBeVisible()
})

test('arrow keys move through the markets, and M hides them permanently', async ({ page }) => {
  await onScreen(page)
  await markets(page)
    .getByRole('button', { name: /^BCHBTC/ })
    .focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await expect(markets(page).getByRole('button', { name: /^ETHUSDT/ })).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(markets(page).getByRole('button', { name: 'Favourite ETHUSDT' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(chart(page, 'ETHUSDT')).toBeVisible()
  // The focus stays on the market; the keys still trade.
  await placeBy(page, () => page.keyboard.press('s'))
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  await page.keyboard.press('m')
  await expect(markets(page)).toBeHidden()
  await page.reload()
  await expect(row(page)).toBeVisible()
  await row(page).getByRole('button', { name: 'Markets' }).click()
  await expect(markets(page)).toBeVisible()
})

test('every market has its line of 24 hours in a place that is kept free, from one request for all', async ({
  page,
}) => {
  let requests = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/prices/sparklines', async (route) => {
    requests++
    await held
    await route.continue()
  })
  await onScreen(page)
  const list = markets(page).getByRole('listitem')
  await expect(list.first()).toBeVisible()
  const places = () =>
    list
      .locator(':is(svg, button > span)')
      .evaluateAll((all) =>
        all.slice(0, 30).map((one) => [one.getBoundingClientRect().left, one.getBoundingClientRect().top]),
      )
  await expect(list.locator('path[vector-effect]')).toHaveCount(0)
  const before = await places()
  release()
  await expect(list.first().locator('path[vector-effect]')).toHaveCount(1)
  expect(await places()).toEqual(before)
  await page.keyboard.press('/')
  await expect(page.getByRole('option', { name: /BTCUSDT/ }).locator('path[vector-effect]')).toHaveCount(1)
  // The lists of the page are read again after a gap in the stream; never one request for each market.
  expect(requests).toBeLessThanOrEqual(2)
})

test('a search result gets and loses its star by a tap, by Alt+S, and by S after an arrow key', async ({ page }) => {
  await onScreen(page)
  const search = page.getByRole('combobox', { name: 'Search' })
  const option = page.getByRole('option', { name: /ZECBTC/ })
  await page.keyboard.press('/')
  await search.fill('zcash btc')
  await option.getByTitle('Add to favourites').click()
  await expect(option).toContainText('Favourite')
  await expect(search).toBeFocused()
  await expectAccessible(page)
  await search.press('Alt+s')
  await expect(option).not.toContainText('Favourite')
  await expect(search).toHaveValue('zcash btc')
  await search.press('ArrowDown')
  await search.press('s')
  await expect(option).toContainText('Favourite')
  await expect(search).toHaveValue('zcash btc')
  // What is typed after that is text again.
  await search.press('x')
  await search.press('s')
  await expect(search).toHaveValue('zcash btcxs')
  await page.keyboard.press('Escape')
  await expect(markets(page).getByRole('button', { name: 'Favourite ZECBTC' })).toHaveAttribute('aria-pressed', 'true')
})
