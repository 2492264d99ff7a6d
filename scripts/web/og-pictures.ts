/**
 * Renders the link preview image (1200 x 630) of each public page, and the site's icons, into public/. They are
 * committed; run this again when a title changes.
 *
 * node scripts/web/og-pictures.ts
 *
 * They show the operator's name from `BRAND` or `SITE_FILE`, which the server reads the same way.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import sharp from 'sharp'
import { PUBLIC_PAGES, type PublicPage } from '#contract/site.ts'
import { readSiteFile } from '#server/config/site-values.ts'
import { unpackBrowser } from '#tests/e2e/support/browser.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const TITLES: Record<PublicPage, string> = {
  '/': 'Trade with confidence',
  '/about-us': 'About us',
  '/pricing': 'Trading plans',
  '/contact-us': 'Contact us',
  '/bitcoin-trading': 'Bitcoin trading',
  '/bitcoin-cash': 'Bitcoin Cash trading',
  '/litecoin-trading': 'Litecoin trading',
  '/etherum-trading': 'Ethereum trading',
  '/ripple-trading': 'Ripple trading',
  '/financial-instruments': 'Financial instruments',
  '/live-payouts': 'Live payouts',
  '/prices': 'How prices are made',
  '/signals': 'Signals, measured',
  '/verify': 'Check a receipt',
  '/incidents': 'Incidents',
  '/risk-disclosure': 'Risk disclosure',
  '/legal': 'Terms and conditions',
  '/privacy': 'Privacy policy',
  '/aml-policy': 'AML and KYC policy',
  '/payment-policy': 'Payment policy',
}

const brand = process.env.BRAND ?? readSiteFile(process.env.SITE_FILE).values.brand
const font = readFileSync(at('web/ui/inter.woff2')).toString('base64')
const mark = readFileSync(at('public/favicon.svg'), 'utf8')
/** A price line ending in its last tick, as in the logo. */
const line = 'M0 214 60 190 118 222 176 150 238 176 300 96 360 132 424 70 486 104 548 30 600 58'

const drawing = (title: string): string => `<!doctype html><style>
@font-face{font-family:Inter;src:url(data:font/woff2;base64,${font});font-weight:400 700}
*{margin:0;box-sizing:border-box}
body{width:1200px;height:630px;padding:72px 80px;background:#0a0d13;color:#eaeef6;font-family:Inter;position:relative;overflow:hidden}
.brand{display:flex;gap:18px;align-items:center;font-size:34px;font-weight:640;letter-spacing:-.02em}.brand svg{width:52px;height:52px}
h1{position:absolute;left:80px;bottom:150px;width:760px;font-size:${title.length > 18 ? 80 : 92}px;line-height:1.04;font-weight:680;letter-spacing:-.04em}
p{position:absolute;left:80px;bottom:76px;font-size:30px;color:#a3aec2}
.line{position:absolute;right:-20px;top:120px;width:640px;opacity:.9}
</style><div class="brand">${mark}${brand}</div>
<svg class="line" viewBox="0 0 640 260" fill="none"><path d="${line} 600 260 0 260Z" fill="url(#g)"/><path d="${line}" stroke="#5f82ff" stroke-width="5" stroke-linejoin="round" stroke-linecap="round"/><circle cx="600" cy="58" r="11" fill="#eaeef6"/>
<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#5f82ff" stop-opacity=".28"/><stop offset="1" stop-color="#5f82ff" stop-opacity="0"/></linearGradient></defs></svg>
<h1>${title}</h1><p>Timed trades at prices that anyone can check.</p>`

const folder = mkdtempSync(join(tmpdir(), 'cleartick-og-'))
const { executablePath, env } = await unpackBrowser(folder)
const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu'] })
try {
  mkdirSync(at('public/og'), { recursive: true })
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 } })
  for (const path of PUBLIC_PAGES) {
    await page.setContent(drawing(TITLES[path]))
    await page.evaluate(() => document.fonts.ready)
    const name = path === '/' ? 'home' : path.slice(1)
    await sharp(await page.screenshot())
      .png({ palette: true, quality: 90, effort: 10 })
      .toFile(at(`public/og/${name}.png`))
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}

// Phones round the corners themselves, so the icon fills its square.
const square = mark.replace('rx="9"', '')
// A phone may cut a circle of 80 % out of it, or any shape around that.
const maskable = square
  .replace('viewBox="0 0 32 32"', 'viewBox="-5 -5 42 42"')
  .replace('<rect width="32" height="32"', '<rect x="-5" y="-5" width="42" height="42"')
// A phone's status bar shows only its shape.
const badge = square.replace(/<rect[^>]*>/, '').replace('viewBox="0 0 32 32"', 'viewBox="3 3 26 26"')
for (const [name, size, picture] of [
  ['icon-192', 192, square],
  ['icon-512', 512, square],
  ['icon-maskable-192', 192, maskable],
  ['icon-maskable-512', 512, maskable],
  ['apple-touch-icon', 180, square],
  ['badge-96', 96, badge],
] as const) {
  await sharp(Buffer.from(picture), { density: 72 * (size / 32) })
    .resize(size)
    .png({ palette: true })
    .toFile(at(`public/${name}.png`))
}
