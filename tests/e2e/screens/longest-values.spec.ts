import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import type { BacktestReply } from '#contract/trading/backtest.ts'
import { giveLongestValues } from '../support/longest-values.ts'
import { type Account, register, signedIn } from '../support/people.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { expect, type Page, test } from '../support/test.ts'

const WIDTHS = [320, 360, 390, 600, 768, 769, 900, 1000, 1199, 1200, 1280, 1366, 1440, 1920]
const ALWAYS = [
  'home',
  'automatic',
  'strategies',
  'trade-history',
  'statistics',
  'alerts',
  'notifications',
  'edit-profile',
  'change-password',
  'verify',
  'security',
  'limits',
  'account',
]
const SCREENS = {
  demo: ALWAYS,
  real: [...ALWAYS, 'deposit', 'deposit-log', 'withdraw-fund', 'withdraw-log', 'earnings', 'plan'],
}

/** A separate server, because these rows have no matching movements. */
let folder: string
let server: Server
let trader: Account

test.describe.configure({ mode: 'default' })
test.beforeAll(async ({ browser }) => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  server = await startServer({ dataDir })
  const context = await browser.newContext({ baseURL: server.origin })
  trader = await register(await context.newPage())
  await giveLongestValues(dataDir, trader.email)
  await context.close()
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function openSignedIn(browser: Browser, mode: 'demo' | 'real'): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.origin, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signedIn(page, { mode, account: trader })
  return page
}

/** Returns what is cut off or overflows, each as `element: how`. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth > width)
      found.push(`the page is ${document.documentElement.scrollWidth} px wide`)
    const nameOf = (element: Element) =>
      `<${element.tagName.toLowerCase()} ${element.className}> ${(element.textContent ?? '').trim().slice(0, 60)}`
    const isForReadersOnly = (element: Element) => element.closest('.visually-hidden') !== null
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility({ visibilityProperty: true }) || isForReadersOnly(element)) continue
      // A row that scrolls sideways, which fades where more follow.
      if (element.closest('[aria-label="Favourite markets"] > div')) continue
      // The chart sizes its own canvases.
      if (element.closest('svg, .tv-lightweight-charts')) continue
      // A text can be longer than any field, and a file input is invisible above its box.
      if (element.matches('input:not([role="spinbutton"]), textarea')) continue
      const style = getComputedStyle(element)
      if (style.display === 'inline' || style.display === 'contents' || element.clientWidth === 0) continue
      const over = element.scrollWidth - element.clientWidth
      if (over > 1) found.push(`${nameOf(element)}: ${over} px too wide for its place`)
      const isCutBelow = /hidden|clip/.test(style.overflowY) && element.scrollHeight - element.clientHeight > 1
      if (isCutBelow) found.push(`${nameOf(element)}: cut off below`)
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const parent = texts.currentNode.parentElement
      if (!parent?.checkVisibility({ visibilityProperty: true }) || isForReadersOnly(parent)) continue
      if (parent.closest('[aria-label="Favourite markets"] > div')) continue
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      const { left, right, width: wide } = range.getBoundingClientRect()
      if (wide > 0 && (right > width + 1 || left < -1)) found.push(`${nameOf(parent)}: beyond the window`)
    }
    return found
  })

const measured = {
  ...{ won: 1_234_567, lost: 1_234_567, draws: 12_345, voids: 12_345, hit_rate: null, break_even: 94.3 },
  sentence:
    'Measured 50.4% (48.1 to 52.7) over 8,888,888 signals (as sure as 888,888 independent ones); you need 94.3% to break even',
}
/** The longest result of a back-test. */
const LONGEST_PAST: BacktestReply = {
  strategies: [{ strategy: 'reversion', version: 1, duration: 1800 }],
  ...{ from: '2026-10-22T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z' },
  ...{ minutes: 3_527_060, trades: measured, signals: measured, newest: [] },
  time_zone: 'America/Argentina/ComodRivadavia',
  skipped: {
    ...{ balance: 88_888, limit: 88_888, open: 888_888, schedule: 888_888, side: 888_888, stop: 88_888 },
    ...{ profit: 88_888, pause: 88_888, odds: 88_888 },
  },
  stopped: { stop: 'profit_in_all', time: '2026-11-21T23:59:59.000Z' },
  ...{ balance: 98_765_432.1, profit: -98_765_432.1 },
  drawdown: { amount: 98_765_432.1, percent: 100, from: '2026-10-22T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z' },
  equity: [
    [0, 98_765_432.1],
    [1, 0],
  ],
  hours: Array.from({ length: 24 }, (): [number, number] => [1, 1]),
}

