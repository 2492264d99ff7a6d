import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

const INCIDENTS = [
  { kind: 'payouts_halted', from: '2026-11-23T10:00:00.000Z', to: null },
  {
    ...{ kind: 'voids', from: '2026-11-22T10:00:00.000Z', to: '2026-11-22T10:40:00.000Z', symbol: 'SHIBBTC' },
    ...{ reason: 'no_exit', real: 88_888, demo: 888_888 },
  },
  {
    ...{ kind: 'ruling', from: '2026-11-21T11:00:00.000Z', item: 'trade', finding: 'wrong_price', complaints: 1 },
    tick: {
      of: 'exit',
      symbol: 'SHIBBTC',
      at: '2026-11-21T09:00:00.250Z',
      real: 8_888,
      demo: 88_888,
      total: 888_888.88,
    },
  },
  {
    kind: 'ruling',
    from: '2026-11-21T10:30:00.000Z',
    item: 'deposit',
    finding: 'records_agree',
    complaints: 3,
    tick: null,
  },
  {
    ...{ kind: 'instrument_closed', from: '2026-11-21T10:20:00.000Z', to: null, symbol: 'SHIBBTC' },
    reason: 'Its exchange stopped publishing prices.',
  },
  { kind: 'no_prices', from: '2026-11-21T10:00:00.000Z', to: '2026-11-21T12:05:00.000Z' },
]

test('lists incidents with what happened and how long it lasted, at every width', async ({ page }) => {
  await page.route('**/api/public/incidents', (route) =>
    route.fulfill({ json: { status: true, data: { since: '2026-08-25T00:00:00.000Z', incidents: INCIDENTS } } }),
  )
  await page.goto('/incidents')
  const list = page.getByRole('region', { name: 'List of incidents' })
  await expect(list.getByRole('row')).toHaveCount(1 + INCIDENTS.length)
  await expect(list.getByRole('row').nth(1)).toContainText('ongoing')
  await expect(list.getByRole('row').nth(2)).toContainText('88,888 real and 888,888 demo trades on SHIBBTC were void')
  await expect(list.getByRole('row').nth(3)).toContainText(
    '8,888 real and 88,888 demo stakes were returned, $888,888.88',
  )
  await expect(list.getByRole('row').nth(4)).toContainText('3 complaints about deposits were rejected')
  await expect(list.getByRole('row').nth(5)).toContainText('SHIBBTC is closed for new trades')
  await expect(list.getByRole('row').nth(6)).toContainText('2 h 5 min')
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
