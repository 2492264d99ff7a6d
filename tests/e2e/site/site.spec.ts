import { NOT_FOUND_PAGE, PUBLIC_PAGES } from '#contract/site.ts'
import { PLANS } from '#contract/terms.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import { confirmEmail } from '../support/cashier.ts'
import { mailTo, register, rootOf, signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, scriptsOn, test, typeInto } from '../support/test.ts'
import { watchFor } from '../support/watch-for.ts'

for (const path of PUBLIC_PAGES) {
  test(`${path} is complete, readable and described at every width`, async ({ page }) => {
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
      await expectAccessible(page)
    }
    await page.setViewportSize({ width: 320, height: 800 })
    await expectNoSidewaysScroll(page)
    await expect(page.locator('body')).not.toContainText('{{')
    await expect(page.locator('head')).not.toContainText('{{')
    expect(await page.title()).toContain('Cleartick')
    expect((await page.locator('meta[name="description"]').getAttribute('content'))!.length).toBeGreaterThan(50)
    const canonical = await page.locator('link[rel="canonical"]').getAttribute('href')
    expect(new URL(canonical!).pathname).toBe(path)
    const picture = await page.locator('meta[property="og:image"]').getAttribute('content')
    expect((await page.request.get(new URL(picture!).pathname)).headers()['content-type']).toBe('image/png')
    for (const data of await page.locator('script[type="application/ld+json"]').allTextContents()) {
      expect(JSON.parse(data)).toMatchObject({ '@context': 'https://schema.org' })
    }
    if (path !== '/') {
      const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem')
      await expect(crumbs).toHaveCount(2)
      await expect(crumbs.first()).toHaveText('Home')
    }
    await expect(page.getByText('Risk warning.')).toBeVisible()
    // Uncompressed sizes: a page may load at most 5 kB of gzip. Two pages exist for the data that their script loads,
    // so they load it immediately.
    const most = path === '/signals' || path === '/prices' ? 24_000 : 15_000
    const scripts = await scriptsOn(page)
    expect(scripts.length).toBeGreaterThan(0)
    expect(scripts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(most)
  })
}

test('/signals is readable while its figures load, and announces them to screen readers', async ({ page }) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/public/signals/statistics*', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/signals')
  await expect(page.getByText('Loading …').first()).toBeVisible()
  await expectAccessible(page)
  const names = page.getByRole('heading', { level: 3, name: /, version / })
  await expect(names).toHaveCount(0)
  release()
  await expect(names.first()).toBeVisible()
  await expectAccessible(page)
})

for (const width of [320, 390]) {
  test(`on a phone, Live Chat is in the header and covers nothing, ${width} px wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 })
    const header = page.getByRole('banner')
    const expectInHeader = async () => {
      await expect(header.getByRole('link', { name: 'Live Chat' })).toBeInViewport({ ratio: 1 })
      const covering = page.locator('body *').filter({ visible: true })
      expect(
        await covering.evaluateAll((all) => all.filter((one) => getComputedStyle(one).position === 'fixed').length),
      ).toBe(0)
      for (const button of await header.locator('> a, > button').filter({ visible: true }).all())
        await expect(button).toBeInViewport({ ratio: 1 })
    }
    await page.goto('/')
    await expectInHeader()
    await signedIn(page)
    await page.goto('/')
    await expect(header.getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expectInHeader()
  })
}

test('the start page arrives in the first ten packets, without a round trip of waiting', async ({ page }) => {
  const sizes = await (await page.goto('/'))!.request().sizes()
  expect(sizes.responseBodySize).toBeGreaterThan(5_000)
  expect(sizes.responseHeadersSize + sizes.responseBodySize).toBeLessThan(10 * 1_460)
})

test('the start page has one main action: the demo, or trading for who is signed in', async ({ page }) => {
  await page.goto('/')
  const actions = page.getByRole('main').getByRole('link', { name: /^(Try the demo|Trade Now)$/ })
  const filled = () =>
    actions
      .filter({ visible: true })
      .evaluateAll((all) =>
        all
          .filter((one) => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)')
          .map((one) => one.textContent?.trim()),
      )
  expect(new Set(await filled())).toEqual(new Set(['Try the demo']))
  await expect(page.locator('[data-symbols]')).toHaveText('79')
  await signedIn(page)
  await page.goto('/')
  await expect(page.getByText('No sign-up')).toBeHidden()
  expect(new Set(await filled())).toEqual(new Set(['Trade Now']))
})

for (const width of [390, 1440]) {
  test(`nothing shifts when the font loads two seconds late, ${width} px wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    await page.route('**/*.woff2', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      await route.continue()
    })
    for (const path of ['/', '/legal', '/ripple-trading', '/live-payouts', '/verify']) {
      const late = page.waitForResponse(/\.woff2$/)
      await page.goto(path, { waitUntil: 'commit' })
      await (await late).finished()
      const moved = await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            let sum = 0
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value
            }).observe({ type: 'layout-shift', buffered: true })
            setTimeout(() => resolve(sum), 500)
          }),
      )
      expect(moved, path).toBe(0)
    }
  })
}

