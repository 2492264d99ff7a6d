import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type QuotingExchanges, startExchanges } from '#tests/support/exchanges/quoting.ts'
import { fund } from '../../support/cashier.ts'
import { operatorIn } from '../../support/desk.ts'
import { signedIn } from '../../support/people.ts'
import { type Server, startServer } from '../../support/servers/server.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../../support/test.ts'
import { balanceShown, chooseSymbol, place, setOrder } from '../../support/trading.ts'

/** A separate server, with four fake exchanges that the test starts and stops. */
let folder: string
let dataDir: string
let exchanges: QuotingExchanges
let server: Server

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  dataDir = join(folder, 'data')
  exchanges = await startExchanges(
    { 'BTC/USDT': 61_837.63, 'ETH/USDT': 2_412.5, 'ETH/BTC': 0.03901, 'BTC/EUR': 56_730.1, 'EUR/USDT': 1.09 },
    { refusing: true },
  )
  server = await startServer({
    dataDir,
    settings: { FEED: 'auto', VENUE_ADDRESSES: exchanges.VENUE_ADDRESSES },
  })
})
test.afterAll(async () => {
  await server.stop()
  await exchanges.stop()
  rmSync(folder, { recursive: true, force: true })
})

const SIZES = [320, 390, 1000, 1440] as const

async function look(page: Page, name: string): Promise<void> {
  for (const width of SIZES) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: name !== 'trading' })
  }
  await expectAccessible(page)
}

