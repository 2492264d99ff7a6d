import { randomUUID } from 'node:crypto'
import { approveItem, operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { tapeTest as test } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page } from '../support/test.ts'

const name = () => `${randomUUID().slice(0, 13)}@desk.example`
const NOTICE =
  'We update our servers today from 18:00 to 18:20 UTC. Open trades settle as usual; you may be signed out for a moment.'

async function expectGood(page: Page, shot: string): Promise<void> {
  for (const width of [390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/${shot}-${width}.png`, animations: 'disabled' })
  }
  await expectAccessible(page)
}

async function pull(desk: Page, button: string, fields: Record<string, string>): Promise<void> {
  await desk.getByRole('button', { name: button }).click()
  const form = desk.getByRole('dialog', { name: button })
  for (const [label, text] of Object.entries(fields)) await form.getByLabel(label).fill(text)
  await form.getByRole('button', { name: button }).click()
  await expect(form).toBeHidden()
}

test('one operator stops trading, and two release it; traders and visitors read why', async ({ browser, tape }) => {
  const at = { origin: tape.origin, dataDir: tape.dataDir }
  const proposer = await operatorIn(browser, name(), 'risk', at)
  const decider = await operatorIn(browser, name(), 'finance', at)
  const context = await browser.newContext({ baseURL: tape.origin, viewport: { width: 1366, height: 900 } })
  const trader = await context.newPage()
  await signedIn(trader, { mode: 'demo' })
  await trader.goto('/user/home')
  const notice = trader.locator('[data-maintenance]')
  const buy = trader.getByRole('button', { name: /^Buy/ }).first()
  await expect(buy).toBeVisible()

  await proposer.getByRole('link', { name: 'Emergency', exact: true }).click()
  await pull(proposer, 'Stop a symbol', { Symbol: 'bchbtc', Reason: 'Its price looks wrong on two exchanges.' })
  await pull(proposer, 'Show a notice', { 'What everyone reads': NOTICE, Reason: 'The update of tonight.' })
  await expect(
    proposer.getByRole('status').getByText(/^BCHBTC is stopped since .*Maintenance notice since/),
  ).toBeVisible()
  await expectGood(proposer, 'emergency')

  await expect(notice, 'an open screen shows it').toHaveText(NOTICE)
  await expect(trader.getByText(/^Trading BCHBTC is stopped since \d\d:\d\d UTC/).first()).toBeVisible()
  await expect(buy).toBeDisabled()
  await expectGood(trader, 'emergency-trader')
  const visitor = await context.newPage()
  for (const [path, shot] of [
    ['/', 'emergency-site'],
    ['/incidents', 'emergency-incidents'],
    ['/user/withdraw-fund', 'emergency-user'],
  ] as const) {
    await visitor.goto(path)
    await expect(visitor.locator('[data-maintenance]')).toHaveText(NOTICE)
    await expectGood(visitor, shot)
  }

  // Every screen of the desk has its words, too.
  for (const path of ['', 'withdrawals', 'users', 'emergency']) {
    await decider.goto(`/desk/${path}`)
    await expect(decider.getByRole('status').getByText(NOTICE)).toBeVisible()
  }
  await decider.goto('/desk/withdrawals')
  await expectGood(decider, 'emergency-desk')

  await pull(proposer, 'Stop real trading', { Reason: 'A trader finds prices before we do.' })
  await proposer.getByRole('button', { name: 'Propose to release: BCHBTC is stopped' }).click()
  const form = proposer.getByRole('dialog', { name: 'Release: BCHBTC is stopped' })
  await form.getByLabel('Reason').fill('Both exchanges agree again.')
  await form.getByRole('button', { name: 'Propose to release' }).click()
  await expect(form).toBeHidden()
  await proposer.getByRole('link', { name: 'Open the proposal' }).click()
  await expect(proposer.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()

  await decider.goto('/desk/emergency')
  await decider.getByRole('link', { name: 'Open the proposal' }).click()
  await expect(decider.getByText('Both exchanges agree again.')).toBeVisible()
  await expectGood(decider, 'emergency-release')
  await approveItem(decider)
  await expect(decider.getByText('Released: BCHBTC is stopped.')).toBeVisible()
  await expect(buy, 'an open screen trades on').toBeEnabled()
  await Promise.all([proposer, decider, trader].map((page) => page.context().close()))
})
