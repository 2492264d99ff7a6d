import { expect, test } from '../support/test.ts'

const COINS = [
  ['/bitcoin-trading', 'BTCUSD'],
  ['/bitcoin-cash', 'BCHUSD'],
  ['/litecoin-trading', 'LTCUSD'],
  ['/etherum-trading', 'ETHUSD'],
  ['/ripple-trading', 'XRPUSD'],
] as const

test("a coin page shows the current price, and says if prices aren't live", async ({ page }) => {
  for (const [path, symbol] of COINS) {
    await page.goto(path)
    const price = page.getByRole('main').locator(`[data-quote="${symbol}"]`)
    await expect(price).toContainText(/\d\.\d+ [+−]\d+\.\d\d% Simulated prices$/)
    await expect(page.getByRole('region', { name: 'Market prices' })).toContainText('Simulated prices')
  }
})

test('the price on a coin page follows the tape', async ({ page }) => {
  await page.goto('/bitcoin-trading')
  const price = page.getByRole('main').locator('[data-quote="BTCUSD"]')
  await expect(price).toContainText('%')
  const first = await price.textContent()
  await expect.poll(() => price.textContent()).not.toBe(first)
})

test('a legal page prints dark on white with its contents, without screen-only parts', async ({ page }) => {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  for (const path of ['/legal', '/privacy', '/aml-policy', '/payment-policy', '/risk-disclosure']) {
    await page.goto(path)
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(15, 20, 30)')
    await expect(page.getByRole('navigation', { name: 'Contents' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toBeHidden()
    await expect(page.getByRole('link', { name: 'Live Chat' })).toBeHidden()
  }
})

test('the contents of a legal page link to its sections, clear of the header', async ({ page }) => {
  await page.goto('/legal')
  await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Liability' }).click()
  await expect(page).toHaveURL(/#liability$/)
  const heading = page.getByRole('heading', { name: 'Liability' })
  await expect(heading).toBeInViewport()
  const header = await page.locator('[data-header]').boundingBox()
  expect((await heading.boundingBox())!.y).toBeGreaterThanOrEqual(header!.y + header!.height)
})
