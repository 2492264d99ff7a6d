import { readFileSync } from 'node:fs'
import { verifyReceipt } from '#packages/verify/verify.js'
import { signedIn } from '../support/people.ts'
import { tapeTest } from '../support/tape.ts'
import { expect, expectAccessible, type Page } from '../support/test.ts'
import { balanceShown, place, setOrder } from '../support/trading.ts'

const MINUTE_MS = 60_000
const sellButton = (page: Page) =>
  page.getByRole('button', { name: /^(Sell for|Not for sale|Selling).*, (Buy|Sell) \w+$/ }).first()

tapeTest(
  'a trade is sold before its end at what it is worth, and its receipt proves the price',
  async ({ page, tape }) => {
    // A value needs half an hour of prices.
    await tape.advance(33 * MINUTE_MS, 25_000)
    await signedIn(page, { mode: 'demo' })
    await page.goto('/user/home')
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await setOrder(page, { duration: '30 min', amount: '100' })
    await place(page, 'Buy')
    await expect(sellButton(page), 'not in the first ten seconds').toBeDisabled()
    await tape.advance(12_000)
    await expect(sellButton(page)).toHaveText(/^Sell for \$\d+\.\d\d$/)

    await sellButton(page).click()
    const dialog = page.getByRole('dialog', { name: /^Sell your Buy of \w+ now\?$/ })
    await expect(dialog.getByText('$7.00')).toBeVisible()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    await expect(dialog).toBeHidden()

    await sellButton(page).click()
    await dialog.getByText('10%').click()
    await dialog.getByRole('button', { name: 'Sell now' }).click()
    await expect(dialog).toBeHidden()
    await tape.advance(2_000)
    await expect(page.getByRole('status').getByText(/^Sold/)).toBeVisible()
    await page.getByRole('button', { name: 'See the proof' }).click()
    const details = page.getByRole('dialog').filter({ hasText: 'You sold it before its end' })
    const words = await details.getByText(/^You sold it before its end, for \$/).textContent()
    const paid = Number(/for \$([\d.]+)/.exec(words ?? '')?.[1])
    expect(Number((await balanceShown(page)).replace(/[$,]/g, ''))).toBeCloseTo(9_900 + paid, 2)

    // The next checkpoint signs it.
    await tape.advance(2 * MINUTE_MS)
    await details.getByText('Prove it').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      details.getByRole('button', { name: 'Download receipt' }).click(),
    ])
    const text = readFileSync(await download.path(), 'utf8')
    expect((await verifyReceipt(text)).ok).toBe(true)
    const changed = text.replace(/"variance":(\d)/, (_, digit) => `"variance":${(Number(digit) % 9) + 1}`)
    expect((await verifyReceipt(changed)).ok).toBe(false)
  },
)
