import { readFileSync } from 'node:fs'
import type { TradeSide } from '#contract/terms.ts'
import { verifyReceipt } from '#packages/verify/verify.js'
import { signedIn } from '../../support/people.ts'
import { type Tape, tapeTest } from '../../support/servers/tape.ts'
import { expect, expectAccessible, type Page } from '../../support/test.ts'
import { balanceShown, place, placeBy, setOrder } from '../../support/trading.ts'

const MINUTE_MS = 60_000
/** Prices every 20 s are enough for a variance. */
const STEP_MS = 20_000
/** Dollars for a stake of 100; enough that it still wins if the price moves back while it's sold. */
const WINS_FROM = 125
const sellOf = (page: Page, side: TradeSide) =>
  page.getByRole('button', { name: new RegExp(`^(Sell for|Sell in|Not for sale|Selling).*, ${side} \\w+$`) })
const dialogOf = (page: Page, side: TradeSide) =>
  page.getByRole('dialog', { name: new RegExp(`^Sell your ${side} of \\w+ now\\?$`) })
const detailsOf = (page: Page) => page.getByRole('dialog').filter({ hasText: 'You sold it before its end' })
const dollarsOf = (text: string) => Number(text.replace(/[$,]/g, ''))

tapeTest(
  'a winning and a losing trade are sold before their end, and each receipt proves what was paid',
  async ({ page, tape }) => {
    await signedIn(page, { mode: 'demo' })
    await page.goto('/user/home')
    // A value needs half an hour of prices. They come faster while someone watches.
    await tape.advance(33 * MINUTE_MS, STEP_MS)
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await setOrder(page, { duration: '30 min', amount: '100' })
    await openFor12Seconds(page, tape, ['Buy'])
    await expect(sellOf(page, 'Buy')).toHaveText(/^Sell for \$\d+\.\d\d$/)
    await sellOf(page, 'Buy').click()
    await expect(dialogOf(page, 'Buy').getByText('$7.00')).toBeVisible()
    await expectAccessible(page)
    await dialogOf(page, 'Buy').getByRole('button', { name: 'Keep it' }).click()
    await expect(dialogOf(page, 'Buy')).toBeHidden()
    // The fee makes it a loss while the price has hardly moved.
    const seen = page.getByRole('button', { name: 'See the proof' }).click()
    await sell(page, tape, 'Buy')
    // The message leaves after some seconds.
    await seen
    await detailsOf(page).getByRole('button', { name: 'Close' }).click()
    const balance = async () => dollarsOf(await balanceShown(page))
    const withLoss = await balance()

    // Wherever the price goes, one of these gains by it; if only at its very end, two more are opened.
    const worth = async (side: TradeSide) => {
      const labels = await sellOf(page, side).evaluateAll((buttons) => buttons.map((button) => button.ariaLabel))
      return Number(/^Sell for \$([\d.]+)/.exec(labels[0] ?? '')?.[1] ?? 0)
    }
    let winner: TradeSide = 'Buy'
    let minutes = 0
    await expect(async () => {
      const [buy, sale] = [await worth('Buy'), await worth('Sell')]
      // The tape moves between two looks, so that the screen shows what it has moved to.
      if (await page.getByRole('tab', { name: 'Open', exact: true }).isVisible()) {
        await openFor12Seconds(page, tape, ['Buy', 'Sell'])
        minutes = 0
      } else if (Math.max(buy, sale) < WINS_FROM) {
        minutes += 1
        // One that gains only in its last minutes could end before it's sold.
        await tape.advance(minutes < 25 ? MINUTE_MS : 6 * MINUTE_MS, STEP_MS)
      }
      expect(Math.max(buy, sale)).toBeGreaterThanOrEqual(WINS_FROM)
      if (sale > buy) winner = 'Sell'
    }).toPass({ intervals: [1_000] })
    const withStakes = await balance()
    await sell(page, tape, winner)
    await expect.poll(balance).toBeGreaterThan(withStakes)
    const withGain = await balance()

    // For the checkpoint that signs the sales.
    await tape.advance(2 * MINUTE_MS, STEP_MS)
    const won = await expectProof(page, 'last')
    const lost = await expectProof(page, 'first')
    expect(won).toBeGreaterThan(100)
    expect(lost).toBeLessThan(100)
    expect(withLoss).toBeCloseTo(9_900 + lost, 2)
    expect(withGain - withStakes).toBeCloseTo(won, 2)
  },
)

/** Places trades that can't be sold yet, and then can. */
async function openFor12Seconds(page: Page, tape: Tape, sides: readonly TradeSide[]): Promise<void> {
  for (const side of sides) {
    await place(page, side)
    await expect(sellOf(page, side), 'not in the first ten seconds').toBeDisabled()
  }
  await tape.advance(12_000)
}

async function sell(page: Page, tape: Tape, side: TradeSide): Promise<void> {
  await page.getByRole('tab', { name: /^Open/ }).click()
  const button = sellOf(page, side)
  const dialog = dialogOf(page, side)
  do {
    await button.click()
    await dialog.getByText('10%').click()
    await placeBy(page, () => dialog.getByRole('button', { name: 'Sell now' }).click())
    await expect(dialog).toBeHidden()
    await tape.advance(2_000)
    // It keeps running if the next price is too late, as happens on a busy machine, or makes it worth too little.
    await expect(button.filter({ hasText: 'Selling' })).toHaveCount(0)
  } while ((await button.count()) > 0)
}

/** Checks the receipt of the trade that was sold last or first offline, as it is and with one digit changed. Returns what was paid. */
async function expectProof(page: Page, which: 'first' | 'last'): Promise<number> {
  await page.getByRole('tab', { name: 'All', exact: true }).click()
  // In the table, or a card on a phone.
  const sold = page.getByRole('row').or(page.getByRole('listitem')).filter({ hasText: 'Sold' })
  await (which === 'last' ? sold.first() : sold.last()).getByRole('button', { name: /^Details of |Details$/ }).click()
  const details = detailsOf(page)
  const words = await details.getByText(/^You sold it before its end, for \$/).textContent()
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
