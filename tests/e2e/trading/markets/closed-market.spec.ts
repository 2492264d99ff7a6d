import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '#server/platform/database/db.ts'
import { type QuotingExchanges, startExchanges } from '#tests/support/exchanges/quoting.ts'
import { openSuper } from '#tests/support/servers/server.ts'
import { type ShiftedClock, shiftableClock } from '#tests/support/servers/shifted-clock.ts'
import { signedIn } from '../../support/people.ts'
import { type Server, startServer } from '../../support/servers/server.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../../support/test.ts'
import { chooseSymbol } from '../../support/trading.ts'

/** A separate server whose clock the test sets, on live prices of fake exchanges. */
let folder: string
let dataDir: string
let clock: ShiftedClock
let server: Server
let exchanges: QuotingExchanges

const HOUR_SECONDS = 3_600
/** Friday evening: the currency market is open for another hour in summer, or two in winter. */
const fridaySeconds = secondsUntil(5, 20)
const saturdaySeconds = fridaySeconds + 16 * HOUR_SECONDS

/** Returns the seconds from now until this hour of the next such weekday, UTC. */
function secondsUntil(weekday: number, hour: number): number {
  const at = new Date()
  at.setUTCDate(at.getUTCDate() + ((7 + weekday - at.getUTCDay()) % 7 || 7))
  at.setUTCHours(hour, 0, 0, 0)
  return Math.round((at.getTime() - Date.now()) / 1_000)
}

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  dataDir = join(folder, 'data')
  clock = await shiftableClock(dataDir)
  exchanges = await startExchanges({ 'EUR/GBP': 0.85612, 'BTC/USDT': 61_837.63 })
})
test.afterAll(async () => {
  await server.stop()
  await exchanges.stop()
  rmSync(folder, { recursive: true, force: true })
})

const start = (): Promise<Server> =>
  startServer({
    dataDir,
    settings: {
      FEED: 'live:binance,kraken,coinbase,bitstamp',
      VENUE_ADDRESSES: exchanges.VENUE_ADDRESSES,
      ...clock.env,
    },
  })

async function shiftTo(seconds: number): Promise<void> {
  for (const exchange of exchanges.all) exchange.skew(seconds * 1_000)
  await clock.shift(seconds)
}

/** Adds a tradable currency pair, which no new installation has. */
async function addTradablePair(): Promise<void> {
  const { db, close } = openSuper(dataDir)
  await db.connection().execute(async (connection) => {
    await sql`set session_replication_role = 'replica'`.execute(connection)
    await sql`insert into instruments (symbol, base, quote, trading_type, scale)
      values ('EURGBP', 'EUR', 'GBP', 'Currencies', 5)`.execute(connection)
  })
  await close()
}

async function instrument(symbol: string): Promise<{ status: string; price?: string }> {
  const answer = await fetch(`${server.origin}/api/prices/instruments?symbols=${symbol}`)
  const { data } = (await answer.json()) as { data: [{ status: string; price?: string }] }
  return data[0]
}

async function look(page: Page, name: string): Promise<void> {
  for (const width of [390, 1000, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS)
      for (const theme of ['dark', 'light']) {
        await page.evaluate((to) => {
          document.documentElement.dataset.theme = to
        }, theme)
        await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${theme}.png` })
      }
  }
  await expectAccessible(page)
}

test('on weekends a currency pair is closed and shows its last price and reopening time, while coins are open', async ({
  browser,
  trouble: _,
}) => {
  server = await start()
  await addTradablePair()
  await shiftTo(fridaySeconds)
  await server.stop()

  server = await start()
  await expect.poll(() => instrument('EURGBP')).toMatchObject({ status: 'open' })
  await shiftTo(saturdaySeconds)
  await server.stop()

  server = await start()
  await expect.poll(() => instrument('BTCUSDT')).toMatchObject({ status: 'open' })
  const { price } = await instrument('EURGBP')
  const context = await browser.newContext({ baseURL: server.origin, reducedMotion: 'reduce', timezoneId: 'UTC' })
  const page = await context.newPage()
  await signedIn(page)

  await test.step('the trading screen says that the market is closed, and when it reopens', async () => {
    await page.goto('/user/home')
    const order = page.getByRole('region', { name: 'New order' })
    await chooseSymbol(page, 'EURGBP')
    await expect(page.getByText('The market for EURGBP is closed')).toBeVisible()
    await expect(page.getByText(/^It reopens on Sunday at 2[12]:00\./)).toBeVisible()
    const marks = page.getByText('Closed', { exact: true }).and(page.locator(':not(button *)'))
    await expect(marks.filter({ visible: true })).toHaveCount(1)
    await expect(page.getByRole('button', { name: /^EURGBP Closed/ }).first()).toBeVisible()
    await expect(page.getByText(price!).first()).toBeVisible()
    for (const side of ['Buy', 'Sell'])
      await expect(order.getByRole('button', { name: new RegExp(`^${side} pays`) })).toBeDisabled()
    await look(page, 'closed')
    await page.getByRole('button', { name: /choose another symbol/ }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill('EURGBP')
    await expect(page.getByRole('option', { name: /EURGBP/ })).toContainText('Closed')
    await look(page, 'closed-symbols')
    await page.keyboard.press('Escape')
    await chooseSymbol(page, 'BTCUSDT')
    await expect(order.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  })

  await test.step('the public page says the same', async () => {
    await page.goto('/prices?symbol=EURGBP')
    await expect(page.getByText(/^The market is closed until Sunday at 2[12]:00 UTC\.$/)).toBeVisible()
    await expect(page.getByText('closed', { exact: true })).toBeVisible()
    await expect(page.getByText(price!).first()).toBeVisible()
    await look(page, 'closed-prices')
  })
  await context.close()
})
