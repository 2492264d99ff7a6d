import type { Trade } from '#contract/trading/trading.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { errorsOn, expect, type Page, test } from '../support/test.ts'
import { balanceShown, chooseSymbol, place, placeBy, setOrder } from '../support/trading.ts'
import { watchFor } from '../support/watch-for.ts'

async function trades(page: Page): Promise<Trade[]> {
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const answer = await page.request.get('/api/trading?mode=demo', { headers: { authorization: `Bearer ${token}` } })
  return ((await answer.json()) as { data: Trade[] }).data
}

/** Opens the trading screen, signed in, and waits for prices. */
async function onScreen(page: Page): Promise<void> {
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
}

test('the amount field explains what is wrong, and its arrows step by 120', async ({ page }) => {
  await onScreen(page)
  const amount = page.getByLabel('Amount', { exact: true })
  await expect(amount).toHaveValue('100')
  await expect(amount).toHaveAttribute('min', '1')
  await expect(amount).toHaveAttribute('step', '120')
  for (const [typed, words] of [
    ['', 'Amount must not be empty'],
    ['0', 'Amount must be at least 1'],
    ['0.99', 'Amount must be at least 1'],
    ['0,9', 'Amount must be at least 1'],
    ['-5', 'Amount must not be negative'],
    ['1.0005', 'Amount must be an amount with at most two decimals'],
    ['1.500', 'Amount can mean thousands or decimals. Write 1500 or 1,500.00'],
    ['1e3', 'Amount must be an amount such as 12.50'],
    ['10000.01', 'Amount is above your balance of $10,000.00'],
  ] as const) {
    await amount.fill(typed)
    await expect.poll(() => errorsOn(page), typed).toEqual([words])
    // The order can't be placed, and pressing the button focuses the invalid field.
    await page.getByRole('button', { name: /^Buy pays/ }).click({ force: true })
    await expect(amount).toBeFocused()
  }
  await amount.fill('100')
  await amount.press('ArrowUp')
  await expect(amount).toHaveValue('220')
  await page.getByRole('button', { name: 'Increase by 120' }).click()
  await expect(amount).toHaveValue('340')
  await page.getByRole('button', { name: 'Max' }).click()
  await expect(amount).toHaveValue('10000')
  expect(await trades(page)).toEqual([])
})

test('each strike rate shows the Buy and Sell payouts to the cent, and the break-even rate', async ({ page }) => {
  await onScreen(page)
  const order = page.getByRole('region', { name: 'New order' })
  const pays = async (buy: number, sell: number) => {
    for (const [side, percent] of [
      ['Buy', buy],
      ['Sell', sell],
    ] as const) {
      const profit = Math.floor((3333 * percent + 50) / 100) / 100
      const name = `${side} pays +${profit.toFixed(2)} · ${percent}% for $33.33`
      await expect(order.getByRole('button', { name, exact: true })).toBeVisible()
      const word = side === 'Buy' ? 'higher' : 'lower'
      await expect(
        order.getByText(new RegExp(`^You win \\$${profit.toFixed(2)} if BCHBTC is ${word} at`)),
      ).toBeVisible()
      await expect(order.getByText(`pays ${(33.33 + profit).toFixed(2)}`, { exact: true }).first()).toBeVisible()
      // A pair that pays little says how many of 100 must win.
      const even = 10_000 / (100 + percent)
      const words = percent < 20 ? `Win ${Math.ceil(even)} of 100 to break even` : `Break-even ${even.toFixed(1)}%`
      await expect(order.getByRole('button', { name: `${side}: ${words}`, exact: true })).toBeVisible()
    }
  }
  await setOrder(page, { amount: '33.33' })
  await expect(page.getByRole('radio', { name: /^Best for each side/ })).toBeChecked()
  await pays(75, 61)
  for (const [buy, sell] of [
    [75, 3],
    [12, 5],
    [11, 13],
    [1, 18],
    [1, 61],
  ] as const) {
    await setOrder(page, { strike: `Buy pays ${buy}%, Sell pays ${sell}%` })
    await pays(buy, sell)
  }
  for (const duration of [
    '1 minute',
    '3 minutes',
    '5 minutes',
    '15 minutes',
    '30 minutes',
    '1 hour',
    '2 hours',
    '1 day',
  ])
    await expect(page.getByRole('radio', { name: duration, exact: true }).first()).toBeAttached()
})

