import type { Page } from '@playwright/test'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, test } from '../support/test.ts'
import { place, placedCard } from '../support/trading.ts'

test('the phone menu opens, lists its screens and closes with Escape', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/edit-profile')
  const opener = page.getByRole('button', { name: 'Open menu' })
  await opener.click()
  const menu = page.getByRole('dialog', { name: 'Menu' })
  for (const name of ['Quick trading', 'Trade history', 'Deposit fund', 'Withdraw history', 'KYC verification'])
    await expect(menu.getByRole('link', { name })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(opener).toBeFocused()
  const bottom = page.getByRole('navigation', { name: 'Quick links' })
  await expect(bottom.getByRole('link')).toHaveText([
    'Quick Trading',
    'Profits',
    'Deposit',
    'Withdraw',
    'Trading Plans',
  ])
})

test('the card of a placed trade covers no controls; its details open from the bottom', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  const card = placedCard(page)
  await place(page, 'Buy')
  const { top, bottom } = await card
  const header = (await page.getByRole('banner').boundingBox())!
  const order = (await page.getByRole('region', { name: 'New order' }).boundingBox())!
  expect(top).toBeGreaterThanOrEqual(header.y + header.height)
  expect(bottom).toBeLessThanOrEqual(order.y)

  await page.getByRole('button', { name: /Buy.*BCHBTC.*Details/s }).click()
  const details = page.getByRole('dialog', { name: 'Buy BCHBTC' })
  await expect(details.getByText('All details')).toBeVisible()
  const sheet = (await details.locator('> div').boundingBox())!
  expect(sheet.x).toBe(0)
  expect(sheet.y + sheet.height).toBe(page.viewportSize()!.height)
})

test('in demo mode, the bottom bar leaves the trading screen to the order, and leads to the others', async ({
  page,
}) => {
  await signedIn(page)
  await page.goto('/user/home')
  const order = page.getByRole('region', { name: 'New order' })
  await expect(order).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Quick links' })).toBeHidden()
  const bar = (await order.boundingBox())!
  expect(bar.y + bar.height).toBe(page.viewportSize()!.height)
  await page.goto('/user/trade-history')
  const links = page.getByRole('navigation', { name: 'Quick links' })
  await expect(links.locator('[aria-current]')).toHaveText('History')
  for (const [label, path] of [
    ['Automatic', '/user/automatic'],
    ['Statistics', '/user/statistics'],
    ['Alerts', '/user/alerts'],
  ] as const) {
    await links.getByRole('link', { name: label }).click()
    await expect(page).toHaveURL(path)
    await expect(links.locator('[aria-current=page]')).toHaveText(label)
  }
  // A page without an entry belongs to the first one of its group.
  await page.goto('/user/strategies')
  await expect(links.locator('[aria-current=true]')).toHaveText('Quick Trading')
  await links.getByRole('link', { name: 'Quick Trading' }).click()
  await expect(page).toHaveURL('/user/home')
})

test('the base filters of the search fade where more follow, and can all be reached', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/home')
  await page.getByRole('button', { name: /choose another symbol/ }).click()
  await page
    .getByRole('dialog')
    .getByRole('radio', { name: /^All 79/ })
    .check({ force: true })
  const bases = page.getByRole('group', { name: 'Base' })
  const faded = () => bases.locator('> div').evaluate((row) => getComputedStyle(row).getPropertyValue('--more'))
  await expect.poll(faded).toBe('56px')
  await bases.locator('> div').evaluate((row) => row.scrollTo({ left: row.scrollWidth }))
  await expect.poll(faded).toBe('0px')
  await expect(bases.getByText('ZRX')).toBeInViewport({ ratio: 1 })
})

/** Moves back without waiting for a navigation, which an open dialog prevents. */
const back = (page: Page) => page.evaluate(() => history.back())

test('Back closes the menu, the search and trade details, then leaves', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/trade-history')
  await page.getByRole('navigation', { name: 'Quick links' }).getByRole('link', { name: 'Quick Trading' }).click()
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  const depth = await page.evaluate(() => history.length)

  const menu = page.getByRole('dialog', { name: 'Menu' })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await expect(menu).toBeVisible()
  await back(page)
  await expect(menu).toBeHidden()
  await expect(page).toHaveURL('/user/home')

  const search = page.getByRole('dialog', { name: 'Search' })
  const openSearch = page.getByRole('button', { name: /choose another symbol/ })
  await openSearch.click()
  await expect(search).toBeVisible()
  await back(page)
  await expect(search).toBeHidden()
  await openSearch.click()
  await search.getByRole('combobox').fill('ETHUSDT')
  await search.getByRole('combobox').press('Enter')
  await expect(search).toBeHidden()
  await expect(page).toHaveURL('/user/home?symbol=ETHUSDT')

  await place(page, 'Buy')
  const details = page.getByRole('dialog', { name: 'Buy ETHUSDT' })
  const openDetails = page.getByRole('button', { name: /Buy.*ETHUSDT.*Details/s })
  await openDetails.click()
  await expect(details.getByText('All details')).toBeVisible()
  await back(page)
  await expect(details).toBeHidden()
  await openDetails.click()
  await details.getByRole('button', { name: 'Close' }).click()
  await expect(details).toBeHidden()
  await expect(page).toHaveURL('/user/home?symbol=ETHUSDT')

  expect(await page.evaluate(() => history.length)).toBe(depth)
  await back(page)
  await expect(page).toHaveURL('/user/trade-history')
})

test('after following a link in the menu, Back returns to the screen before it at once', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/edit-profile')
  const menu = page.getByRole('dialog', { name: 'Menu' })
  for (const [name, url] of [
    ['Trade history', '/user/trade-history'],
    ['KYC verification', '/user/verify'],
  ] as const) {
    await page.getByRole('button', { name: 'Open menu' }).click()
    await menu.getByRole('link', { name }).click()
    await expect(page).toHaveURL(url)
    await expect(menu).toBeHidden()
  }
  await back(page)
  await expect(page).toHaveURL('/user/trade-history')
  await back(page)
  await expect(page).toHaveURL('/user/edit-profile')
})

test('an amount with cents is shown in full next to the buttons that change it', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/home')
  const amount = page.getByRole('region', { name: 'New order' }).getByLabel('Amount', { exact: true })
  for (const typed of ['100', '10000', '1234.5', '1234.56', '10000.00'])
    for (const width of [320, 360, 375, 390, 412, 480]) {
      await page.setViewportSize({ width, height: 844 })
      await amount.fill(typed)
      await expect
        .poll(() => amount.evaluate((input) => input.scrollWidth - input.clientWidth), `${typed} at ${width} px`)
        .toBeLessThanOrEqual(0)
    }
})
