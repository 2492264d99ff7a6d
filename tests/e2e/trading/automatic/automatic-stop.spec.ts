import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { mailTo, signedIn } from '../../support/people.ts'
import { recordFallingPrices } from '../../support/servers/falling-prices.ts'
import { startTape, type Tape } from '../../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test, typeInto } from '../../support/test.ts'

/** A separate server whose prices only fall. */
let folder: string
let tape: Tape

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  const recording = join(folder, 'recording')
  await recordFallingPrices(recording)
  tape = await startTape({ FEED: `replay:${recording}`, TAPE_TOSS: 'Buy' })
})
test.afterAll(async () => {
  await tape.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a trader reaches a stop, sees what happened and what to do, and starts again', async ({
  browser,
  trouble: _,
}) => {
  const context = await browser.newContext({ baseURL: tape.origin, reducedMotion: 'reduce' })
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

  await tape.advanceToToss('Buy')
  const orders = page.getByRole('region', { name: 'Signals and results' })
  await expect(orders.getByText('In Progress')).toBeVisible()
  // The loss stops automatic trades, without another signal.
  await tape.advance(MINUTE_MS + SECOND_MS)
  await expect(state.getByText('Stopped', { exact: true })).toBeVisible()
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
  expect(mail.links).toContain(`${tape.origin}/user/automatic`)

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
