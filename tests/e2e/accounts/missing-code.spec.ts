import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, type Page, test } from '../support/test.ts'

/** The code of the trade history, which loads on the first visit. */
const CODE = '**/assets/trade-history-*.js'

/** Counts page loads from now on. */
function countLoads(page: Page): { n: number } {
  const loads = { n: 0 }
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads.n++
  })
  return loads
}

const toHistory = (page: Page) =>
  page.getByRole('navigation', { name: 'Trading' }).getByRole('link', { name: 'Trade history' }).click()

test('a screen whose code fails to load says so and offers ways to continue', async ({ page, trouble }) => {
  trouble.expect('failed: GET /assets/trade-history-')
  trouble.allow('failed: GET /user/trade-history', 'ERR_FAILED')
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  const loads = countLoads(page)
  await page.route(CODE, (route) => route.abort())
  await toHistory(page)
  await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible()
  await expect(page.getByText('Failed to fetch dynamically imported module')).toBeVisible()
  await expectAccessible(page)

  // Go back without the network: loaded screens still work.
  await page.getByRole('link', { name: 'Back to trading' }).click()
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await toHistory(page)

  // The app reports that the server is gone, instead of the browser's error page.
  await page.route('**/user/trade-history', (route) => route.abort())
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText("We can't reach the server.")).toBeVisible()
  expect(loads.n, 'nothing was reloaded').toBe(0)

  await page.unroute('**/user/trade-history')
  await page.unroute(CODE)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Trade history' })).toBeVisible()
  expect(loads.n).toBe(1)
})

test('loads a new build automatically, once, even if its code fails too', async ({ page, trouble }) => {
  trouble.expect('failed: GET /assets/trade-history-')
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  const loads = countLoads(page)
  await page.route(CODE, (route) => route.abort())
  // The page finds a different build than its own, but the server still sends the old one.
  await page.route('**/user/trade-history', async (route) => {
    if (route.request().isNavigationRequest()) return route.continue()
    await route.fulfill({ contentType: 'text/html', body: '<script src="/assets/manifest-0a1b2c3d.js"></script>' })
  })
  await toHistory(page)
  await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible()
  // Leave time for a second and third reload, which must not happen.
  await page.waitForTimeout(1_500)
  expect(loads.n).toBe(1)
  await expect(page).toHaveURL('/user/trade-history')
})