test('every page and its menus work without JavaScript', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: process.env.E2E_ORIGIN! })
  const page = await context.newPage()
  for (const path of PUBLIC_PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  await page.goto('/')
  await page.getByText('Crypto', { exact: true }).first().click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Litecoin Trading' }).click()
  await expect(page).toHaveURL('/litecoin-trading')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('button', { name: 'Resources' }).click()
  await page.getByRole('link', { name: 'Live Payouts' }).first().click()
  await expect(page).toHaveURL('/live-payouts')
  await page.getByRole('link', { name: 'Login' }).click()
  await expect(page).toHaveURL('/auth/signin')
  await context.close()
})

test('an unknown URL returns a 404 page', async ({ page, trouble }) => {
  trouble.allow(/404/)
  for (const path of ['/no-such-page', '/about-us/team', NOT_FOUND_PAGE]) {
    const answer = await page.goto(path)
    expect(answer?.status()).toBe(404)
    expect(await page.title()).toBe('Page not found – Cleartick')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
    await expect(page.getByRole('main').getByRole('link', { name: 'Home' })).toBeVisible()
    await expect(page.getByRole('contentinfo')).toBeVisible()
    await expect(page.getByRole('banner')).toBeVisible()
  }
})

test('search engines get a sitemap', async ({ page }) => {
  const robots = await (await page.request.get('/robots.txt')).text()
  const sitemap = /Sitemap: (\S+)/.exec(robots)![1]!
  const xml = await (await page.request.get(new URL(sitemap).pathname)).text()
  const places = [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map((match) => new URL(match[1]!).pathname)
  expect(places).toEqual([...PUBLIC_PAGES])
})

test("the header's dropdowns work with keyboard and mouse", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/')
  const menu = page.getByRole('navigation', { name: 'Main' })
  const bitcoin = menu.getByRole('link', { name: 'Bitcoin Trading' })
  const cash = menu.getByRole('link', { name: 'Bitcoin Cash' })
  const crypto = menu.locator('summary', { hasText: 'Crypto' })
  await crypto.focus()
  await page.keyboard.press('Enter')
  await expect(bitcoin).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(bitcoin).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(cash).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(bitcoin).toBeHidden()
  await expect(crypto).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(bitcoin).toBeFocused()
  // Leaving the menu with Tab closes it.
  await menu.getByRole('link', { name: 'Contact' }).focus()
  await expect(bitcoin).toBeHidden()

  const legal = menu.locator('summary', { hasText: 'Legal' })
  await legal.hover()
  const terms = menu.getByRole('link', { name: 'Terms of Use' })
  await expect(terms).toBeVisible()
  await legal.click()
  await expect(terms).toBeVisible()
  await page.mouse.move(5, 700)
  await expect(terms).toBeHidden()
  await crypto.click()
  await cash.click()
  await expect(page).toHaveURL('/bitcoin-cash')
  await expect(menu.locator('[aria-current="page"]')).toHaveText('Bitcoin Cash')
})

