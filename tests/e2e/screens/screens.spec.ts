import { register, signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

const VISITOR = ['/', '/auth/signin', '/auth/signup', '/auth/forgot-password', '/mailbox', '/api/docs']
const DEMO = [
  'home',
  'trade-history',
  'statistics',
  'edit-profile',
  'change-password',
  'verify',
  'security',
  'limits',
  'account',
  'alerts',
  'notifications',
  'complaints',
  'nowhere',
]
const REAL = [...DEMO, 'deposit', 'deposit-log', 'withdraw-fund', 'withdraw-log', 'earnings', 'plan', 'solvency']

/** Opens a screen and waits until it has loaded its data. */
async function open(page: Page, place: string): Promise<void> {
  await page.goto(place)
  await page.waitForLoadState('networkidle')
}

const SCHEMES = ['light', 'dark'] as const

/** Expects a screen to be accessible in each scheme that `show` switches to, and to fit its window. */
async function expectWell(page: Page, show?: (scheme: (typeof SCHEMES)[number]) => Promise<unknown>): Promise<void> {
  for (const scheme of show ? SCHEMES : []) {
    await show!(scheme)
    await expectAccessible(page)
  }
  if (!show) await expectAccessible(page)
  const { width, height } = page.viewportSize()!
  await expectNoSidewaysScroll(page)
  if (width > 500) return
  await page.setViewportSize({ width: 320, height })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width, height })
}

/** Public pages follow the system's scheme. */
const bySystem = (page: Page) => (colorScheme: (typeof SCHEMES)[number]) =>
  page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })

for (const place of VISITOR) {
  test(`${place} is accessible to visitors in light and dark`, async ({ page }) => {
    await open(page, place)
    await expectWell(page, bySystem(page))
  })
}

test('the steps after registering are accessible in light and dark', async ({ page }) => {
  const { session } = await register(page)
  for (const place of [`complete-profile?session=${session}`, `user-identification?session=${session}`]) {
    await open(page, `/auth/${place}`)
    await page.getByRole('button', { name: /Save and continue|Submit/ }).click()
    await expect(page.getByRole('alert').first()).toBeVisible()
    await expectWell(page, bySystem(page))
  }
})

test("traders' screens are accessible in light and dark", async ({ page, trouble }) => {
  trouble.expect('answered 404: GET /user/nowhere')
  const show = (scheme: string) =>
    page.evaluate((theme) => {
      document.documentElement.dataset.theme = theme
    }, scheme)
  await signedIn(page, { mode: 'demo' })
  for (const scheme of SCHEMES) {
    await page.evaluate((theme) => localStorage.setItem('theme', theme), scheme)
    await open(page, '/user/home')
    await expect(page.locator('html')).toHaveAttribute('data-theme', scheme)
  }
  for (const place of DEMO) {
    await open(page, `/user/${place}`)
    await expectWell(page, show)
  }
  await page.goto('/user/edit-profile')
  await page.getByRole('button', { name: /open the wallet/ }).click()
  await expect(page.getByRole('dialog', { name: 'Wallet' })).toBeVisible()
  await expectWell(page, show)
})

for (const place of REAL) {
  test(`${place} is accessible to traders in real mode`, async ({ page, trouble }) => {
    if (place === 'nowhere') trouble.expect('answered 404: GET /user/nowhere')
    await signedIn(page, { mode: 'real' })
    await open(page, `/user/${place}`)
    await expectWell(page)
  })
}