async function screenshots(page: Page, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.locator('html').evaluate((root, chosen) => root.setAttribute('data-theme', chosen), theme)
    for (const width of [390, 1000, 1366, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await settle(page)
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${theme}-${width}.png`, fullPage: true })
    }
  }
}

/** Waits until everything that depends on the window's width has been laid out. */
const settle = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 30)))),
  )

/** Checks the screen at every width. Returns all findings, each with its width. */
async function walkWidths(page: Page, screen: string, widths = WIDTHS): Promise<string[]> {
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await settle(page)
    found.push(...(await cutOff(page)).map((line) => `${screen} at ${width}: ${line}`))
  }
  return found
}

for (const mode of ['demo', 'real'] as const) {
  for (const screen of SCREENS[mode]) {
    test(`${screen} in ${mode} mode shows the longest values in full at every width`, async ({
      browser,
      trouble: _,
    }) => {
      const page = await openSignedIn(browser, mode)
      await page.goto(`/user/${screen}`)
      await page.waitForLoadState('networkidle')
      expect(await walkWidths(page, screen)).toEqual([])
      await page.context().close()
    })
  }
}

test('orders that wait show the longest values in full at every width', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'real')
  await page.goto('/user/home')
  await page.getByRole('tab', { name: /^Waiting/ }).click()
  await expect(page.getByRole('list', { name: 'Waiting orders' }).getByRole('listitem')).not.toHaveCount(0)
  if (process.env.SHOTS) await screenshots(page, 'waiting')
  expect(await walkWidths(page, 'home')).toEqual([])
  await page.context().close()
})

test('automatic trades on a phone show every setting and the back-test in full', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'demo')
  await page.route('**/api/automatic/backtest', (route) =>
    route.fulfill({ json: { status: true, data: LONGEST_PAST } }),
  )
  await page.setViewportSize({ width: 320, height: 900 })
  await page.goto('/user/automatic')
  await page.getByText('1. Coin toss, 30 min').click()
  for (const group of ['When to stop', 'Pause after losses', 'Days and hours'])
    await page.getByRole('heading', { name: group }).click()
  await page.getByText('Percent of balance').first().click()
  await page.getByRole('button', { name: 'Run the back-test' }).click()
  await expect(page.getByText('Hit rate by hour (America/Argentina/ComodRivadavia)')).toBeVisible()
  expect(await walkWidths(page, 'automatic')).toEqual([])
  if (process.env.SHOTS) await screenshots(page, 'automatic')
  await page.context().close()
})

test('the form of a strategy shows the longest rule in full at every width', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'demo')
  await page.goto('/user/strategies')
  await page
    .getByRole('link', { name: /^Change W/ })
    .first()
    .click()
  await expect(page.getByRole('group', { name: 'Condition 4' })).toHaveCount(2)
  expect(await walkWidths(page, 'strategies')).toEqual([])
  if (process.env.SHOTS) await screenshots(page, 'strategy')
  await page.context().close()
})

test('the messages of a strategy show in full at every width', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'demo')
  await page.goto('/user/strategies')
  await page.getByRole('link', { name: /^Signals of M/ }).click()
  await page.getByRole('radio', { name: 'Messages' }).press('Space')
  await expect(page.getByText('Void', { exact: true })).toHaveCount(7)
  expect(await walkWidths(page, 'strategies')).toEqual([])
  if (process.env.SHOTS) await screenshots(page, 'messages')
  await page.context().close()
})

test('on a phone, all cards of a history have the same height', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'real')
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 })
    for (const screen of ['home', 'trade-history', 'earnings', 'deposit-log', 'withdraw-log']) {
      await page.goto(`/user/${screen}`)
      const cards = page.getByRole('main').getByRole('list').last().getByRole('listitem')
      await expect(cards.first()).toBeVisible()
      const heights = await cards.evaluateAll((all) =>
        all.map((card) => Math.round(card.getBoundingClientRect().height)),
      )
      expect(new Set(heights).size, `${screen} at ${width}: ${heights.join(', ')}`).toBe(1)
    }
  }
  await page.context().close()
})

test('the links of the header are on one line, clear of the balance', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'real')
  await page.goto(`${server.origin}/user/trade-history`)
  const links = page.locator('header').getByRole('link')
  await expect(links).toHaveCount(6)
  for (const width of [769, 900, 901, 960, 961, 1000, 1100, 1101, 1200, 1201, 1366]) {
    await page.setViewportSize({ width, height: 800 })
    await expect
      .poll(async () => {
        const boxes = await links
          .getByText(/./)
          .filter({ visible: true })
          .evaluateAll((texts) =>
            texts.map((text) => {
              const { height, right } = text.getBoundingClientRect()
              return { lines: Math.floor(height / Number.parseFloat(getComputedStyle(text).fontSize)), right }
            }),
          )
        const wallet = (await page.getByRole('button', { name: /open the wallet/ }).boundingBox())!
        return boxes.map(({ lines }) => lines).join(' ') + (wallet.x - boxes.at(-1)!.right >= 4 ? '' : ' touching')
      }, `at ${width} px`)
      .toBe('1 1 1 1 1 1')
  }
})

test('while offline the header says so next to the balance, within its height', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'real')
  await page.routeWebSocket(/\/api\/stream/, (socket) => socket.close())
  await page.goto(`${server.origin}/user/home`)
  const banner = page.getByRole('paragraph').filter({ hasText: 'Connection lost.' })
  await expect(banner).toBeVisible()
  for (const width of [...WIDTHS, 901, 960, 1100, 1500, 1700, 1701]) {
    await page.setViewportSize({ width, height: 800 })
    await expect
      .poll(async () => {
        const [said, header, wallet] = await Promise.all(
          [banner, page.locator('header'), page.getByRole('button', { name: /open the wallet/ })].map((one) =>
            one.boundingBox(),
          ),
        )
        const isInside = said!.y >= header!.y && said!.y + said!.height <= header!.y + header!.height
        return isInside && said!.x + said!.width <= wallet!.x
      }, `at ${width} px`)
      .toBe(true)
  }
})
