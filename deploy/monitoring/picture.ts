/**
 * Draws the dashboard with real values: sends its queries to a running Prometheus, renders one page and takes a
 * screenshot of it. Grafana isn't involved. Prints the panels whose queries returned nothing.
 *
 *   node deploy/monitoring/picture.ts --prometheus http://127.0.0.1:9090 --minutes 15 --scrape-seconds 15
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import sharp from 'sharp'
import { unpackBrowser } from '#tests/e2e/support/browser.ts'
import { dashboardPage, PAGE_PX, widthOf } from './dashboard-page.ts'
import { type Dashboard, queryPanel, type Range, type Series } from './dashboard-queries.ts'

const { values } = parseArgs({
  options: {
    prometheus: { type: 'string', default: 'http://127.0.0.1:9090' },
    /** End of the range, ISO 8601. Defaults to now. */
    until: { type: 'string' },
    minutes: { type: 'string', default: '180' },
    'scrape-seconds': { type: 'string', default: '15' },
    to: { type: 'string', default: fileURLToPath(new URL('../../docs/pictures/dashboard.png', import.meta.url)) },
  },
})

const to = values.until === undefined ? Date.now() / 1_000 : Date.parse(values.until) / 1_000
const range: Range = { from: to - Number(values.minutes) * 60, to, scrapeSeconds: Number(values['scrape-seconds']) }
const dashboard = JSON.parse(readFileSync(new URL('dashboard.json', import.meta.url), 'utf8')) as Dashboard

const series = new Map<number, Series[]>()
for (const panel of dashboard.panels) {
  const found = await queryPanel(values.prometheus, panel, range, widthOf(panel))
  series.set(panel.id, found)
  if (panel.targets && found.length === 0) console.log(`No data: ${panel.title}`)
}

const inter = createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const font = `@font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${readFileSync(inter, 'base64')}) }`
await screenshot(dashboardPage(dashboard, series, range, font), values.to)
console.log(`Wrote ${values.to}.`)

async function screenshot(html: string, file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-dashboard-'))
  try {
    const { executablePath, env } = await unpackBrowser(folder)
    const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu'] })
    try {
      const page = await browser.newPage({ viewport: { width: PAGE_PX, height: 900 } })
      await page.setContent(html)
      await page.evaluate(() => document.fonts.ready)
      const cutOff = await page
        .locator('section')
        .evaluateAll((sections) =>
          sections
            .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
            .map((one) => one.querySelector('h2')?.textContent),
        )
      if (cutOff.length > 0) console.log(`Cut off: ${cutOff.join(', ')}`)
      const png = await page.screenshot({ fullPage: true })
      await sharp(png).png({ palette: true, quality: 90, effort: 10 }).toFile(file)
    } finally {
      await browser.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
