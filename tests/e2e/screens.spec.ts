import { register, signedIn } from './support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from './support/test.ts'

const VISITOR = ['/', '/auth/signin', '/auth/signup', '/auth/forgot-password', '/mailbox', '/api/docs']
const DEMO = ['home', 'trade-history', 'edit-profile', 'change-password', 'verify', 'limits', 'complaints', 'nowhere']
const REAL = [...DEMO, 'deposit', 'deposit-log', 'withdraw-fund', 'withdraw-log', 'earnings', 'plan', 'solvency']

/** Opens a screen and waits until it has loaded its data. */
async function open(page: Page, place: string): Promise<void> {
  await page.goto(place)
  await page.waitForLoadState('networkidle')
}

async function expectWell(page: Page): Promise<void> {
  await expectAccessible(page)
  const { width, height } = page.viewportSize()!
  await expectNoSidewaysScroll(page)
  if (width > 500) return
  await page.setViewportSize({ width: 320, height })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width, height })
}

for (const scheme of ['light', 'dark'] as const) {
  for (const place of VISITOR) {
    test(`${place} is accessible to visitors in ${scheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await open(page, place)
      await expectWell(page)
    })
  }

  test(`the steps after registering are accessible in ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    const { session } = await register(page)
    for (const place of [`complete-profile?session=${session}`, `user-identification?session=${session}`]) {
      await open(page, `/auth/${place}`)
      await page.getByRole('button', { name: /Save and continue|Submit/ }).click()
      await expect(page.getByRole('alert').first()).toBeVisible()
      await expectWell(page)
    }
  })

  test(`traders' screens are accessible in ${scheme}`, async ({ page, trouble }) => {
    trouble.expect('answered 404: GET /user/nowhere')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await signedIn(page, { mode: 'demo' })
    await page.evaluate((theme) => localStorage.setItem('theme', theme), scheme)
    for (const place of DEMO) {
      await open(page, `/user/${place}`)
      await expect(page.locator('html')).toHaveAttribute('data-theme', scheme)
      await expectWell(page)
    }
    await page.goto('/user/edit-profile')
    await page.getByRole('button', { name: /open the wallet/ }).click()
    await expect(page.getByRole('dialog', { name: 'Wallet' })).toBeVisible()
    await expectWell(page)
  })
}

for (const place of REAL) {
  test(`${place} is accessible to traders in real mode`, async ({ page, trouble }) => {
    if (place === 'nowhere') trouble.expect('answered 404: GET /user/nowhere')
    await signedIn(page, { mode: 'real' })
    await open(page, `/user/${place}`)
    await expectWell(page)
  })
}
