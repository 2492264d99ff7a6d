import { newPerson, signedIn } from '../support/people.ts'
import { expect, type Page, scriptsOn, test, typeInto } from '../support/test.ts'
import { watchFor } from '../support/watch-for.ts'

const durationOf = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => getComputedStyle(element).transitionDuration)

test('a modal fades for 500 ms, or not at all with reduced motion', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/home')
  await page.getByRole('button', { name: /choose another symbol/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await expect(dialog).toBeVisible()
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await durationOf(page, 'dialog[open]')).toMatch(/^0\.5s/)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await durationOf(page, 'dialog[open]')).toMatch(/^0s/)
  // A click on the card doesn't close it; a click on the backdrop does.
  await dialog.getByText('Most moved, 24 h').click()
  await expect(dialog).toBeVisible()
  await page.mouse.click(5, 450)
  await expect(dialog).toBeHidden()
})

test('prices that change animate nothing: the trading screen draws when one comes, not sixty times a second', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ baseURL: baseURL!, reducedMotion: 'no-preference' })
  const page = await context.newPage()
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  const moving = () =>
    page.evaluate(() =>
      document.getAnimations().map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target?.outerHTML : '')),
    )
  // What the first screen fades in has ended.
  await expect.poll(moving).toEqual([])
  const animated = await page.getByText(/^Latest price of BCHBTC/).evaluate(async (price) => {
    const seen = new Set<string>()
    const prices = new Set<string | null>()
    while (prices.size < 6) {
      prices.add(price.textContent)
      for (const { effect } of document.getAnimations())
        if (effect instanceof KeyframeEffect) seen.add(effect.target?.outerHTML ?? '')
      await new Promise(requestAnimationFrame)
    }
    return [...seen]
  })
  expect(animated).toEqual([])
  await context.close()
})

test('an error toast appears at the top right and closes after five seconds', async ({ page, trouble }) => {
  trouble.expect('answered 503')
  await page.goto('/auth/forgot-password')
  await page.route('**/api/auth/reset-password*', (route) =>
    route.fulfill({ status: 503, json: { status: false, code: 'unavailable', message: 'The mail rests.' } }),
  )
  await typeInto(page, 'Email', newPerson().email)
  const watch = await watchFor(page, 'alert', 'The mail rests.')
  await page.getByRole('button', { name: 'Send reset link' }).click()
  const toast = page.getByRole('alert').filter({ hasText: 'The mail rests.' })
  const isTopRight = () =>
    toast.evaluate((element) => {
      const { right, top } = element.getBoundingClientRect()
      return right > 1_300 && right <= innerWidth && top < 100
    })
  await expect.poll(isTopRight).toBe(true)
  await page.mouse.move(300, 800)
  const shownMs = await watch.shownMs()
  expect(shownMs).toBeGreaterThan(4_900)
  expect(shownMs).toBeLessThan(9_000)
})

test('an unexplained error shows Something Went Wrong!', async ({ page, trouble }) => {
  trouble.expect('answered 500')
  await page.goto('/auth/signin')
  await page.route('**/api/auth/login', (route) => route.fulfill({ status: 500, body: '<h1>Bad Gateway</h1>' }))
  await typeInto(page, 'Email', newPerson().email)
  await typeInto(page, 'Password', 'anything')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Something Went Wrong!' })).toBeVisible()
})

test('a broken screen shows the error screen with details and links', async ({ page, trouble }) => {
  trouble.allow(/./)
  await signedIn(page)
  // Corrupt the data that the app stores in the browser.
  await page.evaluate(() => {
    const root = JSON.parse(localStorage.getItem('root')!)
    root.state.auth.user_data.trading_plan = { split: 5 }
    localStorage.setItem('root', JSON.stringify(root))
  })
  await page.route('**/api/users/me', (route) => route.abort())
  await page.goto('/user/edit-profile')
  await page.getByRole('button', { name: /open the wallet/ }).click()
  await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible()
  await expect(page.getByText(/is not a function/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Back to trading' })).toHaveAttribute('href', '/user/home')
})

test("the home page's header turns opaque at 100 px and shows the session", async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 400 })
  await page.goto('/')
  const header = page.locator('[data-header]')
  await expect(header).not.toHaveAttribute('data-opaque')
  await page.evaluate(() => window.scrollTo(0, 99))
  await page.waitForTimeout(100)
  await expect(header).not.toHaveAttribute('data-opaque')
  await page.evaluate(() => window.scrollTo(0, 100))
  await expect(header).toHaveAttribute('data-opaque')
  await expect(page.getByRole('link', { name: 'Login' })).toHaveAttribute('href', '/auth/signin')
  await signedIn(page)
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Dashboard' })).toHaveAttribute('href', '/user/home')
  await page.getByRole('link', { name: 'Trade Now' }).first().click()
  await expect(page).toHaveURL('/user/home')
})

test('a static page loads no React and opens one socket for its price strip', async ({ page }) => {
  const sockets: string[] = []
  page.on('websocket', (socket) => sockets.push(socket.url()))
  await page.goto('/')
  await page.waitForLoadState('networkidle')
  const scripts = await scriptsOn(page)
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(20_000)
  await expect.poll(() => sockets.length).toBe(1)
})
