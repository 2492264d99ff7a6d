import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import type { TradeResults } from '#contract/trading/trading.ts'
import { type Account, register, rootOf, signedIn } from '../support/people.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { giveSettledTrades } from '../support/settled-trades.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

/** A separate server, because these trades have no movements. */
let folder: string
let server: Server
let trader: Account
const COUNT = 180

test.describe.configure({ mode: 'default' })
test.beforeAll(async ({ browser }) => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  server = await startServer({ dataDir })
  const context = await browser.newContext({ baseURL: server.origin })
  trader = await register(await context.newPage())
  await giveSettledTrades(dataDir, trader.email, COUNT)
  await context.close()
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function open(browser: Browser, account?: Account): Promise<Page> {
  const context = await browser.newContext({
    baseURL: server.origin,
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Paris',
  })
  const page = await context.newPage()
  await signedIn(page, account ? { account } : {})
  await page.goto('/user/statistics?period=all')
  return page
}

test('every figure opens its trades, and the file has them all', async ({ browser }) => {
  const page = await open(browser, trader)
  const main = page.getByRole('main')
  await expect(main.getByRole('link', { name: /^Trades 180/ })).toBeVisible()
  const net = await main
    .getByRole('link', { name: /^Net result/ })
    .locator('b')
    .first()
    .textContent()
  await expect(main.getByText(/^That range includes break-even/)).toBeVisible()

  const downloading = page.waitForEvent('download')
  await main.getByRole('button', { name: 'Download CSV' }).click()
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trimEnd().split('\r\n').slice(1)
  expect(lines).toHaveLength(COUNT)
  const cents = lines.reduce((sum, line) => sum + Math.round(Number(line.split(',').at(-1)) * 100), 0)
  expect(Number(net!.replaceAll(/[$,+]/g, '').replace('−', '-'))).toBe(cents / 100)

  for (const figure of [/^BTCUSDT$/, /^75%$/, /^5 min$/, /^Monday$/, /^Sell$/, /^By hand$/]) {
    const row = main.getByRole('row').filter({ has: page.getByRole('link', { name: figure }) })
    const amount = await row.getByRole('cell').last().textContent()
    await row.getByRole('link', { name: figure }).click()
    await expect(page.getByLabel('Totals')).toContainText(`Net${amount}`)
    await page.goBack()
  }
  // A day and an hour, by keyboard: each group is one stop.
  const day = main.getByRole('link', { name: /^20\d\d-\d\d-\d\d: / }).first()
  await day.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Home')
  await expect(day).toBeFocused()
  const [, dayNet] = /: ([^,]+(?:,\d{3})*\.\d\d), /.exec((await day.textContent())!)!
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Totals')).toContainText(`Net${dayNet}`)
  await page.goBack()
  for (const name of ['Net result after trades', 'Days', 'Results by hour']) {
    await main.locator('summary').nth(['Net result after trades', 'Days', 'Results by hour'].indexOf(name)).click()
    await expect(main.getByRole('table', { name })).toBeVisible()
  }
  await expectAccessible(page)
  await page.context().close()
})

test('a note and tags are kept, shown, and compared by', async ({ browser }) => {
  const page = await open(browser, trader)
  await page.goto('/user/trade-history')
  await page
    .getByRole('button', { name: /^Details of/ })
    .first()
    .click()
  const details = page.getByRole('dialog')
  await details.getByText('Note and tags').click()
  await details.getByLabel('Note').fill('Sold too early <b>')
  await details.getByLabel('Tags').fill('news, a, b, c, d, e')
  await details.getByRole('button', { name: 'Save note' }).click()
  await expect(details.getByText('Tags must be at most 5')).toBeVisible()
  await details.getByLabel('Tags').fill('news, breakout')
  await details.getByRole('button', { name: 'Save note' }).click()
  await expect(page.getByText('#news #breakout Sold too early <b>').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByLabel('Tag', { exact: true }).selectOption('news')
  await expect(page.getByText('1 trade, all shown')).toBeVisible()
  await page.goto('/user/statistics?period=all')
  await page.getByRole('main').getByRole('link', { name: 'breakout' }).click()
  await expect(page.getByText('1 trade, all shown')).toBeVisible()
  await page.context().close()
})

test('days follow the zone of the profile, which is named where they are shown', async ({ browser }) => {
  const page = await open(browser, trader)
  await expect(page.getByText('net, in Europe/Paris')).toBeVisible()
  await page.goto('/user/edit-profile')
  const saved = page.waitForResponse((response) => response.url().endsWith('/api/users/screen') && response.ok())
  await page.getByLabel('Time zone').selectOption('America/New_York')
  await saved
  await page.goto('/user/statistics?period=all')
  await expect(page.getByText('net, in America/New_York')).toBeVisible()
  await page.goto('/user/edit-profile')
  await page.getByLabel('Time zone').selectOption({ index: 0 })
  await page.goto('/user/statistics?period=all')
  await expect(page.getByText('net, in Europe/Paris')).toBeVisible()
  await page.context().close()
})

test('without trades it leads to trading; at 320 and 390 px everything fits', async ({ browser }) => {
  const empty = await open(browser)
  await expect(empty.getByText('No settled trades yet')).toBeVisible()
  await expect(empty.getByRole('main').getByRole('link', { name: 'Place a trade' })).toBeVisible()
  await empty.context().close()
  const page = await open(browser, trader)
  await expect(page.getByRole('heading', { name: 'Calendar' })).toBeVisible()
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  }
  await page.context().close()
})

test('the ticket says how often this order won, where there is room', async ({ browser }) => {
  const page = await open(browser, trader)
  await expect(page.getByRole('main').getByRole('link', { name: /^Trades 180/ })).toBeVisible()
  // The same address again is a renewal, for instance after the prices' connection was lost.
  const asked = new Set<string>()
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === '/api/trading/statistics') asked.add(search)
  })
  const record = page.getByRole('region', { name: 'Your record with this order' })
  const openTrading = async (width: number, height: number) => {
    await page.setViewportSize({ width, height })
    await page.goto('/user/home')
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await expect(page.getByRole('button', { name: /^Repeat/ }).first()).toBeVisible()
  }
  await openTrading(1599, 1080)
  await openTrading(1600, 939)
  await expect(record).toHaveCount(0)
  expect(asked.size, 'nothing is read for it').toBe(0)

  await openTrading(1920, 1080)
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  for (const [side, percent, breakEven] of [
    ['Buy', '75', '57.1%'],
    ['Sell', '61', '62.1%'],
  ] as const) {
    const answer = await page.request.get('/api/trading/results', {
      params: { mode: 'demo', symbol: 'BCHBTC', trade_mode: side, percent, duration: '60' },
      headers: { authorization: `Bearer ${token}` },
    })
    const { won, lost } = ((await answer.json()) as { data: TradeResults }).data
    const words = won + lost === 0 ? 'no result yet' : `of ${won + lost}, too few to tell`
    await expect(record.getByText(side, { exact: true }).locator('../..')).toHaveText(
      new RegExp(`^${side}.*${words}break-even ${breakEven}$`),
    )
  }
  expect([...asked], 'one read has both sides and all odds').toHaveLength(1)
  await expectAccessible(page)
  await page.context().close()
})