test('prices become live by themselves, and a real trade settles on them while one exchange fails and another lies', async ({
  browser,
  trouble: _,
}) => {
  // A trade takes a real minute.
  const context = await browser.newContext({ baseURL: server.origin, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const { email } = await signedIn(page, { mode: 'real' })
  await fund(email, 500, dataDir)

  await test.step('without exchanges the trading screen says why prices are simulated', async () => {
    await page.goto('/user/home')
    await chooseSymbol(page, 'BTCUSDT')
    await page.getByRole('button', { name: 'Simulated prices' }).click()
    const dialog = page.getByRole('dialog', { name: 'Where prices come from' })
    await expect(dialog).toContainText('No live prices: no exchange answers, so prices are simulated.')
    await expectAccessible(page)
    await dialog.getByRole('link', { name: 'How prices are made' }).click()
    await expect(page).toHaveURL('/prices?symbol=BTCUSDT')
    await expect(page.getByText('No live prices: no exchange answers')).toBeVisible()
    await expect(page.getByText('simulated', { exact: true })).toBeVisible()
    await look(page, 'prices-simulated')
  })

  await test.step('once exchanges answer, prices and the chart are live', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/user/home')
    await chooseSymbol(page, 'BTCUSDT')
    for (const exchange of exchanges.all) exchange.refuse(false)
    await expect(page.getByRole('button', { name: /^Live · 4 sources/ })).toBeVisible()
    await expect(page.getByText(/61,83\d\.\d\d/).first()).toBeVisible()
  })

  await test.step('a real trade opens, one exchange fails, another lies, and the trade settles', async () => {
    await setOrder(page, { duration: '1 minute', strike: 'Buy pays 75%, Sell pays 3%', amount: '25' })
    await place(page, 'Buy', { asked: true })
    await expect.poll(() => balanceShown(page)).toBe('$475.00')
    // Move the price only once the trade has its entry.
    await expect(page.getByRole('row', { name: /Buy BTCUSDT/ })).toContainText(/(Winning|Losing|Even)/)
    exchanges.byId.binance.refuse(true)
    exchanges.byId.binance.cut()
    exchanges.byId.kraken.lie(10)
    exchanges.price('BTC/USDT', 61_900)
    await expect(page.getByRole('button', { name: /^Live · 2 sources/ })).toBeVisible()
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/trading-live-1440.png` })
    await page.getByRole('button', { name: /^Live · 2 sources/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Where prices come from' })
    await expect(dialog.getByRole('row', { name: /^Kraken/ })).toContainText(/[\d,.]+ \/ [\d,.]+.*Too far off/)
    await expect(dialog.getByRole('row', { name: /^Coinbase/ })).toContainText('In the median')
    await expectAccessible(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/sources-1440.png` })
    await page.keyboard.press('Escape')
  })

  await test.step('everyone sees which exchange is used and why the others are not', async () => {
    const open = await context.newPage()
    await open.goto('/prices?symbol=BTCUSDT')
    const rows = open.getByRole('region', { name: 'Exchanges of BTC/USDT' }).getByRole('row')
    await expect(rows.filter({ hasText: 'Coinbase' })).toContainText('In the median')
    await expect(rows.filter({ hasText: 'Bitstamp' })).toContainText('In the median')
    await expect(rows.filter({ hasText: 'Kraken' })).toContainText(/Too far off|Locked out/)
    await expect(rows.filter({ hasText: 'Binance' })).toContainText('Silent')
    await expect(open.getByText('live, 2 sources')).toBeVisible()
    // A symbol that no exchange lists shows no price, not an old simulated one.
    await expect(open.locator('[data-quote="BTCUSD"]').first()).not.toContainText(/\d/)
    await expect(
      open.getByText('The median of Coinbase and Bitstamp. 2 exchanges don’t count right now.'),
    ).toBeVisible()
    const hash = open.locator('[data-hash]')
    await expect(hash).toHaveText(/^[0-9a-f]{64}$/)
    const before = await hash.textContent()
    await expect(hash).not.toHaveText(before!)
    await look(open, 'prices-live')
    await open.emulateMedia({ colorScheme: 'dark' })
    if (process.env.SHOTS)
      await open.screenshot({ path: `${process.env.SHOTS}/prices-live-dark-1440.png`, fullPage: true })

    await open.getByLabel('Symbol').selectOption('PCPUSDT')
    await expect(open.getByText(/PCP is not listed/)).toBeVisible()
    await open.getByLabel('Symbol').selectOption('BTCUSDT')
    const [download] = await Promise.all([
      open.waitForEvent('download'),
      open.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^BTCUSDT-\d{4}-\d\d-\d\d\.csv$/)
    await open.close()
  })

  await expect.poll(() => balanceShown(page), { timeout: 90_000 }).toBe('$518.75')

  // While the trade was open, it would have taken two operators.
  await test.step('a risk operator sees each exchange and its last hour, and takes the liar out', async () => {
    const desk = await operatorIn(browser, 'risk@desk.example', 'risk', { origin: server.origin, dataDir })
    await desk.goto('/desk/feeds')
    const kraken = desk.getByRole('listitem').filter({ has: desk.getByRole('heading', { name: 'Kraken' }) })
    await expect(desk.getByRole('img', { name: /^The last hour of Kraken: good in \d+ of \d+ minutes/ })).toBeVisible()
    await expect(desk.getByText('Disconnected')).toBeVisible()
    await look(desk, 'desk-feeds')
    await kraken.getByRole('button', { name: 'Take out' }).click()
    const dialog = desk.getByRole('dialog', { name: 'Take Kraken out of all prices' })
    await dialog.getByLabel('Reason').fill('Its prices are ten times too high.')
    await expectAccessible(desk)
    await dialog.getByRole('button', { name: 'Take out' }).click()
    await expect(desk.getByText('Kraken is out.')).toBeVisible()
    await expect(kraken.getByText('Taken out')).toBeVisible()
    await desk.context().close()
  })

  await test.step('when all exchanges fail, the symbol is stale and the screen says what happens to open trades', async () => {
    for (const exchange of exchanges.all) {
      exchange.refuse(true)
      exchange.cut()
    }
    const notice = page.getByText(/^You can trade again as soon as the next price arrives\. Open trades settle if/)
    await expect(notice).toBeVisible()
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeDisabled()
    await look(page, 'trading')
    // Live prices are never replaced by simulated ones.
    await expect(page.getByRole('button', { name: 'Live prices' })).toBeVisible()
  })
  await context.close()
})
