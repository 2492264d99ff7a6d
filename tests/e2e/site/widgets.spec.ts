import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { townMap } from '../support/pictures.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

const ADDRESS = '1 Market Street, London <EC1>'
const STRIP = ['S&P 500', 'Nasdaq 100', 'EUR/USD', 'BTC/USD', 'ETH/USD']
const widget = (page: Page, kind: string) => page.locator(`[data-widget="${kind}"]`)
/**
 * Returns the elements of the strip or page that moved without user input. Ignores text, which may be redrawn when the
 * font loads.
 */
const shifts = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const moved: string[] = []
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            hadRecentInput: boolean
            sources: { node?: Node }[]
          })[])
            if (!entry.hadRecentInput)
              for (const { node } of entry.sources)
                if (node instanceof Element && node.parentElement?.closest('[data-strip], main section'))
                  moved.push(`${node.nodeName} ${node.parentElement.outerHTML.slice(0, 120)}`)
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(moved), 500)
      }),
  )

test('the strip shows five live prices, marks them as simulated and shifts nothing', async ({ page }) => {
  await page.goto('/')
  const strip = page.getByRole('region', { name: 'Market prices' })
  for (const name of STRIP)
    await expect(strip.getByRole('listitem').filter({ hasText: name })).toHaveText(
      new RegExp(`${name.replace('&', '.')} [\\d,]+\\.\\d+ ([+−]\\d+\\.\\d\\d%)?`),
    )
  await expect(strip).toContainText('Simulated prices')
  const bitcoin = strip.getByRole('listitem').filter({ hasText: 'BTC/USD' })
  const before = (await bitcoin.textContent())!
  await expect(bitcoin).not.toHaveText(before)
  expect(await shifts(page)).toEqual([])
})

test('the strip disconnects when the page is left and reconnects on return', async ({ page }) => {
  const closed: string[] = []
  page.on('websocket', (socket) => socket.on('close', () => closed.push(socket.url())))
  await page.goto('/about-us')
  const bitcoin = page.locator('[data-quote="BTCUSD"]')
  await expect(bitcoin).toContainText(/\d/)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await expect.poll(() => closed.length).toBe(1)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  const before = (await bitcoin.textContent())!
  await expect(bitcoin).not.toHaveText(before)
})

test('overview, chart and heat map are drawn from the tape at every width without layout shifts', async ({ page }) => {
  await page.goto('/financial-instruments')
  await expect(widget(page, 'overview').getByRole('row').filter({ hasText: 'BTC/USD' })).toContainText(/[\d,]+\.\d\d/)
  await expect(page.locator('[data-row="BTCUSD"] polyline')).toHaveAttribute('points', /\d/)
  expect(await shifts(page)).toEqual([])
  await widget(page, 'chart').scrollIntoViewIfNeeded()
  await expect(page.locator('[data-candles] rect').first()).toBeAttached()
  await page.getByLabel('Symbol').selectOption('ETHUSD')
  await expect(page.getByRole('img', { name: /^ETH\/USD: from/ })).toBeVisible()
  await expect(page.locator('[data-cell="BTCUSD"]')).toContainText(/[+−]\d/)
  await expectAccessible(page)
  await page.screenshot({ path: 'test-results/widgets-1440.png', fullPage: true })
})

test('payouts show an empty state until there are some', async ({ page }) => {
  await page.goto('/live-payouts')
  const list = page.getByRole('region', { name: 'List of payouts' })
  await expect(list).toContainText('No real trade has been won here yet')
  await page.route('**/api/public/payouts', (route) =>
    route.fulfill({
      json: {
        status: true,
        data: {
          source: 'live',
          payouts: [{ symbol: 'BTCUSD', trade_mode: 'Buy', stake: 1200, payout: 2100, at: '2026-01-02T03:04:00.000Z' }],
        },
      },
    }),
  )
  await expect(list.getByRole('row').filter({ hasText: '$2,100' })).toHaveText(
    /2026-01-02 03:04\s*BTCUSD\s*Buy\s*\$1,200/,
  )
  await expect(list.getByText('No real trade')).toBeHidden()
  expect(await shifts(page)).toEqual([])
})

