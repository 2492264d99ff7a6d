import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordFallingPrices } from './support/falling-prices.ts'
import { mailTo, signedIn } from './support/people.ts'
import { type Server, startServer } from './support/server.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test, typeInto } from './support/test.ts'

/** A separate server whose prices only fall. */
let folder: string
let server: Server

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  const recording = join(folder, 'recording')
  await recordFallingPrices(recording)
  server = await startServer({ dataDir: join(folder, 'data'), settings: { FEED: `replay:${recording}` } })
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a trader reaches a stop, sees what happened and what to do, and starts again', async ({
  browser,
  trouble: _,
}) => {
  test.setTimeout(390_000)
  const context = await browser.newContext({ baseURL: server.origin, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const { email } = await signedIn(page)
  await page.goto('/user/automatic')
  const state = page.getByRole('region', { name: 'State of your automatic trades' })
  await page.getByLabel('Strategy').selectOption('Coin toss')
  await page.getByText('Buy only').click()
  await typeInto(page, 'Amount', '5')
  await typeInto(page, 'Losses in a row', '1')
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(state.getByText('Running')).toBeVisible()

  // Wait without touching anything. One Buy signal is enough: the control strategy has two or three each minute, and
  // none in four minutes about once in 20,000 runs.
  const orders = page.getByRole('region', { name: 'Signals and results' })
  await expect(orders.getByText('In Progress')).toBeVisible({ timeout: 250_000 })
  // The trade takes a minute, and its loss stops automatic trades a few seconds later, without another signal.
  await expect(state.getByText('Stopped', { exact: true })).toBeVisible({ timeout: 90_000 })
  await expect(state.getByRole('status')).toHaveText(
    'Stopped after 1 loss in a row. You can start again at any time; losses then count from zero.',
  )
  await expect(state.getByText('0 won, 1 lost')).toHaveCount(2)
  await expect(orders.getByText('Lost', { exact: true })).toBeVisible()
  // The loss itself was the stop, not a later signal that was skipped.
  await expect(orders.getByText('One of your stops was reached.')).toHaveCount(0)
  for (const width of [320, 390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/automatic-stopped-${width}.png` })
  }
  await expectAccessible(page)

  const notice = /^Stopped after 1 loss in a row\..*\(demo account\)$/
  await page.getByRole('button', { name: 'Notifications, 1 unread' }).click()
  const notices = page.getByRole('dialog', { name: 'Notifications' })
  await expect(notices.getByText('Automatic trades stopped')).toBeVisible()
  await expect(notices.getByText(notice)).toBeVisible()
  await page.keyboard.press('Escape')
  const mail = await mailTo(page, email, /^Automatic trades stopped$/)
  expect(mail.text).toContain('Stopped after 1 loss in a row.')
  expect(mail.links).toContain(`${server.origin}/user/automatic`)

  await page.getByRole('button', { name: 'Start' }).click()
  await expect(state.getByText('Running')).toBeVisible()
  await expect(state.getByText('1 of 14')).toBeVisible()
  // The day's losses remain; losses in a row and since the start count from zero.
  await expect(state.getByText('0 won, 1 lost')).toHaveCount(1)
  await expect(state.getByText('0 won, 0 lost')).toHaveCount(1)
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect(state.getByText('Nothing is traded until you start.')).toBeVisible()
  await context.close()
})