test('the trading type changes the symbols, and the markets list all of them', async ({ page }) => {
  await onScreen(page)
  await expect(page.getByRole('region', { name: 'Chart of BCHBTC' })).toBeVisible()
  await page.getByRole('button', { name: 'Symbol BCHBTC' }).click()
  await expect(page.getByRole('combobox', { name: 'Search' })).toBeFocused()
  await expect(page.getByRole('option')).toHaveCount(31)
  await page.getByRole('dialog').getByRole('radio', { name: 'Currencies' }).check({ force: true })
  await expect(page.getByRole('option')).toHaveCount(48)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: /^Chart of BCH(EUR|GBP|USD)$/ })).toBeVisible()
})

test('a double click places one trade, and a later click another', async ({ page }) => {
  await onScreen(page)
  await placeBy(page, () => page.getByRole('button', { name: /^Buy pays/ }).dblclick())
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  await place(page, 'Sell')
  await expect.poll(() => balanceShown(page)).toBe('$9,800.00')
  expect((await trades(page)).map((trade) => trade.trade_mode)).toEqual(['Sell', 'Buy'])
})

test('keyboard shortcuts trade, except while typing', async ({ page }) => {
  await onScreen(page)
  await page.locator('body').press('2')
  await expect(page.getByRole('radio', { name: '3 minutes', exact: true }).first()).toBeChecked()
  await placeBy(page, () => page.locator('body').press('b'))
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  expect((await trades(page))[0]).toMatchObject({ trade_mode: 'Buy', duration: 180, symbol: 'BCHBTC' })
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).press('s')
  await page.keyboard.press('Escape')
  await page.getByLabel('Amount', { exact: true }).press('s')
  await page.waitForTimeout(500)
  expect(await trades(page)).toHaveLength(1)
})

test('an order whose response is lost is retried under its key and stays one trade', async ({ page, trouble }) => {
  trouble.expect('failed: POST /api/trading/submit')
  trouble.allow('net::ERR')
  // The time of the press is the tape's, which the page knows from its first frame on.
  const frame = page
    .waitForEvent('websocket')
    .then((socket) => socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"op":"frame"')))
  await onScreen(page)
  await frame
  const keys: string[] = []
  const presses: number[] = []
  await page.route('**/api/trading/submit', async (route) => {
    keys.push((await route.request().headerValue('idempotency-key'))!)
    presses.push(route.request().postDataJSON().pressed_at)
    if (keys.length > 2) return route.continue()
    // The order arrives and is executed, but its response is lost.
    await route.fetch()
    await route.abort('connectionreset')
  })
  const card = await watchFor(page, 'status', 'placed')
  await place(page, 'Buy')
  await card.text()
  expect(keys).toHaveLength(3)
  expect(new Set(keys).size).toBe(1)
  // The time of the press, not of the retry.
  expect(presses).toEqual(Array(3).fill(expect.any(Number)))
  expect(new Set(presses).size).toBe(1)
  expect(await trades(page)).toHaveLength(1)
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
})

test("an older response doesn't restore an outdated balance", async ({ page }) => {
  await signedIn(page)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let asked = 0
  await page.route('**/api/users/me', async (route) => {
    if (asked++ > 0) return route.continue()
    const response = await route.fetch()
    await held
    await route.fulfill({ response })
  })
  await page.goto('/user/home')
  await place(page, 'Buy')
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  release()
  await expect.poll(() => asked).toBeGreaterThan(1)
  await page.waitForLoadState('networkidle')
  expect(await balanceShown(page)).toBe('$9,900.00')
})

test('a rejected order shows a toast and costs nothing', async ({ page, trouble }) => {
  trouble.expect('answered 422: POST /api/trading/submit')
  await onScreen(page)
  await chooseSymbol(page, 'BTCUSDT')
  await page.route('**/api/trading/submit', (route) =>
    route.fulfill({
      status: 422,
      json: { status: false, code: 'price_unavailable', message: 'BTCUSDT has no fresh price at the moment.' },
    }),
  )
  await place(page, 'Sell')
  await expect(page.getByRole('alert').filter({ hasText: 'BTCUSDT has no fresh price at the moment.' })).toBeVisible()
  await expect.poll(() => balanceShown(page)).toBe('$10,000.00')
  await expect(page).toHaveURL('/user/home?symbol=BTCUSDT')
})

test('resetting the demo balance keeps open stakes', async ({ page }) => {
  await onScreen(page)
  await place(page, 'Buy')
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  await page.getByRole('button', { name: 'Reset demo balance' }).click()
  await expect.poll(() => balanceShown(page)).toBe('$10,000.00')
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
})
