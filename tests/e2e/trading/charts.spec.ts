import { signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

const chart = (page: Page) => page.getByRole('region', { name: /^Chart of / })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const saved = (page: Page) =>
  page.waitForResponse((reply) => reply.url().endsWith('/api/users/chart') && reply.request().method() === 'PATCH')

async function onChart(page: Page): Promise<void> {
  await page.goto('/user/home')
  await expect(chart(page).getByText(/^O /)).toBeVisible()
}

async function addIndicator(page: Page, search: string, name: string): Promise<void> {
  await dialog(page, 'Indicators').getByLabel('Search indicators').fill(search)
  await dialog(page, 'Indicators')
    .getByRole('button', { name: `Add ${name}` })
    .click()
}

test('indicators are found by name, set, ordered, and kept with the account', async ({ page, browser }) => {
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
  const account = await signedIn(page)
  await onChart(page)
  const code = () => scripts.filter((url) => /indicators/.test(url))
  expect(code(), 'their code loads when it is used').toEqual([])

  await page.getByRole('button', { name: 'Indicators' }).click()
  await addIndicator(page, 'exponential moving', 'Exponential moving average')
  await addIndicator(page, 'rsi', 'Relative strength index')
  const list = dialog(page, 'Indicators').getByRole('list', { name: 'On the chart' })
  await list.getByRole('button', { name: /^Exponential moving average/ }).click()
  await list.getByLabel('Length').fill('0')
  await expect(list.getByText('Takes 1 to 500, whole')).toBeVisible()
  await list.getByLabel('Length').fill('21')
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await list.getByRole('radio', { name: 'pink' }).check({ force: true })
  const written = saved(page)
  await list.getByRole('button', { name: 'Move Relative strength index up' }).click()
  expect((await written).status()).toBe(200)
  await expect(list.getByRole('listitem')).toHaveText([/^Relative/, /^Exponential/])
  await page.keyboard.press('Escape')
  await expect(chart(page).getByText(/^EMA 21/)).toBeVisible()
  expect(code().length).toBeGreaterThan(0)
  await page.waitForTimeout(1_100)
  await page.waitForLoadState('networkidle')

  const other = await browser.newPage()
  await signedIn(other, { account })
  await onChart(other)
  await expect(chart(other).getByText(/^EMA 21/)).toBeVisible()
  await other.getByRole('button', { name: 'Indicators, 2 in use' }).click()
  await other.getByRole('button', { name: 'Remove Exponential moving average' }).click()
  await expect(chart(other).getByText(/^EMA 21/)).toHaveCount(0)
  await other.context().close()
})

test('the chart has six types and a logarithmic axis, and layouts bring them back', async ({ page }) => {
  await signedIn(page)
  await onChart(page)
  const type = page.getByRole('button', { name: /^Chart type/ })
  for (const kind of ['Hollow candles', 'Bars', 'Line', 'Area', 'Heikin Ashi']) {
    await type.click()
    await page.getByRole('radio', { name: kind, exact: true }).check({ force: true })
    await page.keyboard.press('Escape')
    await expect(type).toContainText(kind)
  }
  await expect(chart(page).getByText('Prices, drawn as Heikin Ashi')).toHaveCount(1)
  await type.click()
  await page.getByLabel('Logarithmic price axis').check()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Layouts' }).click()
  await page.getByLabel('Save the current chart as').fill('Slow')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await type.click()
  await page.getByRole('radio', { name: 'Candles', exact: true }).check({ force: true })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Layouts' }).click()
  await page.getByRole('button', { name: 'Use Slow' }).click()
  await expect(type).toContainText('Heikin Ashi')
})

test('the keyboard moves the crosshair, and a screen reader hears the candle', async ({ page }) => {
  await signedIn(page)
  await onChart(page)
  const candles = page.getByRole('application', { name: /^Candles of/ })
  const heard = chart(page).getByRole('status')
  await candles.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(heard).toHaveText(/: open .*, high .*, low .*, close /)
  const first = await heard.textContent()
  await page.keyboard.press('ArrowLeft')
  await expect(heard).not.toHaveText(first!)
  await page.keyboard.press('Escape')
  await expect(heard).toHaveText('')
})

test('full screen leaves the chart and the order, and Escape ends it', async ({ page }) => {
  await signedIn(page)
  await onChart(page)
  const before = (await chart(page).boundingBox())!
  await page.getByRole('button', { name: 'Full screen' }).click()
  await expect(page.getByRole('heading', { name: 'Transaction history' })).toBeHidden()
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeVisible()
  expect((await chart(page).boundingBox())!.height).toBeGreaterThan(before.height)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'Transaction history' })).toBeVisible()
  await page.keyboard.press('f')
  await expect(page.getByRole('heading', { name: 'Transaction history' })).toBeHidden()
})
