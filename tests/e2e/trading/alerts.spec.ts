import { signedIn } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page } from '../support/test.ts'
import { FAR, showLongCandles } from '../support/trading.ts'
import { watchFor } from '../support/watch-for.ts'

const lines = (page: Page) => page.getByRole('list', { name: /^Alerts on / })
const bell = (page: Page) => lines(page).getByRole('slider')
const newAlert = (page: Page) => page.getByRole('dialog', { name: 'New alert' })
const levelShown = async (page: Page) => Number(await bell(page).getAttribute('aria-valuenow'))

async function onChart(page: Page, symbol = 'BTCUSDT'): Promise<void> {
  await showLongCandles(page)
  await page.goto(`/user/home?symbol=${symbol}`)
  await expect(page.getByRole('region', { name: /^Chart of / }).getByText(/^O /)).toBeVisible()
  // The hints of a first visit are over the chart.
  await page.getByRole('button', { name: 'Close the hints' }).click()
}

/** Sets a price alert from the chart, by this factor away from the current price. */
async function setAlert(page: Page, factor: number): Promise<void> {
  await page.getByRole('button', { name: /^Alert/ }).click()
  const price = newAlert(page).getByLabel('Price', { exact: true }).last()
  await expect(price).not.toHaveValue('')
  await price.fill((Number(await price.inputValue()) * factor).toFixed(2))
  await newAlert(page).getByRole('button', { name: 'Set alert' }).click()
  await expect(newAlert(page)).toBeHidden()
}

tapeTest('an alert is set on the chart, moved, fires once, and is kept in the list', async ({ page, tape }) => {
  await signedIn(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await onChart(page)
  expect(asked, 'who has no alerts asks for none').not.toContain('/api/alerts')
  await setAlert(page, FAR)
  await expect(bell(page)).toHaveCount(1)
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)

  // The keyboard and the pointer move it.
  const set = await levelShown(page)
  await bell(page).focus()
  const kept = () =>
    page.waitForResponse((reply) => /\/api\/alerts\/\d+$/.test(reply.url()) && reply.request().method() === 'PUT')
  let written = kept()
  await page.keyboard.press('ArrowUp')
  expect((await written).status()).toBe(200)
  expect(await levelShown(page)).toBeGreaterThan(set)
  // Once the chart has drawn it where it is now.
  await bell(page).hover()
  const box = (await bell(page).boundingBox())!
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 10, { steps: 4 })
  written = kept()
  await page.mouse.up()
  expect((await written).status()).toBe(200)

  await bell(page).focus()
  await page.keyboard.press('Delete')
  await expect(bell(page)).toHaveCount(0)

  // Close to the price on both sides: the first may fire before the second is set.
  const toasts = await Promise.all(['rose', 'fell'].map((how) => watchFor(page, 'status', `BTCUSDT ${how} to`)))
  let isFired = false
  const fired = Promise.race(toasts.map((toast) => toast.text())).then(() => {
    isFired = true
  })
  for (const factor of [1.00002, 0.99998]) await setAlert(page, factor)
  while (!isFired) await tape.advance(10_000)
  await fired
  // Within ten seconds the price may have been on both sides.
  await expect.poll(() => bell(page).count()).toBeLessThan(2)
  await page.getByRole('button', { name: /^Notifications, [12] unread/ }).click()
  await page
    .getByRole('link', { name: /^BTCUSDT (rose|fell) to/ })
    .first()
    .click()
  await expect(page).toHaveURL('/user/alerts')
  await expect(page.getByRole('heading', { name: 'Fired' })).toBeVisible()
  await expectAccessible(page)
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'BTCUSDT' }) })
  await page
    .getByRole('button', { name: /^Arm again BTCUSDT/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { name: 'Armed' })).toBeVisible()
  await page
    .getByRole('button', { name: /^Change BTCUSDT/ })
    .first()
    .click()
  await page.getByRole('dialog', { name: 'Change alert' }).getByText('Move', { exact: true }).click()
  await page.getByLabel('Percent').fill('3')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save and arm' }).click()
  await expect(rows.getByText('BTCUSDT moves 3% in 15 minutes')).toBeVisible()
  for (let n = await rows.count(); n > 0; n--) {
    await page
      .getByRole('button', { name: /^Delete BTCUSDT/ })
      .first()
      .click()
    await expect(rows).toHaveCount(n - 1)
  }
  await expect(page.getByText('No alerts yet')).toBeVisible()
})

tapeTest('what cannot be an alert is refused at its field', async ({ page, trouble }) => {
  trouble.expect('answered 422: POST /api/alerts')
  await signedIn(page)
  await page.goto('/user/alerts')
  await page.getByRole('button', { name: 'Set your first alert' }).click()
  await newAlert(page).getByLabel('Symbol').fill('nope')
  await newAlert(page).getByRole('button', { name: 'Set alert' }).click()
  await expect(newAlert(page).getByText('Symbol is not one of ours')).toBeVisible()
  await newAlert(page).getByLabel('Symbol').fill('btcusdt')
  await newAlert(page).getByLabel('Price', { exact: true }).last().fill('1.001')
  await newAlert(page).getByRole('button', { name: 'Set alert' }).click()
  await expect(newAlert(page).getByText('must have at most 2 decimals')).toBeVisible()
  await newAlert(page).getByText('Indicator', { exact: true }).first().click()
  // Two days are known of a tape that has just begun: enough of minutes, not of days.
  await newAlert(page).getByText('1d', { exact: true }).click()
  await newAlert(page).getByRole('button', { name: 'Set alert' }).click()
  await expect(newAlert(page).getByText('needs more closed candles')).toBeVisible()
  await expectAccessible(page)
  await newAlert(page).getByText('5m', { exact: true }).click()
  await newAlert(page).getByRole('button', { name: 'Set alert' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'RSI' })).toBeVisible()
})
