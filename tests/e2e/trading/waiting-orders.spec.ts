import { rootOf, signedIn } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page } from '../support/test.ts'
import { FAR, showLongCandles } from '../support/trading.ts'

const isPhone = (page: Page) => (page.viewportSize()?.width ?? 0) <= 768
/** Where the order's fields are: the panel, or on a phone the sheet. */
const ticket = (page: Page) =>
  isPhone(page) ? page.getByRole('dialog', { name: 'New order' }) : page.getByRole('region', { name: 'New order' })
const waiting = (page: Page) => page.getByRole('list', { name: 'Waiting orders' }).getByRole('listitem')
const line = (page: Page) => page.getByRole('slider', { name: /^Order, drag/ })

async function onScreen(page: Page): Promise<void> {
  await page.goto('/user/home?symbol=BTCUSDT')
  await expect(page.getByRole('region', { name: /^Chart of / }).getByText(/^O /)).toBeVisible()
  await page.getByRole('button', { name: 'Close the hints' }).click()
}

async function openTicket(page: Page): Promise<void> {
  if (isPhone(page)) await page.getByRole('button', { name: /change the order$/ }).click()
}

/** Places an order that waits for a price, by this factor away from the current one. */
async function waitForPrice(page: Page, side: 'Buy' | 'Sell', factor: number): Promise<void> {
  await openTicket(page)
  await ticket(page).getByText('At a price', { exact: true }).click()
  const price = ticket(page).getByLabel('Price', { exact: true })
  await expect(price).not.toHaveValue('')
  await price.fill((Number(await price.inputValue()) * factor).toFixed(2))
  await expect(ticket(page).getByText(/^Placed once BTCUSDT is at or (above|below) /)).toBeVisible()
  await ticket(page)
    .getByRole('button', { name: new RegExp(`^${side} at or `) })
    .click()
  await expect(page.getByText(new RegExp(`^Waiting: ${side} BTCUSDT at or `))).toBeVisible()
  if (isPhone(page)) {
    await page.keyboard.press('Escape')
    // The focus returns to what opened it.
    await expect(ticket(page)).toBeHidden()
    await expect(page.getByRole('button', { name: /change the order$/ })).toBeFocused()
  }
}

tapeTest(
  'an order waits for its price and trades while the browser is closed',
  async ({ page, context, tape, trouble }) => {
    const { email } = await signedIn(page)
    await onScreen(page)
    await openTicket(page)
    await expectAccessible(page)
    if (isPhone(page)) await page.keyboard.press('Escape')
    // On both sides of the price, so that one is there within minutes.
    await waitForPrice(page, 'Buy', 1.0006)
    await waitForPrice(page, 'Sell', 0.9994)
    await page.getByRole('tab', { name: /^Waiting 2/ }).click()
    await expect(waiting(page)).toHaveCount(2)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    // The next order is placed now again.
    if (!isPhone(page)) await expect(ticket(page).getByRole('radio', { name: 'Now' })).toBeChecked()

    const { token } = (await rootOf(page)).state.auth.tokens!.access
    const orders = async () =>
      (
        (await (
          await context.request.get('/api/waiting-orders?mode=demo', { headers: { authorization: `Bearer ${token}` } })
        ).json()) as { data: { status: string; trade_id?: string }[] }
      ).data
    await page.close()
    await expect
      .poll(async () => {
        await tape.advance(20_000)
        return (await orders()).filter(({ status }) => status === 'Traded').length
      })
      .toBeGreaterThan(0)
    const [traded] = (await orders()).filter(({ trade_id }) => trade_id !== undefined)
    expect(traded?.trade_id).toBeDefined()

    const again = await context.newPage()
    await again.goto('/user/home?symbol=BTCUSDT')
    await again.getByRole('tab', { name: /^Waiting/ }).click()
    await expect(
      waiting(again)
        .getByText(/^traded /)
        .first(),
    ).toBeVisible()
    await again.getByRole('button', { name: /^Notifications, [12] unread/ }).click()
    await again
      .getByRole('link', { name: /^Order placed: (Buy|Sell) BTCUSDT for \$100\.00 of demo money/ })
      .first()
      .click()
    const details = again.getByRole('dialog', { name: /^(Buy|Sell) BTCUSDT$/ })
    await expect(details.getByRole('link', { name: /^Repeat: (Buy|Sell), \$100\.00/ })).toBeVisible()
    await details.getByText('All details').click()
    await expect(details.getByText(/^Triggered by [\d,.]+$/)).toBeVisible()
    await again.reload()
    await expect(details, 'its address names it').toBeVisible()
    await details.getByRole('button', { name: 'Close' }).click()
    await expect(again).toHaveURL('/user/trade-history')
    trouble.expect(/answered 404: GET .*\/trading\/0000000000000/)
    await again.goto('/user/trade-history?trade=0000000000000')
    await expect(again.getByText('Trade not found.')).toBeVisible()
    expect(email).toBeTruthy()
  },
)

tapeTest('an order is a line on the chart, to drag, and is cancelled in the list', async ({ page }) => {
  await signedIn(page)
  await showLongCandles(page)
  await onScreen(page)
  await waitForPrice(page, 'Buy', FAR)
  await expect(line(page)).toHaveCount(1)
  const level = async () => Number(await line(page).getAttribute('aria-valuenow'))
  const set = await level()
  const kept = () =>
    page.waitForResponse(
      (reply) => /\/api\/waiting-orders\/\d+$/.test(reply.url()) && reply.request().method() === 'PUT',
    )
  let written = kept()
  await line(page).focus()
  await page.keyboard.press('ArrowUp')
  expect((await written).status()).toBe(200)
  expect(await level()).toBeGreaterThan(set)
  // Once the chart has drawn it where it is now.
  await line(page).hover()
  const box = (await line(page).boundingBox())!
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 8, { steps: 4 })
  written = kept()
  await page.mouse.up()
  expect((await written).status()).toBe(200)
  await page.getByRole('tab', { name: /^Waiting 1/ }).click()
  await page.getByRole('button', { name: /^Cancel Buy BTCUSDT at or above/ }).click()
  await expect(line(page)).toHaveCount(0)
  await expect(page.getByRole('tab', { name: /^Waiting/ })).toHaveCount(0)
})

tapeTest('an order for a time is placed then', async ({ page, tape }) => {
  await signedIn(page)
  await onScreen(page)
  await openTicket(page)
  await ticket(page).getByText('At a time', { exact: true }).click()
  await expect(ticket(page).getByText('What it waits for must not be empty.')).toBeVisible()
  const at = new Date((await tape.now()) + 120_000)
  const time = await page.evaluate(
    (ms) => `${String(new Date(ms).getHours()).padStart(2, '0')}:${String(new Date(ms).getMinutes()).padStart(2, '0')}`,
    at.getTime(),
  )
  await ticket(page).getByLabel('Time', { exact: true }).fill(time)
  await ticket(page)
    .getByRole('button', { name: new RegExp(`^Sell at ${time}`) })
    .click()
  await expect(page.getByText(`Waiting: Sell BTCUSDT at ${time}.`)).toBeVisible()
  if (isPhone(page)) await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: /^Waiting 1/ }).click()
  await expect
    .poll(async () => {
      await tape.advance(20_000)
      return waiting(page)
        .getByText(/^traded /)
        .count()
    })
    .toBe(1)
})
