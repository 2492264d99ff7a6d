import type { TradeSide } from '#contract/trading/trading.ts'
import { expect, type Page } from './test.ts'
import { isSubmission, isTooLate } from './trouble.ts'

export const isPhone = (page: Page): boolean => page.viewportSize()!.width < 768

/** Returns the current mode's balance, as shown in the header. */
export async function balanceShown(page: Page): Promise<string> {
  const text = (await page.getByRole('button', { name: /open the wallet/ }).textContent()) ?? ''
  return /\$[\d,]+\.\d\d/.exec(text)?.[0] ?? text
}

/** Finds a symbol in the search and opens it. */
export async function chooseSymbol(page: Page, symbol: string): Promise<void> {
  await page.getByRole('button', { name: /choose another symbol/ }).click()
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.fill(symbol)
  await expect(page.getByRole('group', { name: 'Markets' }).getByRole('option')).toHaveCount(1)
  await search.press('Enter')
  await expect(page.getByRole('region', { name: `Chart of ${symbol}` })).toBeVisible()
}

/** Fills in the order: in the panel, or in the bottom sheet on a phone. */
export async function setOrder(
  page: Page,
  order: { duration?: string; strike?: string; amount?: string },
): Promise<void> {
  const phone = isPhone(page)
  if (phone) await page.getByRole('button', { name: /change the order/ }).click()
  const place = phone
    ? page.getByRole('dialog', { name: 'New order' })
    : page.getByRole('region', { name: 'New order' })
  if (order.duration) await place.getByRole('radio', { name: order.duration }).check()
  if (order.strike) await place.getByRole('radio', { name: order.strike }).check()
  if (order.amount) await place.getByLabel('Amount', { exact: true }).fill(order.amount)
  if (phone) {
    await place.getByRole('button', { name: 'Close' }).click()
    await expect(place).toBeHidden()
  }
}

/** Presses Buy or Sell. `asked`: with real money, for the first time since the sign-in. */
export async function place(page: Page, side: TradeSide, { asked = false } = {}): Promise<void> {
  const button = page
    .getByRole('region', { name: 'New order' })
    .getByRole('button', { name: new RegExp(`^${side} pays`) })
  let asks = asked
  await placeBy(page, async () => {
    await button.click()
    if (asks) await page.getByRole('button', { name: `${side} with real money` }).click()
    asks = false
  })
}

/** Places an order by `press`, and again if it was too old when it arrived, as happens on a busy machine. */
export async function placeBy(page: Page, press: () => Promise<void>): Promise<void> {
  let isLate: boolean
  do {
    const answer = page.waitForResponse(isSubmission, { timeout: ANSWER_WITHIN_MS }).catch(() => undefined)
    await press()
    isLate = await isTooLate(await answer)
    // A key does nothing until the screen has taken the answer.
    await expect(page.getByRole('button', { name: /^Placing/ })).toHaveCount(0)
  } while (isLate)
}

/**
 * Measures the card of a placed trade, px, once it has arrived. Start it before the order: the card is there for three
 * seconds, which a busy runner can miss and the page can't.
 */
export async function placedCard(page: Page, words = 'placed'): Promise<{ top: number; bottom: number }> {
  const measured = await page.waitForFunction((wanted) => {
    const card = [...document.querySelectorAll('[role=status]')].find((one) => one.textContent.includes(wanted))
    if (!card || card.getAnimations({ subtree: true }).length > 0) return undefined
    const { top, bottom } = card.getBoundingClientRect()
    return { top, bottom }
  }, words)
  return (await measured.jsonValue())!
}

/** Without an answer by then, there is none: the server is down. */
const ANSWER_WITHIN_MS = 30_000

/** Starts the demo account's automatic trades, which follow one strategy. */
export async function follow(page: Page, strategy: string): Promise<void> {
  await page.goto('/user/automatic')
  await page.getByLabel('Strategy').selectOption(strategy)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByRole('region', { name: 'State of your automatic trades' }).getByText('Running')).toBeVisible()
}

/** Expects that automatic trades have opened a trade, here and in the history. */
export async function expectFollowed(page: Page): Promise<void> {
  await expect(page.getByRole('region', { name: 'Signals and results' }).getByText('In Progress').first()).toBeVisible()
  await page.goto('/user/trade-history')
  await expect(page.getByText('Auto', { exact: true }).first()).toBeVisible()
}

/** This factor away from the price, a level isn't reached while a test runs, and is in sight with long candles. */
export const FAR = 1.004

/** The chart of the next screen has candles of five minutes, which show a range of some percent. */
export const showLongCandles = (page: Page): Promise<unknown> =>
  page.addInitScript(() => localStorage.setItem('chart', JSON.stringify({ interval: '5m' })))
