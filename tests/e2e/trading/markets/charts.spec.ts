import { signedIn } from '../../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../../support/test.ts'

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

/** Where the prices are, without the axes. */
async function pane(page: Page) {
  const { x, y, width, height } = (await chart(page).boundingBox())!
  return { at: (right: number, down: number) => ({ x: x + (width - 90) * right, y: y + (height - 40) * down }) }
}
const tools = (page: Page) => page.getByRole('toolbar', { name: 'Drawings' })
const drawn = async (page: Page) => {
  const { token } = await page.evaluate(() => JSON.parse(localStorage.getItem('root')!).state.auth.tokens.access)
  const reply = await page.request.get('/api/users/chart', { headers: { authorization: `Bearer ${token}` } })
  return ((await reply.json()).data.drawings?.BCHBTC ?? []) as {
    id: string
    kind: string
    points: { time: number; price: number }[]
  }[]
}

test('drawings are made with the pointer, moved, copied, deleted and brought back', async ({ page, isMobile }) => {
  // No new candle moves the lines on the way.
  await page.addInitScript(() => localStorage.setItem('chart', JSON.stringify({ interval: '1d' })))
  await signedIn(page)
  await onChart(page)
  await page.getByRole('button', { name: 'Draw' }).click()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  const { at } = await pane(page)
  await tools(page).getByRole('button', { name: 'Trend line' }).click()
  // Two presses, as a finger or a mouse makes them.
  for (const spot of [at(0.3, 0.75), at(0.6, 0.5)])
    if (isMobile) await page.touchscreen.tap(spot.x, spot.y)
    else {
      await page.mouse.move(spot.x, spot.y)
      await page.mouse.down()
      await page.mouse.up()
    }
  await expect.poll(() => drawn(page)).toMatchObject([{ kind: 'trend' }])
  const [line] = await drawn(page)
  expect(line!.points[0]!.time).toBeLessThan(line!.points[1]!.time)

  await tools(page).getByRole('button', { name: 'Copy the drawing' }).click()
  await expect.poll(async () => (await drawn(page)).length).toBe(2)
  await tools(page).getByRole('button', { name: 'Delete the drawing' }).click()
  await expect.poll(async () => (await drawn(page)).length).toBe(1)
  await tools(page).getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await drawn(page)).length).toBe(2)
  if (isMobile) {
    await page.setViewportSize({ width: 320, height: 700 })
    await expectNoSidewaysScroll(page)
    return
  }

  // Dragging its body moves both ends; snapping only takes single points.
  const middle = at(0.45, 0.625)
  await page.mouse.move(middle.x, middle.y)
  await page.mouse.down()
  await page.mouse.move(middle.x + 40, middle.y - 20, { steps: 4 })
  await page.mouse.up()
  await expect
    .poll(async () => (await drawn(page)).filter(({ points }) => points[0]!.time !== line!.points[0]!.time).length)
    .toBe(1)
})

test('drawings are made and moved with the keyboard, which then places no order', async ({ page }) => {
  const orders: string[] = []
  page.on('request', (request) => request.method() === 'POST' && orders.push(new URL(request.url()).pathname))
  await signedIn(page)
  await onChart(page)
  await page.getByRole('button', { name: 'Draw' }).click()
  await tools(page).getByRole('button', { name: 'Rectangle' }).press('Enter')
  await page.getByRole('application', { name: /^Candles of/ }).focus()
  await page.keyboard.press('Enter')
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp', 'b', 's']) await page.keyboard.press(key)
  await page.keyboard.press('Enter')
  await expect.poll(() => drawn(page)).toMatchObject([{ kind: 'rectangle' }])
  const [made] = await drawn(page)
  await expect(tools(page).getByRole('status')).toHaveText(/^Rectangle selected/)
  await page.keyboard.press('b')
  await page.keyboard.press('ArrowRight')
  await expect.poll(async () => (await drawn(page))[0]!.points[0]!.time).toBeGreaterThan(made!.points[0]!.time)
  await page.keyboard.press('Delete')
  await expect.poll(() => drawn(page)).toEqual([])
  expect(orders.filter((path) => path.startsWith('/api/trading'))).toEqual([])
})

test('drawings belong to a symbol, and their code loads with the first one', async ({ page }) => {
  const scripts: string[] = []
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
  await signedIn(page)
  await onChart(page)
  expect(scripts.filter((url) => /drawings/.test(url))).toEqual([])
  await page.getByRole('button', { name: 'Draw' }).click()
  await tools(page).getByRole('button', { name: 'Horizontal line' }).press('Enter')
  await page.getByRole('application', { name: /^Candles of/ }).focus()
  await page.keyboard.press('Enter')
  await expect(tools(page).getByRole('button', { name: 'Select the next drawing' })).toBeVisible()
  await page.goto('/user/home?symbol=ETHUSDT')
  await expect(chart(page).getByText(/^O /)).toBeVisible()
  await page.getByRole('button', { name: 'Draw' }).click()
  await expect(tools(page).getByRole('button', { name: 'Select', exact: true })).toBeVisible()
  await page.goto('/user/home?symbol=BCHBTC')
  await expect(chart(page).getByText(/^O /)).toBeVisible()
  await page.getByRole('button', { name: 'Draw' }).click()
  await tools(page).getByRole('button', { name: 'Select the next drawing' }).click()
  await expect(tools(page).getByRole('status')).toHaveText(/^Horizontal line selected/)
})

test('a picture of the chart is saved, or shared where the device shares', async ({ page, isMobile }) => {
  await page.addInitScript(() => {
    const shared: string[] = []
    Object.assign(window, { shared })
    navigator.canShare = () => true
    navigator.share = async ({ files }: ShareData) => void shared.push(`${files?.[0]?.type} ${files?.[0]?.name}`)
  })
  await signedIn(page)
  await onChart(page)
  const button = page.getByRole('button', { name: 'Share a picture' })
  if (isMobile) {
    await button.click()
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { shared: string[] }).shared))
      .toEqual([expect.stringMatching(/^image\/png BCHBTC-.*\.png$/)])
    return
  }
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  expect(download.suggestedFilename()).toMatch(/^BCHBTC-.*\.png$/)
})
