import { MINUTE_MS } from '#kernel/time.ts'
import { confirmEmail } from '../../support/cashier.ts'
import { signedIn } from '../../support/people.ts'
import { tapeTest } from '../../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page } from '../../support/test.ts'
import { expectFollowed, follow } from '../../support/trading.ts'

async function expectGoodEverywhere(page: Page, name: string): Promise<void> {
  for (const width of [320, 390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: true })
  }
  await expectAccessible(page)
}

/** Moves on with the Tab key until an element with this name has the focus. */
async function tabTo(page: Page, role: 'button' | 'combobox' | 'textbox' | 'link', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true })
  for (let press = 0; press < 200; press++) {
    await page.keyboard.press('Tab')
    if (await wanted.evaluateAll((all) => all.includes(document.activeElement as HTMLElement))) return
  }
  throw new Error(`Tab never reached the ${role} ${name}`)
}

tapeTest('a trader builds a rule by the keyboard, back-tests, saves and changes it', async ({ page, tape }) => {
  const { email } = await signedIn(page)
  await confirmEmail(page, email, tape.dataDir)
  await page.goto('/user/strategies')
  await expect(page.getByRole('heading', { name: 'No strategies yet' })).toBeVisible()
  await expectGoodEverywhere(page, 'strategies-empty')

  await tabTo(page, 'link', 'Build your first strategy')
  await page.keyboard.press('Enter')
  const form = page.getByRole('form', { name: 'Strategy' })
  const says = form.getByRole('status')
  await expect(says).toHaveText('Buys when RSI(14) crosses above 30, on 5-minute candles of BTCUSDT.')

  // A window of two candles, so that a few minutes of the tape are enough.
  await tabTo(page, 'combobox', 'Candles')
  await page.keyboard.type('1 min')
  await tabTo(page, 'button', 'Remove condition 1: RSI(14) crosses above 30')
  await page.keyboard.press('Enter')
  await expect(says).toHaveText('Complete the symbols and conditions to read your rule here.')
  for (const [side, verb] of [
    ['buy', 'is above'],
    ['sell', 'is below'],
  ] as const) {
    await tabTo(page, 'button', `Add a condition to ${side}`)
    await page.keyboard.press('Enter')
    const value = page.getByRole('region', { name: `When to ${side}` }).getByLabel('Value')
    await expect(value).toBeFocused()
    await page.keyboard.type('Close')
    await tabTo(page, 'combobox', 'Comparison')
    await page.keyboard.type(verb)
    await tabTo(page, 'combobox', 'Compared with')
    await page.keyboard.type('Simple')
    await tabTo(page, 'textbox', 'Length')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(side === 'buy' ? '2' : '2000')
  }
  await expect(form.getByRole('alert')).toHaveText('SMA: Length must be a whole number from 1 to 500.')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('2')
  await expect(says).toHaveText(
    'Buys when the close is above SMA(2), on 1-minute candles of BTCUSDT. Sells when the close is below SMA(2).',
  )

  await tape.advance(5 * MINUTE_MS)
  const past = page.getByRole('region', { name: 'Back-test' })
  await past.getByRole('button', { name: 'Run the back-test' }).press('Enter')
  await expect(past.getByText(/you need [\d.]+% to break even/).first()).toBeVisible()
  await expectGoodEverywhere(page, 'strategies-editor')

  await form.getByRole('button', { name: 'Save strategy' }).press('Enter')
  await expect(form.getByText('Enter a name, not only digits and signs.')).toBeVisible()
  await expect(form.getByLabel('Name')).toBeFocused()
  await page.keyboard.type('My rule')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Strategy saved.')).toBeVisible()
  await expect(page.getByText('Version 1,')).toBeVisible()
  await expectGoodEverywhere(page, 'strategies-list')

  await page.getByRole('link', { name: 'Change My rule' }).press('Enter')
  await expect(says).toHaveText(/^Buys when the close is above SMA\(2\)/)
  await form.getByRole('button', { name: 'Add a time to buy' }).press('Enter')
  await expect(says).toContainText('Monday to Friday from 08:00 to 20:00')
  await expectGoodEverywhere(page, 'strategies-times')
  await form.getByRole('button', { name: 'Save changes' }).press('Enter')
  await expect(page.getByText('Version 2,')).toBeVisible()

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Publish: My rule' }).press('Enter')
  const name = `Rule ${Date.now()}`
  await dialog.getByLabel('Public name').fill(name)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`Published as ${name} since`)).toBeVisible()
  await expect(page.getByText('Version 3,')).toBeVisible()
  await page.getByRole('link', { name: 'Signals', exact: true }).last().click()
  // The page reads its figures every 30 seconds, and the server computes them as often.
  await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText(
    'Buys when the close is above SMA(2)',
    { timeout: 90_000 },
  )
  // Its author's demo account follows it. On a weekend it only sells, so that a close can be without a signal.
  await follow(page, 'My rule (mine)')
  const results = page.getByRole('region', { name: 'Signals and results' })
  await expect(async () => {
    await tape.advance(MINUTE_MS)
    await expect(results.getByText('In Progress')).toBeVisible({ timeout: 5_000 })
  }).toPass()
  await expectFollowed(page)
  await page.goto('/user/strategies')

  await page.getByRole('button', { name: 'Archive My rule' }).press('Enter')
  await dialog.getByRole('button', { name: 'Archive', exact: true }).press('Enter')
  await expect(page.getByRole('heading', { name: 'No strategies yet' })).toBeVisible()
})
