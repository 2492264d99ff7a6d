import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, test } from '../support/test.ts'

// The edge of an open popover can leave just a sliver of a control visible beneath it.
for (const width of [320, 390, 1440]) {
  for (const opener of [/open the wallet/, /^Notifications/]) {
    test(`at ${width} px no control beneath '${opener.source}' stays half covered and clickable`, async ({ page }) => {
      await page.setViewportSize({ width, height: 844 })
      await signedIn(page)
      await page.goto('/user/home')
      await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
      const widthBefore = await page.evaluate(() => document.documentElement.clientWidth)
      await page.getByRole('banner').getByRole('button', { name: opener }).click()
      const popover = page.getByRole('dialog')
      await expect(popover).toBeVisible()
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.clientWidth)).toBe(widthBefore)
      // A tap outside closes the popover and does nothing else.
      const buy = (await page.getByRole('button', { name: /^Buy pays/ }).boundingBox())!
      await page.mouse.click(buy.x + 4, buy.y + buy.height / 2)
      await expect(popover).toBeHidden()
      await expect(page.getByRole('status').filter({ hasText: 'placed' })).toBeHidden()
    })
  }
}
