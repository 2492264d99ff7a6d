import { fund } from '../support/cashier.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { expect, expectAccessible, type Locator, type Page, test } from '../support/test.ts'
import { balanceShown, place, placeBy } from '../support/trading.ts'

/** The filled chip with the account's name and balance. */
const chip = (page: Page) => page.getByRole('banner').getByRole('button', { name: /open the wallet/ })
const question = (page: Page) => page.getByRole('dialog', { name: 'Switch to your live account?' })

for (const width of [320, 390, 800, 1000, 1366]) {
  test(`at ${width} px the account in use, its balance and the toggle are visible`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    await signedIn(page)
    for (const path of ['/user/home', '/user/edit-profile']) {
      await page.goto(path)
      await expect(chip(page)).toHaveText(/^Demo\$10,000\.00/)
      await expect(page.getByRole('banner').getByRole('button', { name: 'Trade Live' })).toBeInViewport({ ratio: 1 })
      await expect(chip(page)).toBeInViewport({ ratio: 1 })
    }
    const filled = () => chip(page).evaluate((element) => getComputedStyle(element).backgroundColor)
    const demo = await filled()
    await page.getByRole('banner').getByRole('button', { name: 'Trade Live' }).click()
    await question(page).getByRole('button', { name: 'Trade Live' }).click()
    await expect(chip(page)).toHaveText(/^Live\$0\.00/)
    await expect(page.getByRole('banner').getByRole('button', { name: 'Trade Demo' })).toBeInViewport({ ratio: 1 })
    expect(await filled()).not.toBe(demo)
    await expectAccessible(page)
  })
}

test('the first switch to live asks once until sign-out, and can be declined', async ({ page }) => {
  const account = await signedIn(page)
  await page.goto('/user/home')
  const toLive = page.getByRole('banner').getByRole('button', { name: 'Trade Live' })
  await toLive.click()
  await expectAccessible(page)
  await question(page).getByRole('button', { name: 'Stay in demo' }).click()
  await expect(question(page)).toBeHidden()
  expect((await rootOf(page)).state.mode).toBe('demo')
  await toLive.click()
  await question(page).getByRole('button', { name: 'Trade Live' }).click()
  await page.getByRole('banner').getByRole('button', { name: 'Trade Demo' }).click()
  await page.reload()
  await toLive.click()
  await expect(chip(page)).toHaveText(/^Live/)
  await page.getByRole('button', { name: 'Logout' }).first().click()
  await expect(page).toHaveURL('/auth/signin')
  await signedIn(page, { account })
  await page.goto('/user/home')
  await toLive.click()
  await expect(question(page)).toBeVisible()
})

