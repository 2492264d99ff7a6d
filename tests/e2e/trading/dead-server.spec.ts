import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from '@playwright/test'
import { processOf } from '#tests/support/servers/nodes.ts'
import { signedIn } from '../support/people.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { expect, expectAccessible, test } from '../support/test.ts'
import { balanceShown, place, setOrder } from '../support/trading.ts'

/** A separate server that this file can kill. */
let folder: string
let server: Server

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  server = await startServer({ dataDir: join(folder, 'data') })
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens the trading screen for a new trader of that server. */
async function openTrading(browser: Browser) {
  const context = await browser.newContext({
    baseURL: server.origin,
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await signedIn(page)
  await page.goto('/user/home')
  const buy = page.getByRole('button', { name: /^Buy pays/ })
  await expect(buy).toBeEnabled()
  return { context, page, buy }
}

test('a banner reports a dead server, and the screen recovers by itself', async ({ browser, trouble: _ }) => {
  test.setTimeout(240_000)
  const { context, page, buy } = await openTrading(browser)
  // The trade outlasts the test, and has its entry before the server dies: without one it would be void after 10 s.
  await setOrder(page, { duration: '30 min' })
  await place(page, 'Buy')
  await expect(page.getByText(/Even|Winning|Losing/).first()).toBeVisible()
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')

  const symbol = page.getByRole('heading', { level: 1 })
  const standing = await symbol.boundingBox()
  await server.kill()
  const banner = page.getByText('Connection lost.')
  await expect(banner).toBeVisible()
  // It covers and shifts nothing.
  const said = (await banner.boundingBox())!
  expect(said.y + said.height).toBeLessThan(standing!.y)
  expect(await symbol.boundingBox()).toEqual(standing)
  await expectAccessible(page)
  await expect(page.getByText('No connection')).toBeVisible()
  await expect(buy).toBeDisabled()
  // What is known of the trade stays, and no longer counts.
  const row = page.getByRole('region', { name: 'Transaction history' }).getByRole('row').nth(1)
  await expect(row).toContainText(/\d at \d\d:\d\d:\d\d.*last known [+−]?\d/)
  const stopped = await row.textContent()
  // The trader stays signed in, and loaded data stays on screen.
  await expect(page).toHaveURL('/user/home')
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
  expect(await row.textContent()).toBe(stopped)

  server = await startServer({ dataDir: join(folder, 'data'), port: server.port })
  await expect(banner).toBeHidden()
  await expect(buy).toBeEnabled()
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  await place(page, 'Buy')
  await expect.poll(() => balanceShown(page)).toBe('$9,800.00')
  await expect(page.getByRole('tab', { name: 'Open 2' })).toBeVisible()
  await context.close()
})

/** Keeps a process of the server down: the supervisor starts it again each time. Returns what lets it live. */
function keepDown(role: 'engine' | 'web'): () => Promise<void> {
  let isOver = false
  const killing = (async () => {
    while (!isOver) {
      const pid = processOf(server.pid, role)
      if (pid !== undefined) process.kill(pid, 'SIGKILL')
      await sleep(100)
    }
  })()
  return async () => {
    isOver = true
    await killing
  }
}

test('without the engine prices are stale and the rest works; without the web the screen says so', async ({
  browser,
  trouble: _,
}) => {
  test.setTimeout(240_000)
  const { context, page, buy } = await openTrading(browser)
  // It ends after the test, and has its entry before the prices stop.
  await setOrder(page, { duration: '30 min' })
  await place(page, 'Buy')
  await expect(page.getByText(/Even|Winning|Losing/).first()).toBeVisible()
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  const banner = page.getByText('Connection lost.')

  const letEngineLive = keepDown('engine')
  await expect(page.getByText(/No new price for BCHBTC for \d+ s/)).toBeVisible()
  await expect(buy).toBeDisabled()
  await expect(page.getByText(/^last known [+−]?\d/)).toBeVisible()
  await expect(banner).toBeHidden()
  // The web still answers: the same page loads again, with the open trade and the balance.
  await page.reload()
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  await expect(page.getByText('You can trade again as soon as the next price arrives.')).toBeVisible()
  await letEngineLive()
  await expect(buy).toBeEnabled()
  await place(page, 'Buy')
  await expect.poll(() => balanceShown(page)).toBe('$9,800.00')

  const letWebLive = keepDown('web')
  await expect(banner).toBeVisible()
  await expect(page.getByText('No connection')).toBeVisible()
  await expect(buy).toBeDisabled()
  await letWebLive()
  await expect(banner).toBeHidden()
  await expect(buy).toBeEnabled()
  await place(page, 'Buy')
  await expect.poll(() => balanceShown(page)).toBe('$9,700.00')
  await context.close()
})