test('the phone menu slides groups in and back', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  const open = page.getByRole('button', { name: 'Open menu' })
  await open.click()
  const about = page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'About' })
  await expect(about).toBeVisible()
  await page.getByRole('button', { name: 'Crypto' }).click()
  const ripple = page.locator('#phone-menu-crypto').getByRole('link', { name: 'Ripple Trading' })
  await expect(ripple).toBeInViewport()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Back to the menu' }).click()
  await expect(ripple).toBeHidden()
  await expect(about).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(about).toBeHidden()
  await expect(open).toBeFocused()
  await open.click()
  const panel = page.locator('[data-phone-menu]')
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect(await panel.evaluate((element) => getComputedStyle(element).transitionDuration)).toMatch(/^0\.5s/)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await panel.evaluate((element) => getComputedStyle(element).transitionDuration)).toMatch(/^0s/)
})

test('the login dialog signs in, and shows a wrong password in an alert', async ({ page, trouble }) => {
  trouble.expect('answered 422: POST /api/auth/login')
  const { email, password } = await register(page)
  await page.goto('/about-us')
  const login = page.getByRole('link', { name: 'Login' })
  await login.click()
  const dialog = page.getByRole('dialog', { name: 'Login' })
  await expect(dialog.getByLabel('Email')).toBeVisible()
  const scripts = async () => [...new Set((await scriptsOn(page)).map(({ path }) => path))].sort()
  const needed = await scripts()

  // Hovering loads everything that the dialog needs, so the click waits for nothing.
  await page.mouse.move(5, 700)
  await page.reload()
  expect((await scripts()).length).toBeLessThan(needed.length)
  await login.hover()
  await expect.poll(scripts).toEqual(needed)
  await login.click()
  await expect(dialog.getByLabel('Email')).toBeVisible()
  expect(await scripts()).toEqual(needed)
  await expectAccessible(page)
  await expect(dialog.getByText('Existing User')).toBeVisible()
  await expect(dialog.getByRole('link', { name: 'Register' })).toHaveAttribute('href', '/auth/signup')
  await expect(dialog.getByRole('link', { name: 'Forgot Password?' })).toHaveAttribute('href', '/auth/forgot-password')
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await expect(dialog.getByText('Email must not be empty')).toBeVisible()
  await typeInto(page, 'Email', email)
  await typeInto(page, 'Password', 'not the one')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toBeVisible()
  await typeInto(page, 'Password', password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/user/home')
  expect((await rootOf(page)).state.auth.user_data?.email).toBe(email)
})

test("the login dialog asks for the second factor if it's on", async ({ page, trouble }) => {
  trouble.expect('answered 428: POST /api/auth/login', 'answered 422: POST /api/auth/login')
  const account = await register(page)
  const { email, password } = account
  const ask = async (path: string, data: object, token = '') => {
    const answer = await page.request.post(`/api/auth/${path}`, { data, headers: { authorization: `Bearer ${token}` } })
    expect(answer.ok(), await answer.text()).toBe(true)
    return answer.json()
  }
  await confirmEmail(page, email)
  const { token } = (await ask('login', { email, password })).tokens.access
  const { secret } = (await ask('2fa/totp', { password }, token)).data
  await ask('2fa/totp/confirm', { code: totpCode(secret) }, token)
  await page.context().clearCookies()

  await page.goto('/about-us')
  await page.getByRole('link', { name: 'Login' }).click()
  const dialog = page.getByRole('dialog', { name: 'Login' })
  await typeInto(page, 'Email', email)
  await typeInto(page, 'Password', password)
  await page.keyboard.press('Enter')
  const code = dialog.getByLabel('Code', { exact: true })
  await expect(code).toBeFocused()
  await expectAccessible(page)
  await code.fill('000000')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert').first()).toHaveText(/code/i)
  await expect(page).toHaveURL('/about-us')
  await code.fill(totpCode(secret, Date.now() + 30_000))
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/user/home')
  expect((await rootOf(page)).state.auth.user_data?.email).toBe(email)
})

test('the login dialog closes and restores focus', async ({ page }) => {
  await page.goto('/')
  const login = page.getByRole('link', { name: 'Login' })
  await login.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Login' })
  await expect(dialog.getByLabel('Email')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(login).toBeFocused()
})

test('a press that begins before the contact form is taken over still sends it', async ({ page }) => {
  const [code, held] = ['**/assets/contact-*.js', Promise.withResolvers<void>()]
  await page.route(code, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/contact-us')
  const form = page.locator('form[data-contact-form]')
  const [send, loads] = [form.getByRole('button', { name: 'Send' }), page.waitForRequest(code)]
  await send.hover()
  await loads
  await page.mouse.down()
  const loaded = page.waitForResponse(code)
  held.resolve()
  await (await loaded).finished()
  // Long enough for the form to be replaced if nothing kept it.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 500)))
  await page.mouse.up()
  await expect(form.getByText('Email must not be empty')).toBeVisible()
})

test('the contact form validates, sends once and confirms', async ({ page }) => {
  await page.goto('/contact-us')
  const form = page.locator('form[data-contact-form]')
  await form.getByLabel('Name').pressSequentially('Ada Byron')
  await expect(form.getByLabel('Name')).toHaveValue('Ada Byron')
  await form.getByRole('button', { name: 'Send' }).click()
  await expect(form.getByText('Email must not be empty')).toBeVisible()
  await expect(form.getByText('Message must not be empty')).toBeVisible()
  await form.getByLabel('Email').fill('ada@')
  await expect(form.getByText('Email is invalid')).toBeVisible()
  await form.getByLabel('Email').fill('ada@example.org')
  await form.getByLabel('Message').fill('May I ask something?')
  let sent = 0
  const submittedAgain = Promise.withResolvers<void>()
  await page.route('**/api/public/contact', async (route) => {
    sent++
    await submittedAgain.promise
    await route.continue()
  })
  const send = form.getByRole('button', { name: 'Send' })
  await send.click()
  await expect(send).toBeDisabled()
  await form.getByLabel('Message').press('Control+Enter')
  await form.evaluate((element: HTMLFormElement) => element.requestSubmit())
  submittedAgain.resolve()
  await expect(page.getByRole('status').filter({ hasText: "Thank you. We've received your message." })).toBeVisible()
  expect(sent).toBe(1)
  await expect(form.getByLabel('Name')).toHaveValue('')
  await expect(form.getByLabel('Message')).toHaveValue('')
  await expect(send).toBeEnabled()
  await mailTo(page, 'support@cleartick.example', /Message \d+ from the contact form/)
})

test('the contact form keeps its text after an error, and the toast closes after three seconds', async ({
  page,
  trouble,
}) => {
  trouble.expect('answered 503')
  await page.goto('/contact-us')
  await page.route('**/api/public/contact', (route) =>
    route.fulfill({ status: 503, json: { status: false, code: 'unavailable', message: 'The desk rests.' } }),
  )
  const form = page.locator('form[data-contact-form]')
  await form.getByLabel('Name').fill('Ada Byron')
  await form.getByLabel('Email').fill('ada@example.org')
  await form.getByLabel('Message').fill('May I ask something?')
  const toast = await watchFor(page, 'alert', 'The desk rests.')
  await form.getByRole('button', { name: 'Send' }).click()
  const shownMs = await toast.shownMs()
  expect(shownMs).toBeGreaterThan(2_900)
  expect(shownMs).toBeLessThan(4_500)
  await expect(form.getByLabel('Message')).toHaveValue('May I ask something?')
  await expect(form.getByRole('button', { name: 'Send' })).toBeEnabled()
})

test('Purchase leads a visitor through sign-in to the plans', async ({ page }) => {
  const { email, password } = await register(page)
  await page.goto('/pricing')
  await expect(page.getByRole('link', { name: /^Purchase/ })).toHaveCount(PLANS.length)
  await page.getByRole('link', { name: 'Purchase GOLD' }).click()
  await expect(page).toHaveURL('/auth/signin')
  await typeInto(page, 'Email', email)
  await typeInto(page, 'Password', password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/user/plan')
})

test('Purchase leads a signed-in user to the plans, or in demo mode home with an explanation', async ({ page }) => {
  const account = await signedIn(page, { mode: 'real' })
  await page.goto('/pricing')
  await page.getByRole('link', { name: 'Purchase BEGINNER' }).click()
  await expect(page).toHaveURL('/user/plan')
  await signedIn(page, { mode: 'demo', account })
  await page.goto('/pricing')
  await page.getByRole('link', { name: 'Purchase BEGINNER' }).click()
  await expect(page).toHaveURL('/user/home')
  await expect(page.getByText(/You can buy a plan in live mode only/)).toBeVisible()
})

test('the API documentation fits a small phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 800 })
  await page.goto('/api/docs')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectNoSidewaysScroll(page)
})