test('the mode is remembered with the account: the next device opens there too', async ({ page, browser }) => {
  const account = await signedIn(page, { mode: 'real' })
  await page.goto('/user/home')
  const saved = page.waitForResponse((response) => response.url().endsWith('/api/users/screen') && response.ok())
  await page.getByRole('button', { name: 'Trade Demo' }).first().click()
  await saved
  const other = await (await browser.newContext({ baseURL: new URL(page.url()).origin })).newPage()
  await other.goto('/auth/signin')
  await other.getByLabel('Email').fill(account.email)
  await other.getByLabel('Password', { exact: true }).fill(account.password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await expect(other).toHaveURL('/user/home')
  await expect(chip(other)).toHaveText(/^Demo/)
  expect((await rootOf(other)).state.mode).toBe('demo')
  await other.context().close()
})

/** Asserts that a badge is filled with gold, which only real money is, or isn't. */
const expectGold = async (badge: Locator, isGold: boolean) => {
  const fill = await badge.evaluate((element) => {
    const sample = document.body.appendChild(document.createElement('i'))
    sample.style.backgroundColor = 'var(--live)'
    const gold = getComputedStyle(sample).backgroundColor
    sample.remove()
    return { gold, of: getComputedStyle(element).backgroundColor }
  })
  expect(fill.of === fill.gold).toBe(isGold)
}

test.describe('in the live account', () => {
  test.beforeEach(async ({ page }) => {
    const { email } = await signedIn(page, { mode: 'real' })
    await fund(email, 5_000)
    await page.goto('/user/home')
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await expect.poll(() => balanceShown(page)).toBe('$5,000.00')
  })
  const armed = (page: Page) => page.getByText(/^B and S are real until \d\d:\d\d$/)
  const asked = (page: Page) => page.getByRole('dialog', { name: 'This is real money' })

  test('the first trade asks once, and can be cancelled', async ({ page }) => {
    await page.getByRole('button', { name: /^Buy pays/ }).click()
    await expect(asked(page)).toContainText('Buy BCHBTC for $100.00, 1 min. You win $75.00 or lose $100.00.')
    await expectAccessible(page)
    await asked(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(asked(page)).toBeHidden()
    await expect.poll(() => balanceShown(page)).toBe('$5,000.00')
    await place(page, 'Sell', { asked: true })
    await expect.poll(() => balanceShown(page)).toBe('$4,900.00')
    await place(page, 'Buy')
    await expect.poll(() => balanceShown(page)).toBe('$4,800.00')
  })

  test('the trade history is marked in gold, and so is a live trade in either account', async ({ page }) => {
    await place(page, 'Buy', { asked: true })
    await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
    await page.goto('/user/trade-history')
    const badge = (name: string) => page.getByRole('main').getByText(name, { exact: true }).first()
    await expectGold(badge('Live'), true)
    const id = await page.getByRole('cell', { name: /^0[0-9A-Z]{12}$/ }).textContent()

    await page.getByRole('banner').getByRole('button', { name: 'Trade Demo' }).click()
    await expectGold(badge('Demo'), false)
    await page.goto(`/user/trade-history?trade=${id}`)
    await expectGold(page.getByRole('dialog', { name: 'Buy BCHBTC' }).getByText('Live', { exact: true }).first(), true)
  })

  test('B and S do nothing until they are armed, and the armed state is on the buttons', async ({ page }) => {
    const buy = page.getByRole('button', { name: /^Buy pays/ })
    await page.locator('body').press('b')
    await page.locator('body').press('S')
    await expect(asked(page)).toBeHidden()
    await expect(buy).not.toHaveAttribute('aria-keyshortcuts')
    await page.getByRole('button', { name: 'Arm for 10 min' }).click()
    await expect(armed(page)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Keys armed' })).toBeVisible()
    await expect(buy).toHaveAttribute('aria-keyshortcuts', 'B')
    await expectAccessible(page)
    let asks = true
    await placeBy(page, async () => {
      await page.locator('body').press('b')
      if (asks) await asked(page).getByRole('button', { name: 'Buy with real money' }).click()
      asks = false
    })
    await expect.poll(() => balanceShown(page)).toBe('$4,900.00')
    // Escape closed nothing here, so it disarms.
    await page.locator('body').press('Escape')
    await expect(armed(page)).toBeHidden()
    await page.locator('body').press('b')
    await page.waitForTimeout(700)
    expect(await balanceShown(page)).toBe('$4,900.00')
  })

  test('another symbol, another screen and ten minutes disarm the keys', async ({ page }) => {
    const arm = page.getByRole('button', { name: 'Arm for 10 min' })
    await arm.click()
    await page.getByRole('button', { name: /choose another symbol/ }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill('ETHUSDT')
    await page.keyboard.press('Enter')
    await expect(armed(page)).toBeHidden()
    await arm.click()
    await page.getByRole('link', { name: 'Trade history' }).first().click()
    await expect(page).toHaveURL('/user/trade-history')
    await page.goBack()
    await expect(arm).toBeVisible()
    await page.clock.install()
    await arm.click()
    await page.clock.fastForward('09:58')
    await expect(armed(page)).toBeVisible()
    await page.clock.fastForward('00:05')
    await expect(armed(page)).toBeHidden()
    await page.locator('body').press('b')
    await expect(asked(page)).toBeHidden()
  })
})
