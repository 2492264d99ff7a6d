import type { Trade, TradeResults } from '#contract/trading/trading.ts'
import { signedIn } from '../../support/people.ts'
import { expect, expectNoSidewaysScroll, type Page, test } from '../../support/test.ts'

const WIDTHS = [320, 390, 1000, 1366]
const RESULTS: TradeResults = {
  ...{ open: 0, won: 1_234, lost: 567, draw: 0, void: 0, sold: 8_901 },
  ...{ staked: 1_000_000, paid: 990_000, net: -10_000, break_even: 57.1, curve: [] },
}

/** A trade that has just ended. */
function ended(trade_id: string, status: Trade['status'], payout: number): Trade {
  const now = Date.now()
  const [placed, end] = [new Date(now - 120_000).toISOString(), new Date(now - 60_000).toISOString()]
  return {
    ...{ trade_id, symbol: 'BCHBTC', trading_type: 'Cryptocurrency', trade_mode: 'Buy', mode: 'demo', status },
    ...{ amount: 100, strike_rate: '75/3', percent: 75, duration: 60, trade_time: placed, end_time: end },
    ...{ start_price: 1, start_time: placed, end_price: 1, exit_time: end, settled_at: end, payout },
    ...{ outcome_reason: 'x', rule_version: 'FT-1' },
  }
}

/** Answers as if the trader had sold trades. */
async function withSold(page: Page): Promise<void> {
  const data = [ended('3', 'Sold', 130.5), ended('2', 'Sold', 40.25), ended('1', 'Lost', 0)]
  await page.route('**/api/trading?*', (route) => route.fulfill({ json: { status: true, data } }))
  await page.route('**/api/trading/results?*', (route) => route.fulfill({ json: { status: true, data: RESULTS } }))
}

/** Expects this text in full, within the window, at each width. */
async function expectInFull(page: Page, text: RegExp | string, shot: string, widths = WIDTHS): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const shown = page.getByText(text).filter({ visible: true }).first()
    await expect(shown, `at ${width}`).toBeVisible()
    const { left, right } = await shown.evaluate((element) => element.getBoundingClientRect())
    expect(left, `at ${width}`).toBeGreaterThanOrEqual(0)
    expect(right, `at ${width}`).toBeLessThanOrEqual(width)
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${shot}-${width}.png`, fullPage: true })
  }
}

test('hit rates say how many sold trades they leave out', async ({ page }) => {
  await signedIn(page)
  await withSold(page)
  await page.goto('/user/trade-history')
  await expectInFull(page, '1234 of 1801, 68.5%, without 8,901 sold', 'history')
  await page.goto('/user/home')
  const dock = page.getByRole('region', { name: 'Transaction history' })
  await dock.getByRole('tab', { name: 'Closed today 10702' }).click()
  await expectInFull(page, /^Today .*1234 of 1801 won, 68\.5%, without 8,901 sold\. Break-even 57\.1%\.$/, 'panel')
  // Between these widths the dock has no room for the rate.
  await expectInFull(page, /68\.5%, without 8,901 sold, break-even 57\.1%$/, 'dock', [320, 390, 1920])
})

test('a sale above the stake is among the last profits of the demo', async ({ page }) => {
  await signedIn(page)
  await withSold(page)
  await page.goto('/user/home')
  const profits = page.getByRole('complementary', { name: 'Profits and recent trades' })
  // There, and among the last trades.
  await expect(profits.getByText('+30.50')).toHaveCount(2)
  await expect(profits.getByText('−59.75')).toHaveCount(1)
})

test('earnings say how many sold trades their rate leaves out', async ({ page }) => {
  await signedIn(page, { mode: 'real' })
  await withSold(page)
  await page.goto('/user/earnings')
  await expectInFull(page, /You won 1234 of 1801 \(68\.5%\), without 8,901 sold; your odds/, 'earnings')
})

test('the home page says that its rates leave out sold trades', async ({ page }) => {
  const rate = { percent: 52.1, won: 521, lost: 479, draws: 0, voids: 0, from: '2026-10-01', to: '2026-10-31' }
  const win_rates = [
    { mode: 'real', ...rate },
    { mode: 'demo', ...rate },
  ]
  await page.route('**/api/public/figures', (route) =>
    route.fulfill({
      json: { status: true, data: { source: 'simulation', symbols: 79, deposits: null, withdrawals: null, win_rates } },
    }),
  )
  await page.goto('/')
  // They're loaded once they are in sight.
  await page.getByText('Real trades won').scrollIntoViewIfNeeded()
  await expectInFull(page, /^Real trades: 52\.1% of 1,000 won, without those sold early, 2026-10-01 to/, 'site')
  await expectInFull(page, /^Demo trades: 52\.1% of 1,000 won, without those sold early, 2026-10-01 to/, 'site')
})
