/**
 * Size of the JavaScript (gzip) that a browser loads on the first visit to the sign-in, sign-up and trading screens,
 * with the chart's chunk counted separately. Measured in a browser against the built product (run `npm run build`
 * first).
 *
 * node lab/bench/installation/bundle.ts
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { chromium, type Page } from 'playwright'
import { unpackBrowser } from '#tests/e2e/support/browser.ts'
import { startServer } from '#tests/e2e/support/servers/server.ts'

const BUILT = fileURLToPath(new URL('../../../build/client', import.meta.url))
/** Identifies the chart's chunk by the class name of the library's element. */
const isChart = (text: string) => text.includes('tv-lightweight-charts')

const folder = mkdtempSync(join(tmpdir(), 'cleartick-bench-bundle-'))
// As root, PostgreSQL runs under another user's id, which needs access to the folder.
chmodSync(folder, 0o711)
const { executablePath, env } = await unpackBrowser(folder)
const server = await startServer({ dataDir: join(folder, 'data') })
const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage()
  await measure(page, '/auth/signin', 150)
  await measure(page, '/auth/signup', 150)
  await signIn(page)
  await measure(page, '/user/home', 225)
  await measure(page, '/user/trade-history', 225)
} finally {
  await browser.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(page: Page, path: string, wantedKb: number): Promise<void> {
  const loaded = new Set<string>()
  const listen = (request: { url(): string; resourceType(): string }) => {
    if (request.resourceType() === 'script') loaded.add(new URL(request.url()).pathname)
  }
  page.on('request', listen)
  await page.goto(`${server.origin}${path}`)
  await page.waitForLoadState('networkidle').catch(() => undefined)
  await page.waitForTimeout(2_000)
  page.off('request', listen)
  let chart = 0
  let rest = 0
  for (const file of loaded) {
    const bytes = readFileSync(join(BUILT, file))
    const size = gzipSync(bytes, { level: 9 }).length
    if (isChart(bytes.toString('utf8'))) chart += size
    else rest += size
  }
  const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  console.log(
    `${path}: ${kb(rest)} of JavaScript in ${loaded.size} files (at most ${wantedKb} wanted)${chart ? `, chart ${kb(chart)} (at most 60 wanted)` : ''}`,
  )
}

async function signIn(page: Page): Promise<void> {
  const person = {
    firstname: 'Bench',
    lastname: 'User',
    email: 'bench@example.com',
    phone: '1234567890',
    password: 'bench-password',
    confirmPassword: 'bench-password',
  }
  await fetch(`${server.origin}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(person),
  })
  await page.goto(`${server.origin}/auth/signin`)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/user/home')
}
