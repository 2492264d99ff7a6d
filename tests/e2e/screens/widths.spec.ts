import type { Locator } from '@playwright/test'
import { signedIn } from '../support/people.ts'
import { expect, expectNoSidewaysScroll, test } from '../support/test.ts'

const boxOf = async (part: Locator) => {
  await expect(part).toBeVisible()
  return (await part.boundingBox())!
}

for (const { width, height } of [
  { width: 769, height: 1024 },
  { width: 900, height: 700 },
  { width: 1024, height: 768 },
  { width: 1366, height: 600 },
]) {
  test(`at ${width} by ${height}, the price, Buy, Sell and sign-out are visible`, async ({ page }) => {
    await page.setViewportSize({ width, height })
    await signedIn(page)
    await page.goto('/user/home')
    const order = page.getByRole('region', { name: 'New order' })
    for (const side of ['Buy', 'Sell']) {
      const button = await boxOf(order.getByRole('button', { name: new RegExp(`^${side} pays`) }))
      expect(button.y + button.height).toBeLessThanOrEqual(height)
    }
    // Badge, daily change and symbol are next to each other and don't cover the price.
    const badge = await boxOf(page.getByText('Simulated prices').first())
    const symbol = await boxOf(page.getByRole('heading', { level: 1 }))
    const price = await boxOf(page.getByText(/^0\.00\d{6}$/).first())
    for (const other of [badge, symbol]) {
      const apart =
        other.x >= price.x + price.width ||
        other.x + other.width <= price.x ||
        other.y >= price.y + price.height ||
        other.y + other.height <= price.y
      expect(apart, 'nothing lies over the price').toBe(true)
    }
    await expect(page.getByRole('banner').getByRole('button', { name: 'Logout' })).toBeVisible()
    await expectNoSidewaysScroll(page)
    await page.goto('/user/edit-profile')
    await expect(page.getByRole('banner').getByRole('link', { name: 'KYC verification' })).toBeInViewport()
    await expectNoSidewaysScroll(page)
  })
}
