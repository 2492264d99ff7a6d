import type { RetiredVersion, SignalBucket } from '#contract/trading/signals.ts'
import { tapeTest } from '../../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../../support/test.ts'

tapeTest('/signals fills by itself, and its chain is checked in the browser', async ({ page, tape }) => {
  await page.goto('/signals')
  const cards = page.locator('[data-strategy]')
  await expect(cards).toHaveCount(4)
  await expect(page.getByText('Measured on simulated prices.')).toBeVisible()
  await expect(cards.nth(0)).toContainText('Trend, version 1')
  await expect(cards.nth(0)).toContainText(/you need [\d.]+% to break even/)
  await tape.advanceToToss()
  await expect(async () => {
    await page.reload()
    await expect(page.locator('[data-rows] tr').first()).toContainText(/(Buy|Sell) [A-Z]+/, { timeout: 15_000 })
  }).toPass()
  for (const width of [320, 390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/signals-${width}.png`, fullPage: true })
  }
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Check the latest 10,000 here' }).click()
  await expect(page.getByText(/signals? checked: every hash follows/)).toBeVisible()
  await page.getByLabel('Strike rate').selectOption('75/3')
  await expect(cards.nth(0)).toContainText('you need')
  await page.getByText('7 days').click()
  await expect(page.getByRole('radio', { name: '7 days' })).toBeChecked()
})

test('/signals shows older versions of a strategy as retired', async ({ page }) => {
  await page.route('**/api/public/signals/statistics?*', async (route) => {
    const answer = await route.fetch()
    const reply = (await answer.json()) as { data: { retired: RetiredVersion[] } }
    const bucket: SignalBucket = [Date.now(), 30, 20, 25, 25, 1, 2]
    reply.data.retired = [
      { id: 'trend', version: 0, name: 'Trend', buckets: [bucket], spread: { closes: 100, ww: 55, wl: 0, ll: 45 } },
    ]
    await route.fulfill({ response: answer, json: reply })
  })
  await page.goto('/signals')
  const retired = page.getByRole('region', { name: 'Retired versions' })
  const card = retired.getByRole('listitem')
  await expect(card).toHaveCount(1)
  await expect(card).toContainText('Trend, version 0')
  await expect(card).toContainText('Retired: a newer version has replaced it')
  await expect(card).toContainText(/^.*Measured 55\.0% .* over 100 signals; you need [\d.]+% to break even/)
  for (const width of [320, 390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await retired.screenshot({ path: `${process.env.SHOTS}/signals-retired-${width}.png` })
  }
  await expectAccessible(page)
})
