import { mailTo, rootOf, signedIn } from '../support/people.ts'
import { largeImage, photo } from '../support/pictures.ts'
import { errorsOn, expect, test } from '../support/test.ts'

const REAL_ONLY = ['deposit', 'deposit-log', 'withdraw-fund', 'withdraw-log', 'earnings', 'plan']
const ALWAYS = [
  'home',
  'trade-history',
  'statistics',
  'alerts',
  'notifications',
  'edit-profile',
  'change-password',
  'verify',
  'security',
  'limits',
  'account',
]

test("in demo mode, real-only screens redirect home and aren't in the menus", async ({ page }) => {
  await signedIn(page, { mode: 'demo' })
  for (const place of REAL_ONLY) {
    await page.goto(`/user/${place}`)
    await expect(page).toHaveURL('/user/home')
  }
  for (const place of ALWAYS) {
    await page.goto(`/user/${place}`)
    await expect(page).toHaveURL(`/user/${place}`)
  }
  const nav = page.getByRole('navigation', { name: 'Main' })
  await expect(nav.getByRole('listitem')).toHaveText(['Trading', 'Profile', 'Settings'])
})

test('in real mode, every screen is in the menus and has its own title', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  const titles = new Set<string>()
  for (const place of [...REAL_ONLY, ...ALWAYS]) {
    await page.goto(`/user/${place}`)
    await expect(page).toHaveURL(`/user/${place}`)
    await expect(page).toHaveTitle(/ – Cleartick$/)
    titles.add(await page.title())
  }
  expect(titles.size).toBe(REAL_ONLY.length + ALWAYS.length)
  const nav = page.getByRole('navigation', { name: 'Main' })
  await expect(nav.getByRole('listitem')).toHaveText([
    'Trading',
    'Deposit',
    'Withdrawal',
    'Profits',
    'Plans',
    'Profile',
    'Settings',
  ])
})

test('the mode toggle names its target, and the choice persists', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: 'Trade Demo' }).click()
  await expect(page).toHaveURL('/user/home')
  await expect(page.getByRole('button', { name: 'Trade Live' })).toBeVisible()
  expect((await rootOf(page)).state.mode).toBe('demo')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Trade Live' })).toBeVisible()
})

test('the wallet shows user, plan, type and both balances, and sends the link', async ({ page, trouble }) => {
  const account = await signedIn(page, { mode: 'demo' })
  await page.goto('/user/edit-profile')
  await page.getByRole('button', { name: /open the wallet/ }).click()
  const wallet = page.getByRole('dialog', { name: 'Wallet' })
  await expect(wallet).toContainText(account.email)
  await expect(wallet).toContainText('Not verified')
  for (const [name, value] of [
    ['Trading plan', 'None'],
    ['Trading type', 'Demo'],
    ['USD balance', '$0.00'],
    ['USD demo balance', '$10,000.00'],
  ] as const) {
    const index = (await wallet.getByRole('term').allInnerTexts()).indexOf(name)
    await expect(wallet.getByRole('definition').nth(index)).toHaveText(value)
  }
  const first = await mailTo(page, account.email, /Confirm/i)
  const send = wallet.getByRole('button', { name: 'Send Link' })
  await send.click()
  // The toast doesn't block the mouse. It stays while the pointer is over it.
  const toast = page.getByRole('status').filter({ hasText: /link/i })
  await toast.hover()
  const isSenderOnTop = await send.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })
  expect(isSenderOnTop).toBe(true)
  await expect(toast).toBeVisible()
  await expect.poll(async () => (await mailTo(page, account.email, /Confirm/i)).links[0]).not.toBe(first.links[0])
  const { links } = await mailTo(page, account.email, /Confirm/i)
  const headers = { authorization: `Bearer ${(await rootOf(page)).state.auth.tokens!.access.token}` }
  const data = { hash: new URL(links[0]!).searchParams.get('hash') }
  await page.request.post('/api/auth/verify-email', { headers, data })
  // The address has been confirmed elsewhere: another request is rejected with a toast.
  trouble.expect('answered 409: GET /api/auth/verify-email')
  await send.click()
  await expect(page.getByText('Your e-mail is already confirmed.')).toBeVisible()
  await page.reload()
  await page.getByRole('button', { name: /open the wallet/ }).click()
  await expect(page.getByRole('dialog', { name: 'Wallet' }).getByText('Verified', { exact: true })).toBeVisible()
})