test.describe('a third party', () => {
  // These tests share one server.
  test.describe.configure({ mode: 'default' })
  let folder: string
  let server: Server
  let fake: HttpServer
  let behaves: 'alive' | 'hanging' | 'empty' | 'says it has nothing' | 'broken' = 'alive'

  test.beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cleartick-widgets-'))
    chmodSync(folder, 0o711)
    fake = createServer(({ url }, reply) => {
      if (behaves === 'hanging') return
      if (behaves === 'alive' && url === '/payouts') {
        reply.setHeader('content-type', 'text/html')
        reply.end(
          "<!doctype html><title>x</title><p>Their list</p><script>parent.postMessage({ name: 'widget-load' }, '*')</script>",
        )
        return
      }
      const say = (name: string) => `<script>parent.postMessage({ name: '${name}' }, '*')</script>`
      const body =
        { alive: say('tv-widget-load'), 'says it has nothing': say('tv-widget-no-data') }[behaves as 'alive'] ?? ''
      reply.statusCode = behaves === 'broken' ? 500 : 200
      reply.setHeader('content-type', 'text/html')
      reply.end(`<!doctype html><title>x</title><p>Their picture</p>${body}`)
    })
    await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    writeFileSync(join(folder, 'map.png'), await townMap())
    const SITE_FILE = join(folder, 'site.json')
    writeFileSync(SITE_FILE, JSON.stringify({ address: ADDRESS, mapPicture: 'map.png' }))
    server = await startServer({
      dataDir: join(folder, 'data'),
      settings: {
        WIDGETS: 'tradingview',
        WIDGETS_ORIGIN: origin,
        PAYOUTS_URL: `${origin}/payouts`,
        BRAND: 'Northwind',
        SITE_FILE,
      },
    })
  })
  test.afterAll(async () => {
    fake?.closeAllConnections()
    fake?.close()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a picture of the address fills the map area of the contact page, from our own host', async ({ page }) => {
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${server.origin}/contact-us`)
      const picture = page.locator('main').getByRole('img', { name: `Map: ${ADDRESS}` })
      await picture.scrollIntoViewIfNeeded()
      await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1600)
      await expect(page.getByText(ADDRESS, { exact: true })).toBeVisible()
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    }
    expect([...hosts]).toEqual([new URL(server.origin).host])
  })

  test('covers our widget once it has loaded, but never while it hangs, is empty or has no data', async ({
    page,
    trouble,
  }) => {
    trouble.allow(/embed-widget/)
    const overview = widget(page, 'overview')
    const native = overview.getByRole('row').filter({ hasText: 'BTC/USD' })
    behaves = 'alive'
    const answer = await page.goto(`${server.origin}/financial-instruments`)
    expect(answer!.headers()['content-security-policy']).toMatch(/frame-src http:\/\/127\.0\.0\.1:\d+;/)
    await expect(overview.locator('iframe')).toBeVisible()
    await expect(overview).toContainText('Provided by TradingView')

    behaves = 'says it has nothing'
    await page.reload()
    await expect(overview).toContainText("We can't reach TradingView right now")
    await expect(overview.locator('iframe')).toHaveCount(0)
    await expect(native).toContainText(/[\d,]+\.\d\d/)

    for (const way of ['hanging', 'empty', 'broken'] as const) {
      behaves = way
      await page.clock.install()
      await page.goto(`${server.origin}/financial-instruments`)
      await expect(native).toContainText(/[\d,]+\.\d\d/)
      await expect(overview).toContainText('Loading TradingView')
      await expect(overview.locator('iframe')).toBeHidden()
      await page.clock.fastForward(25_100)
      await expect(overview, way).toContainText("We can't reach TradingView right now")
      await expect(overview.locator('iframe')).toHaveCount(0)
      await expect(native).toContainText(/[\d,]+\.\d\d/)
    }
  })

  test('can provide the list of payouts: ours shows first, and again if theirs fails', async ({ page, trouble }) => {
    trouble.allow(/payouts|embed-widget/)
    const payouts = widget(page, 'payouts')
    const ours = payouts.getByText('No real trade has been won here yet')
    behaves = 'alive'
    const answer = await page.goto(`${server.origin}/live-payouts`)
    expect(answer!.headers()['content-security-policy']).toMatch(/frame-src http:\/\/127\.0\.0\.1:\d+;/)
    await expect(payouts.locator('iframe')).toBeVisible()
    await expect(payouts.frameLocator('iframe').getByText('Their list')).toBeVisible()
    await expect(payouts).toContainText(/Provided by 127\.0\.0\.1:\d+\. It may differ from our prices/)
    await expectAccessible(page)

    for (const way of ['hanging', 'empty', 'broken'] as const) {
      behaves = way
      await page.clock.install()
      await page.goto(`${server.origin}/live-payouts`)
      await expect(ours).toBeVisible()
      await expect(payouts).toContainText(/Loading 127\.0\.0\.1:\d+\. Until then, this is our own/)
      await expect(payouts.locator('iframe')).toBeHidden()
      await page.clock.fastForward(25_100)
      await expect(payouts, way).toContainText("We can't reach")
      await expect(payouts.locator('iframe')).toHaveCount(0)
      await expect(ours).toBeVisible()
    }
  })

  test("keeps the operator's brand in titles, header, footer and manifest", async ({ page }) => {
    for (const [path, title] of [
      ['/', 'Northwind: trade with confidence'],
      ['/legal', 'Terms and conditions – Northwind'],
      ['/auth/signin', 'Sign in – Northwind'],
    ] as const) {
      await page.goto(server.origin + path)
      await expect(page).toHaveTitle(title)
      await expect(page.getByText('Northwind').first()).toBeVisible()
      await expect(page.locator('body')).not.toContainText('Cleartick')
    }
    const manifest = await page.request.get(`${server.origin}/site.webmanifest`)
    expect(await manifest.json()).toMatchObject({ name: 'Northwind' })
  })

  test("isn't allowed on other pages", async ({ page }) => {
    const answer = await page.goto(`${server.origin}/about-us`)
    expect(answer!.headers()['content-security-policy']).toContain("frame-src 'none'")
  })
})

test('shows only our own list of payouts by default', async ({ page }) => {
  const answer = await page.goto('/live-payouts')
  const payouts = widget(page, 'payouts')
  await expect(payouts).toContainText('No real trade has been won here yet')
  await expect(payouts.getByRole('button')).toHaveCount(0)
  await expect(payouts.locator('iframe')).toHaveCount(0)
  expect(answer!.headers()['content-security-policy']).toContain('frame-src https://www.tradingview-widget.com;')
})

test('by default, a third party loads only on request, and forged messages are ignored', async ({ page, trouble }) => {
  trouble.allow(/embed-widget/)
  let asked = 0
  await page.route('https://www.tradingview-widget.com/**', (route) => {
    asked++
    return route.abort('connectionrefused')
  })
  await page.clock.install()
  await page.goto('/financial-instruments')
  const overview = widget(page, 'overview')
  await expect(overview).toContainText('Loading TradingView shares your IP address with them')
  expect(asked).toBe(0)
  await overview.getByRole('button', { name: 'Load TradingView' }).click()
  await expect.poll(() => asked).toBe(1)
  // Anyone can post to the page; only messages of the frame itself, from its own origin, count.
  await page.evaluate(() => postMessage({ name: 'tv-widget-load' }, '*'))
  await page.clock.runFor(1_000)
  await expect(overview.locator('iframe')).toBeHidden()
  await page.clock.fastForward(25_000)
  await expect(overview).toContainText("We can't reach")
  await expect(overview.getByRole('button', { name: 'Load TradingView' })).toBeVisible()
})
