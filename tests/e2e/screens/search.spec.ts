import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { isPhone, place } from '../support/trading.ts'

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' })
const field = (page: Page) => dialog(page).getByRole('combobox', { name: 'Search' })
const group = (page: Page, name: string) => dialog(page).getByRole('group', { name }).getByRole('option')
const button = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Search markets, trades, pages' })
/** Opens a screen, and waits until it has its keys. */
async function onScreen(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(button(page)).toBeVisible()
}
const chart = (page: Page, symbol: string) => page.getByRole('region', { name: `Chart of ${symbol}` })

test('/ opens the search on every screen; arrows choose and Enter opens a market, a page or own trades', async ({
  page,
}) => {
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await place(page, 'Buy')
  const { trade_id } = (await page.evaluate(async () => {
    const { tokens } = JSON.parse(localStorage.getItem('root')!).state.auth
    const headers = { authorization: `Bearer ${tokens.access.token}` }
    return (await (await fetch('/api/trading?mode=demo', { headers })).json()).data[0]
  })) as { trade_id: string }
  await onScreen(page, '/user/edit-profile')
  const name = page.getByLabel('Firstname')
  // In a field, it is a character.
  await name.press('/')
  await expect(dialog(page)).toBeHidden()
  await name.blur()
  await page.keyboard.press('/')
  await expect(field(page)).toBeFocused()
  await field(page).fill('bitcoin')
  await expect(group(page, 'Markets')).toHaveCount(5)
  await expect(group(page, 'Markets').first()).toHaveText(/^FavouriteBTCUSDTBitcoin \/ Tether · Cryptocurrency/)
  await expect(group(page, 'My trades')).toHaveText(/^1 trade on BCHBTCIn Progress$/)
  await expect(group(page, 'Pages').filter({ hasText: 'Deposit fund' })).toHaveText(/Live only$/)
  await expect(group(page, 'Pages').filter({ hasText: 'Bitcoin Trading' })).toBeAttached()
  await expect(dialog(page).getByRole('radio', { name: 'My trades 1' })).toBeVisible()
  await expectAccessible(page)

  await field(page).press('ArrowDown')
  await field(page).press('Enter')
  await expect(page).toHaveURL(/\/user\/home\?symbol=BTC/)
  await page.keyboard.press('/')
  await field(page).fill('security')
  await field(page).press('Enter')
  await expect(page).toHaveURL('/user/security')
  await page.keyboard.press('/')
  await field(page).fill('bchbtc')
  await expect(group(page, 'My trades')).toHaveCount(1)
  await dialog(page).getByRole('radio', { name: 'My trades 1' }).check({ force: true })
  await field(page).press('Enter')
  await expect(page).toHaveURL('/user/trade-history?symbol=BCHBTC')
  await page.keyboard.press('/')
  await field(page).fill(trade_id.toLowerCase())
  await expect(group(page, 'My trades')).toHaveText(new RegExp(`Trade ${trade_id}`))
  await field(page).press('Enter')
  await expect(page.getByRole('dialog', { name: 'Buy BCHBTC' })).toBeVisible()
})

test('public pages are found by what is on them', async ({ page }) => {
  await signedIn(page)
  await onScreen(page, '/user/statistics')
  for (const [typed, path, heading] of [
    ['odds', '/prices#odds', 'The odds on offer'],
    ['outages', '/incidents', 'Incidents'],
  ] as const) {
    await page.keyboard.press('/')
    await field(page).fill(typed)
    await expect(group(page, 'Pages').first()).toBeVisible()
    await field(page).press('Enter')
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('heading', { name: heading }).first()).toBeInViewport()
    await onScreen(page, '/user/statistics')
  }
})

test('recent searches come first, for the user who typed them only', async ({ page }) => {
  await signedIn(page)
  await onScreen(page, '/user/statistics')
  await page.keyboard.press('/')
  await expect(group(page, 'Recent searches')).toHaveCount(0)
  await field(page).fill('ethereum')
  await expect(group(page, 'Markets').first()).toBeVisible()
  await field(page).press('Enter')
  await expect(chart(page, 'ETHUSDT')).toBeVisible()
  await page.keyboard.press('/')
  await expect(dialog(page).getByRole('option').first()).toHaveText('ethereum')
  await field(page).press('Home')
  await field(page).press('Enter')
  await expect(field(page)).toHaveValue('ethereum')
  await expect(group(page, 'Markets').first()).toHaveText(/ETH/)
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await signedIn(page)
  await onScreen(page, '/user/statistics')
  await page.keyboard.press('/')
  await expect(group(page, 'Favourites').first()).toBeVisible()
  await expect(group(page, 'Recent searches')).toHaveCount(0)
})

test('what can’t be opened says why, and Enter skips it', async ({ page }) => {
  await signedIn(page)
  await onScreen(page, '/user/alerts')
  await page.keyboard.press('/')
  await field(page).fill('EURUSD')
  await expect(group(page, 'Markets')).toHaveText(/Not tradable: Display only$/)
  await field(page).press('Enter')
  await expect(field(page)).toBeVisible()
  await field(page).fill('withdraw fund')
  await expect(group(page, 'Pages')).toHaveText(/Live only$/)
  await group(page, 'Pages').click({ force: true })
  await expect(page).toHaveURL('/user/alerts')
  await expect(dialog(page)).toBeVisible()
})

test('the keyboard switch turns / off, and the header still opens the search', async ({ page }) => {
  await signedIn(page)
  await onScreen(page, '/user/statistics')
  await page.evaluate(() => localStorage.setItem('trade-keys', 'off'))
  await page.keyboard.press('/')
  await expect(dialog(page)).toBeHidden()
  await button(page).click()
  await expect(field(page)).toBeFocused()
})

test('the header has a field from 1320 px on, an icon below, and on a phone the menu has it', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/home')
  for (const [width, least, most] of [
    [1920, 420, 420],
    [1600, 370, 420],
    [1366, 240, 300],
    [1320, 180, 300],
    [1319, 40, 44],
    [800, 40, 44],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    const box = (await button(page).boundingBox())!
    expect(box.width, `${width}`).toBeGreaterThanOrEqual(least)
    expect(box.width, `${width}`).toBeLessThanOrEqual(most)
    await expectNoSidewaysScroll(page)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  expect(isPhone(page)).toBe(true)
  await expect(button(page)).toBeHidden()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: 'Search' }).click()
  await expect(field(page)).toBeFocused()
  await field(page).fill('bitcoin')
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
})

test('the search is loaded when it is first opened', async ({ page }) => {
  await signedIn(page)
  const scripts: string[] = []
  page.on('request', (request) => void (request.resourceType() === 'script' && scripts.push(request.url())))
  await onScreen(page, '/user/statistics')
  await expect(page.getByRole('heading', { name: 'Statistics' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  const isOfSearch = (url: string) => url.includes('/search-')
  expect(scripts.filter(isOfSearch)).toEqual([])
  await page.keyboard.press('/')
  await expect(field(page)).toBeVisible()
  expect(scripts.filter(isOfSearch)).toHaveLength(1)
})
