import { readFileSync } from 'node:fs'
import type { TradeSide } from '#contract/terms.ts'
import { verifyReceipt } from '#packages/verify/verify.js'
import { signedIn } from '../support/people.ts'
import { type Tape, tapeTest } from '../support/tape.ts'
import { expect, expectAccessible, type Locator, type Page } from '../support/test.ts'
import { balanceShown, place, setOrder } from '../support/trading.ts'

const MINUTE_MS = 60_000
/** Prices every 20 s are enough for a variance. */
const STEP_MS = 20_000
const sellOf = (page: Page, side: TradeSide) =>
  page.getByRole('button', { name: new RegExp(`^(Sell for|Sell in|Not for sale|Selling).*, ${side} \\w+$`) })
const dialogOf = (page: Page, side: TradeSide) =>
  page.getByRole('dialog', { name: new RegExp(`^Sell your ${side} of \\w+ now\\?$`) })
const dollarsOf = (text: string) => Number(text.replace(/[$,]/g, ''))

tapeTest(
  'a winning and a losing trade are sold before their end, and each receipt proves what was paid',
  async ({ page, tape }) => {
    // A value needs half an hour of prices.
    await tape.advance(33 * MINUTE_MS, STEP_MS)
    await signedIn(page, { mode: 'demo' })
    await page.goto('/user/home')
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await setOrder(page, { duration: '30 min', amount: '100' })
    for (const side of ['Buy', 'Sell'] as const) {
      await place(page, side)
      await expect(sellOf(page, side), 'not in the first ten seconds').toBeDisabled()
    }
    await tape.advance(12_000)
    await expect(sellOf(page, 'Buy')).toHaveText(/^Sell for \$\d+\.\d\d$/)

    await sellOf(page, 'Buy').click()
    await expect(dialogOf(page, 'Buy').getByText('$7.00')).toBeVisible()
    await expectAccessible(page)
    await dialogOf(page, 'Buy').getByRole('button', { name: 'Keep it' }).click()
    await expect(dialogOf(page, 'Buy')).toBeHidden()

    // Wherever the price goes, one of them gains by it.
    const worth = async (side: TradeSide) =>
      Number(/^Sell for \$([\d.]+)/.exec((await sellOf(page, side).getAttribute('aria-label')) ?? '')?.[1])
    await expect
      .poll(async () => {
        await tape.advance(MINUTE_MS, STEP_MS)
        return Math.max(await worth('Buy'), await worth('Sell'))
      })
      .toBeGreaterThan(115)
    const [winner, loser] = (await worth('Buy')) > 100 ? (['Buy', 'Sell'] as const) : (['Sell', 'Buy'] as const)

    await sell(page, tape, winner)
    await expect(page.getByRole('status').getByText(/^Sold/)).toBeVisible()
    await page.getByRole('button', { name: 'See the proof' }).click()
    const won = await expectProof(page, tape)
    expect(won).toBeGreaterThan(100)
    expect(dollarsOf(await balanceShown(page))).toBeCloseTo(9_800 + won, 2)

    await sell(page, tape, loser)
    await page.getByRole('tab', { name: /^Closed today/ }).click()
    // In the table, or a card on a phone.
    await page.getByRole('button', { name: new RegExp(`^Details of ${loser} |^${loser} .* Details$`) }).click()
    const lost = await expectProof(page, tape)
    expect(lost).toBeLessThan(100)
    expect(dollarsOf(await balanceShown(page))).toBeCloseTo(9_800 + won + lost, 2)
  },
)

async function sell(page: Page, tape: Tape, side: TradeSide): Promise<void> {
  await page.getByRole('tab', { name: /^Open/ }).click()
  await sellOf(page, side).click()
  await dialogOf(page, side).getByText('10%').click()
  await dialogOf(page, side).getByRole('button', { name: 'Sell now' }).click()
  await expect(dialogOf(page, side)).toBeHidden()
  await tape.advance(2_000)
}

/**
 * Waits for the checkpoint that signs the sale in the open details, checks its receipt offline, as it is and with one
 * digit changed, and closes the details. Returns what was paid.
 */
async function expectProof(page: Page, tape: Tape): Promise<number> {
  const details: Locator = page.getByRole('dialog').filter({ hasText: 'You sold it before its end' })
  const words = await details.getByText(/^You sold it before its end, for \$/).textContent()
  await tape.advance(2 * MINUTE_MS, STEP_MS)
  await details.getByText('Prove it').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    details.getByRole('button', { name: 'Download receipt' }).click(),
  ])
  const text = readFileSync(await download.path(), 'utf8')
  expect((await verifyReceipt(text)).ok).toBe(true)
  const changed = text.replace(/"variance":(\d)/, (_, digit) => `"variance":${(Number(digit) % 9) + 1}`)
  expect((await verifyReceipt(changed)).ok).toBe(false)
  await details.getByRole('button', { name: 'Close' }).click()
  return Number(/for \$([\d.]+)/.exec(words ?? '')?.[1])
}
