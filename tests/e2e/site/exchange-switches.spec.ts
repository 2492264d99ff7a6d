import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { fund } from '../support/cashier.ts'
import { signedIn } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { errorsOn, expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { place } from '../support/trading.ts'

const SWITCHES = [
  { exchange: 'kraken', name: 'Kraken', out: false, from: '2099-11-22T10:05:03.000Z' },
  { exchange: 'bitstamp', name: 'Bitstamp', out: true, from: '2026-11-21T10:00:00.000Z' },
]

async function atEveryWidth(page: Page, name: string): Promise<void> {
  for (const width of [390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png` })
  }
}

test('the page about prices lists the exchanges that operators switched, or says that there are none', async ({
  page,
}) => {
  await page.goto('/prices')
  await page.getByRole('heading', { name: 'Exchanges that operators switched' }).scrollIntoViewIfNeeded()
  await expect(page.getByText('Operators have never taken an exchange out of the prices.')).toBeVisible()
  await page.route('**/api/prices/switches', (route) => route.fulfill({ json: { status: true, data: SWITCHES } }))
  await page.reload()
  const list = page.getByRole('region', { name: 'Switched exchanges' })
  await expect(list.getByRole('row')).toHaveCount(3)
  await expect(list.getByRole('row').nth(1)).toHaveText(/2099-11-22 10:05:03\s*Kraken\s*Will be put back/)
  await expect(list.getByRole('row').nth(2)).toHaveText(/2026-11-21 10:00:00\s*Bitstamp\s*Taken out of all prices/)
  await list.scrollIntoViewIfNeeded()
  await atEveryWidth(page, 'price-switches')
  await expectAccessible(page)
})

test('the ticket says that a thin market limits a stake, and that a symbol is for demo trades only', async ({
  page,
}) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await fund(email, 500)
  let more: object = { stake_max: 2.5, thin_market: true }
  await page.route('**/api/trading/limits*', (route) =>
    route.fulfill({
      json: {
        status: true,
        data: { stake_max: 10_000, open_stake_max: 50_000, open_stake: 0, symbol_room: null, ...more },
      },
    }),
  )
  await page.goto('/user/home')
  await expect(page.getByText('Max $2.50: thin market')).toBeVisible()
  await page.getByLabel('Amount', { exact: true }).fill('100')
  await expect.poll(() => errorsOn(page)).toEqual(['Amount must be at most $2.50'])
  await atEveryWidth(page, 'ticket-two-sources')

  more = { refused: 'BCHBTC is open for demo trades only.' }
  await page.setViewportSize({ width: 1366, height: 900 })
  await page.reload()
  await expect(page.getByText('No live trades on BCHBTC')).toBeVisible()
  await expect(page.getByText('BCHBTC is open for demo trades only.')).toBeVisible()
  await atEveryWidth(page, 'ticket-demo-only')
  await page.setViewportSize({ width: 1366, height: 900 })
  await page.getByRole('button', { name: 'Trade on demo' }).click()
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
})

tapeTest('the details of a trade name the exchanges that operators switched while it ran', async ({ page, tape }) => {
  await signedIn(page)
  const asked: URL[] = []
  await page.route('**/api/prices/switches*', (route) => {
    asked.push(new URL(route.request().url()))
    return route.fulfill({ json: { status: true, data: SWITCHES } })
  })
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await place(page, 'Buy')
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
  await page.goto('/user/trade-history')
  await tape.advance(MINUTE_MS + SECOND_MS)
  await expect(page.getByRole('row').filter({ hasText: 'BCHBTC' })).toContainText(/Won|Lost|Draw/)
  await page.getByRole('button', { name: /^Details of/ }).click()
  await page.getByText('Prove it').click()
  const receipt = page.getByRole('dialog', { name: 'Buy BCHBTC' }).getByRole('region', { name: 'Receipt' })
  await expect(
    receipt.getByText(/Operators took Bitstamp out of this price at .*, while the trade ran\./),
  ).toBeVisible()
  await expect(receipt.getByText(/Operators put Kraken back into this price at /)).toBeVisible()
  await expect(receipt.getByRole('link', { name: 'All switches' })).toHaveAttribute('href', '/prices#switches')
  const { searchParams } = asked[0]!
  expect(searchParams.get('symbol')).toBe('BCHBTC')
  expect(Date.parse(searchParams.get('to')!) - Date.parse(searchParams.get('from')!)).toBe(MINUTE_MS)
  await atEveryWidth(page, 'receipt-switches')
})
