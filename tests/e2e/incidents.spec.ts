import { expect, expectAccessible, expectNoSidewaysScroll, test } from './support/test.ts'

const INCIDENTS = [
  { kind: 'payouts_halted', from: '2026-11-23T10:00:00.000Z', to: null },
  {
    ...{ kind: 'voids', from: '2026-11-22T10:00:00.000Z', to: '2026-11-22T10:40:00.000Z', symbol: 'SHIBBTC' },
    ...{ reason: 'no_exit', real: 88_888, demo: 888_888 },
  },
  { kind: 'no_prices', from: '2026-11-21T10:00:00.000Z', to: '2026-11-21T12:05:00.000Z' },
]

test('lists incidents with what happened and how long it took, in every width', async ({ page }) => {
  await page.route('**/api/public/incidents', (route) =>
    route.fulfill({ json: { status: true, data: { since: '2026-08-25T00:00:00.000Z', incidents: INCIDENTS } } }),
  )
  await page.goto('/incidents')
  const list = page.getByRole('region', { name: 'List of incidents' })
  await expect(list.getByRole('row')).toHaveCount(1 + INCIDENTS.length)
  await expect(list.getByRole('row').nth(1)).toContainText('ongoing')
  await expect(list.getByRole('row').nth(2)).toContainText('88,888 real and 888,888 demo trades on SHIBBTC were void')
  await expect(list.getByRole('row').nth(3)).toContainText('2 h 5 min')
  for (const width of [320, 390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/incidents-${width}.png`, fullPage: true })
  }
  await expectAccessible(page)
})

test('says since when nothing has happened', async ({ page }) => {
  await page.route('**/api/public/incidents', (route) =>
    route.fulfill({ json: { status: true, data: { since: '2026-08-25T00:00:00.000Z', incidents: [] } } }),
  )
  await page.goto('/incidents')
  await expect(page.getByText('No incident since 2026-08-25.')).toBeVisible()
})
