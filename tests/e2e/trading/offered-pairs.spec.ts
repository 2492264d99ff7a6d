import type { StrikeRate } from '#contract/terms.ts'
import { EVERY_DAY, type PriceListDocument } from '#contract/trading/offers.ts'
import type { Trade } from '#contract/trading/trading.ts'
import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { isPhone } from '../support/trading.ts'

const WIDTHS = [320, 390, 1000, 1366]
/** As many as a list can have, with the longest percentages. */
const EIGHT: StrikeRate[] = ['100/100', '88/89', '75/3', '62/21', '100/99', '11/13', '1/61', '40/40']
const OFFERED = [1, 2, 5, 8].map((count) => EIGHT.slice(0, count))

/** Answers as if these price lists applied. */
const withLists = (page: Page, document: PriceListDocument) =>
  page.route('**/api/public/price-lists', (route) =>
    route.fulfill({ json: { status: true, data: { versions: [{ version: 1, from: null, document }], history: [] } } }),
  )
const listOf = (...pairs: StrikeRate[]) => ({ name: 'Standard', pairs })

async function openTicket(page: Page) {
  if (!isPhone(page)) return page.getByRole('region', { name: 'New order' })
  const sheet = page.getByRole('dialog', { name: 'New order' })
  if (!(await sheet.isVisible())) await page.getByRole('button', { name: /change the order/ }).click()
  return sheet
}

/** Opens the trading screen. */
async function onScreen(page: Page): Promise<void> {
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
}

for (const pairs of OFFERED)
  test(`the ticket shows odds in full at every width, of which ${pairs.length} are offered`, async ({ page }) => {
    await withLists(page, { lists: [listOf(...pairs)], rules: [] })
    await signedIn(page)
    await onScreen(page)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      const ticket = await openTicket(page)
      const odds = ticket.getByRole('group', { name: 'Strike rate: the odds' })
      await expect(odds.getByRole('radio')).toHaveCount(pairs.length + 1)
      for (const pair of ['best', ...pairs]) {
        const [buy, sell] = pair.split('/')
        const name = pair === 'best' ? /^Best for each side/ : new RegExp(`^Buy pays ${buy}%, Sell pays ${sell}%`)
        await odds.getByRole('radio', { name }).check()
        await expect(odds.getByRole('radio', { name })).toBeChecked()
      }
      expect(await cutOff(odds), `at ${width}`).toEqual([])
      await expectNoSidewaysScroll(page)
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/ticket-${pairs.length}-${width}.png` })
      if (isPhone(page)) await ticket.getByRole('button', { name: 'Close' }).click()
    }
    await expectAccessible(page)
  })

/** Returns the labels that are cut off, leave the group, or cover another one. */
const cutOff = (odds: ReturnType<Page['getByRole']>): Promise<string[]> =>
  odds.evaluate((group) => {
    const labels = [...group.querySelectorAll('label')]
    const bounds = group.getBoundingClientRect()
    return labels.flatMap((label, at) => {
      const box = label.getBoundingClientRect()
      const texts = [...label.querySelectorAll('span')].map((text) => text.getBoundingClientRect())
      const isIn = (inner: DOMRect, outer: DOMRect) =>
        inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1
      const covers = labels.slice(at + 1).some((other) => {
        const { left, right, top, bottom } = other.getBoundingClientRect()
        return left < box.right - 1 && right > box.left + 1 && top < box.bottom - 1 && bottom > box.top + 1
      })
      const found = [
        !isIn(box, bounds) && 'leaves the group',
        !texts.every((text) => isIn(text, box)) && 'is cut off',
        covers && 'covers another one',
      ]
      return found.filter(Boolean).map((how) => `${label.textContent} ${how}`)
    })
  })

test('the ticket says until when its odds are offered, and leads to all of them', async ({ page }) => {
  const hour = new Date().getUTCHours()
  // Near the end of an hour, the change comes with the next one: the hour after next is always ahead.
  const [from_hour, to_hour] = [(hour + 2) % 24, ((hour + 2) % 24) + 1]
  const rule = { symbols: [], group: null, durations: [60], days: [...EVERY_DAY], from_hour, to_hour, list: 2 }
  await withLists(page, { lists: [listOf('75/3', '12/5'), listOf('62/21')], rules: [rule] })
  await signedIn(page)
  await onScreen(page)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const ticket = await openTicket(page)
    await ticket.getByRole('radio', { name: '1 minute' }).check()
    const note = ticket.getByRole('link', { name: /all odds on offer$/ })
    await expect(note).toHaveText(`offered until ${String(from_hour).padStart(2, '0')}:00: all odds on offer`)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/until-${width}.png` })
    await ticket.getByRole('radio', { name: '3 minutes' }).check()
    await expect(note).toHaveText('best for each side: all odds on offer')
    const label = (await ticket.getByText('Strike rate: the odds', { exact: true }).boundingBox())!
    const box = (await note.boundingBox())!
    expect(box.x, 'next to the label').toBeGreaterThanOrEqual(label.x + label.width)
    expect(box.x + box.width, `at ${width}`).toBeLessThanOrEqual(width)
    if (isPhone(page)) await ticket.getByRole('button', { name: 'Close' }).click()
  }
  await expect((await openTicket(page)).getByRole('link', { name: /all odds on offer$/ })).toHaveAttribute(
    'href',
    '/prices#odds',
  )
})

test('a trade at the best odds on offer repeats at the best', async ({ page }) => {
  await withLists(page, { lists: [listOf('62/21', '40/40')], rules: [] })
  await signedIn(page)
  const end = new Date(Date.now() - 60_000).toISOString()
  const trade = {
    ...{ trade_id: '1', symbol: 'ETHUSDT', trading_type: 'Cryptocurrency', trade_mode: 'Buy', mode: 'demo' },
    ...{ amount: 12.5, strike_rate: '62/21', percent: 62, duration: 180, status: 'Lost', rule_version: 'FT-1' },
    ...{ trade_time: end, start_price: 1, start_time: end, end_time: end, end_price: 1, exit_time: end },
    ...{ settled_at: end, payout: 0 },
  } satisfies Trade
  await page.route('**/api/trading?*', (route) => route.fulfill({ json: { status: true, data: [trade] } }))
  await onScreen(page)
  const ticket = await openTicket(page)
  await ticket.getByRole('radio', { name: 'Buy pays 40%, Sell pays 40%' }).check()
  await page.getByRole('button', { name: 'Repeat Buy ETHUSDT for $12.50' }).first().click()
  await expect(page.getByText('The order is Buy ETHUSDT for $12.50, 3 min. Nothing is placed.')).toBeAttached()
  await expect(ticket.getByRole('radio', { name: /^Best for each side/ })).toBeChecked()
})

test('automatic trades say what a win pays at most by the lists that apply', async ({ page }) => {
  await withLists(page, { lists: [listOf('62/21', '40/40')], rules: [] })
  await signedIn(page)
  await page.goto('/user/automatic')
  await page.getByText('Why no doubling after losses?').click()
  await expect(page.getByText(/a win pays 62% at most\. After three losses/)).toBeVisible()
})