test("on a phone, a toast doesn't cover the menu button", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signedIn(page, { mode: 'demo' })
  await page.goto('/user/edit-profile')
  await page.getByRole('button', { name: 'Open menu' }).click()
  const send = page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: 'Send Link' })
  const close = page.getByRole('button', { name: 'Close menu' })
  const buttons = [(await send.elementHandle())!, (await close.elementHandle())!] as const
  await send.click()
  const toast = page.getByRole('status').filter({ hasText: /link/i })
  // Check everything in one step, because the toast disappears after five seconds.
  const check = () =>
    toast.evaluate((element, [sender, closer]) => {
      const { left, top, width, height } = closer.getBoundingClientRect()
      return {
        isVisible: element.checkVisibility(),
        isBelow: element.getBoundingClientRect().top > sender.getBoundingClientRect().bottom,
        isCloserOnTop: closer.contains(document.elementFromPoint(left + width / 2, top + height / 2)),
      }
    }, buttons)
  await expect.poll(check).toEqual({ isVisible: true, isBelow: true, isCloserOnTop: true })
  await close.click()
})

test('an ID is validated, submitted and shown, and the form disappears', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/verify')
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect.poll(() => errorsOn(page)).toEqual(['Method must not be empty', 'Please select file!'])
  await page.getByLabel('File', { exact: true }).setInputFiles(largeImage(5_242_881))
  await expect.poll(() => errorsOn(page)).toContain('Max file size is 5mb')
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'passport.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') })
  await expect.poll(() => errorsOn(page)).toContain("This file isn't an image. Choose a JPEG, PNG or WebP.")
  await page.getByLabel('Method').selectOption({ label: 'International passport' })
  await page.getByLabel('File', { exact: true }).setInputFiles(await photo())
  await expect(page.getByText('Max file size is 5mb')).toBeHidden()
  await expect(page.getByText("isn't an image")).toBeHidden()
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText('Pending')).toBeVisible()
  await expect(page.getByAltText('Your ID')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Submit' })).toBeHidden()
})

test('an unknown URL returns a 404 page with links', async ({ page, trouble }) => {
  await signedIn(page)
  trouble.expect('answered 404: GET /user/nowhere', 'answered 404: GET /auth/nowhere')
  const inside = await page.goto('/user/nowhere')
  expect(inside?.status()).toBe(404)
  await expect(page).toHaveTitle(/not found/i)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
  await page.getByRole('main').getByRole('link', { name: 'Trade history' }).click()
  await expect(page).toHaveURL('/user/trade-history')
  trouble.expect('answered 404: GET /nowhere')
  const answer = await page.goto('/nowhere')
  expect(answer?.status()).toBe(404)
  await expect(page).toHaveTitle(/not found/i)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found')
  await expect(page.getByRole('contentinfo')).toBeVisible()
  await page.evaluate(() => localStorage.clear())
  const signIn = await page.goto('/auth/nowhere')
  expect(signIn?.status()).toBe(404)
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/auth/signin')
})

test('every navigation scrolls to the top', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 300 })
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/security')
  await expect(page.getByText('This device', { exact: true })).toBeVisible()
  await page.evaluate(() => window.scrollTo(0, 10_000))
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(50)
  await page.evaluate(() => (document.querySelector('a[href="/user/edit-profile"]') as HTMLElement).click())
  await expect(page).toHaveURL('/user/edit-profile')
  await expect(page.getByRole('heading', { level: 1, name: 'Edit profile' })).toBeAttached()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
})

test('one theme for site, sign-in and app: the system’s until one is chosen, before the first paint', async ({
  page,
}) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await signedIn(page)
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    const seen = []
    for (const place of ['/', '/user/home']) {
      await page.goto(place)
      seen.push(await background())
    }
    expect(new Set(seen), scheme).toEqual(new Set([scheme === 'light' ? 'rgb(245, 246, 249)' : 'rgb(10, 13, 19)']))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.evaluate(() => localStorage.setItem('theme', 'dark'))
  for (const place of ['/', '/user/home', '/auth/signup', '/pricing']) {
    await page.goto(place, { waitUntil: 'commit' })
    await expect.poll(background, { message: place }).toBe('rgb(10, 13, 19)')
  }
})
