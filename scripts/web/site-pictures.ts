/**
 * Takes the screenshots of the trading screen for the public site, from the running product (`npm run build` first): a
 * new user's demo account on simulated prices, with real demo trades. Writes AVIF and WebP below web/site/pictures, and
 * the README's picture, which are committed.
 *
 * node scripts/web/site-pictures.ts
 */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright'
import sharp from 'sharp'
import { first } from '#kernel/must.ts'
import { unpackBrowser } from '#tests/e2e/support/browser.ts'
import { startServer } from '#tests/e2e/support/servers/server.ts'

const TARGET = fileURLToPath(new URL('../../web/site/pictures/', import.meta.url))
const SCREENS = fileURLToPath(new URL('../../public/screens/', import.meta.url))
const README = fileURLToPath(new URL('../../docs/pictures/trading.png', import.meta.url))
const README_WIDTH = 1600
/** The screenshots: window sizes, and the image widths to write. The page shows them at half of the widest. */
const SHOTS = [
  { name: 'trading', width: 1440, height: 900, widths: [1600, 800], phone: false },
  { name: 'phone', width: 390, height: 844, widths: [640, 480, 320], phone: true },
]
const MINUTE_MS = 60_000

interface Screen {
  shot: (typeof SHOTS)[number]
  theme: string
  page: Page
}

const folder = mkdtempSync(join(tmpdir(), 'cleartick-pictures-'))
// When run as root, PostgreSQL runs as another user, who needs access to the folder.
chmodSync(folder, 0o711)
const { executablePath, env } = await unpackBrowser(folder)
const server = await startServer({ dataDir: join(folder, 'data') })
const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu'] })
let access = ''
try {
  const root = await tradingAccount()
  const screens: Screen[] = []
  for (const theme of ['light', 'dark'] as const)
    for (const shot of SHOTS) screens.push({ shot, theme, page: await show(shot, theme, root) })
  await untilWinning()
  const taken = []
  for (const { shot, theme, page } of screens) taken.push({ shot, theme, png: await page.screenshot() })
  for (const one of taken) await write(one)
} finally {
  await browser.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function ask(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Record<string, never>> {
  const answer = await fetch(`${server.origin}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return answer.json() as Promise<Record<string, never>>
}

async function read(path: string): Promise<{ data: unknown }> {
  const answer = await fetch(`${server.origin}/api${path}`, { headers: { authorization: `Bearer ${access}` } })
  return answer.json() as Promise<{ data: unknown }>
}

/** Creates an account with settled and open trades. Returns its browser session. */
async function tradingAccount(): Promise<string> {
  const person = { firstname: 'Ada', lastname: 'Byron', email: 'ada@example.org', phone: '+44 20 7946 0000' }
  const password = 'analytical engine'
  await ask('/auth/register', { ...person, password, confirmPassword: password })
  const { data, tokens } = (await ask('/auth/login', { email: person.email, password })) as unknown as {
    data: unknown
    tokens: { access: { token: string } }
  }
  access = tokens.access.token
  const bearer = { authorization: `Bearer ${access}` }
  const trade = (symbol: string, trade_mode: 'Buy' | 'Sell', amount: number, duration: number) => {
    const strike_rate = trade_mode === 'Buy' ? '75/3' : '1/61'
    const order = { symbol, trade_mode, amount, duration, strike_rate, mode: 'demo', trading_type: 'Cryptocurrency' }
    return ask('/trading/submit', order, bearer)
  }
  // The tape starts with the server, and a trade needs a price first.
  await sleep(5_000)
  for (const [symbol, side, amount] of [
    ['BTCUSDT', 'Buy', 120],
    ['ETHUSDT', 'Sell', 60],
    ['LTCUSDT', 'Buy', 240],
    ['XRPUSDT', 'Sell', 40],
  ] as const)
    await trade(symbol, side, amount, 60)
  await sleep(MINUTE_MS + 20_000)
  await trade('ETHUSDT', 'Sell', 120, 900)
  await trade('BTCUSDT', 'Buy', 240, 900)
  await sleep(30_000)
  return JSON.stringify({ state: { auth: { user_data: data, tokens }, mode: 'demo' }, version: 1 })
}

/** Waits for a moment when one of the open trades is winning. The list shows the others. */
async function untilWinning(): Promise<void> {
  for (let seconds = 0; seconds < 300; seconds++) {
    const { data: trades } = await read('/trading?mode=demo')
    const { data: prices } = await read('/prices/instruments?symbols=BTCUSDT')
    const open = (trades as { symbol: string; start_price?: number }[]).find(({ symbol }) => symbol === 'BTCUSDT')
    const price = Number(first(prices as { price: string }[]).price)
    if (open?.start_price !== undefined && price > open.start_price * 1.0002) return
    await sleep(1_000)
  }
}

/** Takes a screenshot of the trading screen as a trader sees it. */
async function show({ width, height, phone }: Screen['shot'], theme: string, root: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 2,
    isMobile: phone,
    hasTouch: phone,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  await page.goto(`${server.origin}/favicon.svg`)
  await page.evaluate(
    (kept) => {
      for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value)
    },
    { root, theme },
  )
  await page.goto(`${server.origin}/user/home?symbol=BTCUSDT`)
  await page.getByRole('button', { name: /choose another symbol/ }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('BTCUSDT')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await sleep(4_000)
  return page
}

async function write({ shot, theme, png }: { shot: Screen['shot']; theme: string; png: Buffer }): Promise<void> {
  for (const pixels of shot.widths) {
    const picture = sharp(png).resize(pixels)
    const file = join(TARGET, `${shot.name}-${theme}-${pixels}`)
    // Phones load it with the start page's first text, so it must be small.
    await picture
      .clone()
      .avif({ quality: shot.phone ? 40 : 52, effort: 7 })
      .toFile(`${file}.avif`)
    await picture.clone().webp({ quality: 76, effort: 6 }).toFile(`${file}.webp`)
    if (theme === 'light' && pixels === README_WIDTH) await picture.clone().png({ palette: true }).toFile(README)
    // What a browser shows before it installs the app.
    if (theme === 'dark' && pixels === shot.widths[0])
      await copyFile(`${file}.webp`, join(SCREENS, `trading-${shot.phone ? 'narrow' : 'wide'}.webp`))
  }
  console.log(`${shot.name}, ${theme}`)
}
