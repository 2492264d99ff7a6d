import type { Trade } from '#contract/trading/trading.ts'
import { fund } from '../support/cashier.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { expect, expectAccessible, type Page, test } from '../support/test.ts'
import { balanceShown, chooseSymbol, place, placeBy, setOrder } from '../support/trading.ts'

const order = (page: Page) => page.getByRole('region', { name: 'New order' })
const amount = (page: Page) => order(page).getByLabel('Amount', { exact: true })

async function onScreen(page: Page, path = '/user/home'): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
}

async function newest(page: Page): Promise<Trade | undefined> {
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const answer = await page.request.get('/api/trading?mode=demo', { headers: { authorization: `Bearer ${token}` } })
  return ((await answer.json()) as { data: Trade[] }).data[0]
}

test('each side says what it wins and loses, from which price, until when, and what a tie does', async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  const sentence = (side: 'higher' | 'lower', profit: string) =>
    order(page).getByText(
      new RegExp(
        `^You win \\$${profit} if BCHBTC is ${side} at \\d\\d:\\d\\d:\\d\\d than the next price. You lose \\$100.00 otherwise. Equal: stake back.$`,
      ),
    )
  await expect(sentence('higher', '75.00').first()).toBeVisible()
  await expect(sentence('lower', '61.00').first()).toBeVisible()
  // From one day on the end has its date.
  await setOrder(page, { duration: '1 day' })
  await expect(
    order(page)
      .getByText(/is higher at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d than/)
      .first(),
  ).toBeVisible()
  await amount(page).fill('0')
  await expect(
    order(page)
      .getByText(/You win/)
      .filter({ visible: true }),
  ).toHaveCount(0)
})

test("'Best for each side' sends the better pair of each side", async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  await placeBy(page, () => page.getByRole('button', { name: /^Buy pays \+75\.00/ }).click())
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  expect(await newest(page)).toMatchObject({ trade_mode: 'Buy', strike_rate: '75/3', percent: 75 })
  await placeBy(page, () => page.getByRole('button', { name: /^Sell pays \+61\.00/ }).click())
  await expect.poll(() => balanceShown(page)).toBe('$9,800.00')
  expect(await newest(page)).toMatchObject({ trade_mode: 'Sell', strike_rate: '1/61', percent: 61 })
})

test('a tap explains the break-even rate', async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  await page.getByRole('button', { name: 'Buy: Break-even 57.1%' }).click()
  const why = page.getByRole('dialog', { name: 'Break-even 57.1%' })
  await expect(why).toContainText("You come out even if you're right 57.1% of the time: 100 ÷ 175.")
  await expect(why).toContainText('A coin toss loses $12.50 on average for each $100.00 at these odds.')
  await expect(why).toContainText('Equal prices at entry and end: your stake comes back.')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(why).toBeHidden()
})

test('symbol, duration, odds and amount survive a reload, and are there on the next device', async ({
  page,
  browser,
}) => {
  const account = await signedIn(page)
  await onScreen(page)
  await chooseSymbol(page, 'ETHUSDT')
  await setOrder(page, { duration: '15 minutes', strike: 'Buy pays 11%, Sell pays 13%', amount: '42.50' })
  await expect(page).toHaveURL('/user/home?symbol=ETHUSDT')
  const kept = async (on: Page) => {
    await expect(on.getByRole('region', { name: 'Chart of ETHUSDT' })).toBeVisible()
    await expect(order(on).getByRole('radio', { name: '15 minutes', exact: true })).toBeChecked()
    await expect(on.getByRole('radio', { name: 'Buy pays 11%, Sell pays 13%' })).toBeChecked()
    await expect(amount(on)).toHaveValue('42.5')
    await expect(on.getByRole('button', { name: /^Buy pays \+4\.68 · 11%/ })).toBeVisible()
  }
  // At once: what isn't written yet is not lost.
  await page.reload()
  await kept(page)
  // Nothing of it is in local storage, which keeps the session and the mode only.
  expect(Object.keys((await rootOf(page)).state).sort()).toEqual(['auth', 'mode'])
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('screen'))).toBeNull()
  await page.goto('/user/home')
  await kept(page)
  const other = await (await browser.newContext({ baseURL: new URL(page.url()).origin })).newPage()
  await signedIn(other, { account })
  await onScreen(other)
  await kept(other)
  await other.context().close()
})

test('what a page left unwritten counts, though the server answers with what was before', async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  let isLeft = false
  const written = Promise.withResolvers<void>()
  const read = Promise.withResolvers<void>()
  await page.route('**/api/users/screen', async (route) => {
    // The first page writes nothing; the second one reads, and gets its answer after it has written.
    if (route.request().method() === 'GET') {
      const json: unknown = await (await route.fetch()).json()
      read.resolve()
      await written.promise
      await route.fulfill({ json })
    } else if (isLeft) {
      await read.promise
      await route.continue()
    }
  })
  await setOrder(page, { duration: '15 minutes' })
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('screen'))).not.toBeNull()
  isLeft = true
  await page.reload()
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('screen'))).toBeNull()
  written.resolve()
  await expect(order(page).getByRole('radio', { name: '15 minutes', exact: true })).toBeChecked()
})

test('what is chosen is written at most once a second', async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  const bodies: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/users/screen') && request.method() === 'PATCH') bodies.push(request.postDataJSON())
  })
  await amount(page).fill('')
  await amount(page).pressSequentially('1234.5', { delay: 20 })
  await expect.poll(() => bodies.at(-1)).toMatchObject({ amount: 1234.5 })
  // The first figure at once, all others together a second later.
  expect(bodies.length).toBeLessThanOrEqual(3)
})

test('the address names the symbol: a link leads to it, and one that nobody trades to the default', async ({
  page,
}) => {
  await signedIn(page)
  await onScreen(page, '/user/home?symbol=XRPEUR')
  await expect(page.getByRole('region', { name: 'Chart of XRPEUR' })).toBeVisible()
  await expect(order(page).getByRole('button', { name: 'Trading type Currencies' })).toBeVisible()
  await place(page, 'Buy')
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  expect(await newest(page)).toMatchObject({ symbol: 'XRPEUR', trading_type: 'Currencies' })
  await signedIn(page)
  for (const symbol of ['NOSUCH', 'SPX', '<b>']) {
    await onScreen(page, `/user/home?symbol=${encodeURIComponent(symbol)}`)
    await expect(page.getByRole('region', { name: 'Chart of BCHBTC' })).toBeVisible()
  }
})

test('trading type and symbol follow each other', async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  await order(page).getByRole('button', { name: 'Trading type Cryptocurrency' }).click()
  await page.getByRole('dialog').getByRole('radio', { name: 'Currencies' }).check({ force: true })
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: /^Chart of BCH(EUR|GBP|USD)$/ })).toBeVisible()
  await chooseSymbol(page, 'BCHGBP')
  await expect(order(page).getByRole('button', { name: 'Symbol BCHGBP' })).toBeVisible()
})

test('with the keyboard alone: ten stops from the first to Buy', async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  const focused = () => page.evaluate(() => document.activeElement?.textContent || document.activeElement?.ariaLabel)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to order')
  await page.keyboard.press('Enter')
  const stops: string[] = []
  for (let stop = 1; stop <= 10; stop++) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(() => {
      const element = document.activeElement!
      return element.closest('fieldset')?.querySelector('legend')?.textContent ?? element.id ?? ''
    })
    stops.push(name)
    if (name === 'Duration') await page.keyboard.press('ArrowRight')
  }
  expect(stops.filter((name) => !/^_|^$|order/.test(name))).toEqual([
    'Duration',
    'Strike rate: the odds',
    'Quick amounts',
  ])
  expect(await focused()).toMatch(/^Buy pays/)
  // Outside the amount, arrows leave it alone.
  await page.keyboard.press('ArrowUp')
  await expect(amount(page)).toHaveValue('100')
  await placeBy(page, () => page.keyboard.press('Enter'))
  await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
  expect(await newest(page)).toMatchObject({ trade_mode: 'Buy', duration: 180, symbol: 'BCHBTC' })
  // The next trade is one key away.
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  expect(await focused()).toMatch(/^Buy pays/)
  // The same order within half a second is a double click.
  await page.waitForTimeout(600)
  await placeBy(page, () => page.keyboard.press('Enter'))
  await expect.poll(() => balanceShown(page)).toBe('$9,800.00')
})

for (const mode of ['demo', 'real'] as const) {
  test(`at 1366 by 768 nothing of the ticket is below the fold in any state, in ${mode} mode`, async ({ page }) => {
    test.slow()
    await page.setViewportSize({ width: 1366, height: 768 })
    const { email } = await signedIn(page, { mode })
    if (mode === 'real') await fund(email, 9_999_999.99)
    await onScreen(page)
    const check = async (state: string) => {
      // The part that would scroll doesn't, and everything is inside the window.
      const below = () =>
        order(page).evaluate((panel) =>
          [...panel.querySelectorAll('*')].flatMap((element) => {
            const box = element.getBoundingClientRect()
            const isCut = box.height > 0 && !element.closest('.visually-hidden') && box.bottom > innerHeight + 0.5
            const scrolls =
              element.scrollHeight - element.clientHeight > 1 && getComputedStyle(element).overflowY === 'auto'
            return isCut || scrolls ? [`${element.tagName} ${element.textContent?.slice(0, 40)}`] : []
          }),
        )
      await expect.poll(below, state).toEqual([])
    }
    await check('at first')
    for (const duration of ['1 day', '1 minute']) {
      await setOrder(page, { duration })
      await check(duration)
      for (const strike of ['Buy pays 1%, Sell pays 61%', 'Best for each side']) {
        await order(page).getByRole('radio', { name: strike }).check()
        await check(`${duration}, ${strike}`)
      }
    }
    for (const typed of ['0', '1.500', '9999.99', '99999999', '']) {
      await amount(page).fill(typed)
      await check(`amount ${typed}`)
    }
    await amount(page).fill('9876.54')
    if (mode === 'real') {
      await page.getByRole('button', { name: 'Arm for 10 min' }).click()
      await check('armed')
      await setOrder(page, { duration: '1 day' })
      await check('armed for a day')
    }
    for (const when of ['At a time', 'At a price', 'Now']) {
      await order(page).getByText(when, { exact: true }).click()
      await check(when)
    }
    await page.route('**/api/prices/instruments', async (route) => {
      const response = await route.fetch()
      const json = (await response.json()) as { data: { symbol: string; status: string; reason?: string }[] }
      for (const one of json.data)
        if (one.symbol === 'BCHBTC')
          Object.assign(one, { status: 'unavailable', reason: 'No price source covers this symbol.' })
      await route.fulfill({ response, json })
    })
    await page.reload()
    await expect(page.getByText("You can't trade BCHBTC right now")).toBeVisible()
    await check('blocked')
    // The list is read every few seconds: no read of it is cut off when the page closes.
    await page.unrouteAll({ behavior: 'wait' })
  })
}

test('on a phone nothing of a button is cut off while its order is placed', async ({ page }) => {
  await signedIn(page)
  await page.setViewportSize({ width: 320, height: 640 })
  await onScreen(page)
  const measured = Promise.withResolvers<void>()
  await page.route('**/api/trading/submit', async (route) => {
    await measured.promise
    await route.continue()
  })
  await page.getByRole('button', { name: /^Buy pays/ }).click()
  const button = page.getByRole('button', { name: /^Placing/ })
  for (const width of [320, 390, 430]) {
    await page.setViewportSize({ width, height: 640 })
    const cut = await button.evaluate((shown) => {
      const { right } = shown.getBoundingClientRect()
      return [...shown.children]
        .filter((child) => child.getBoundingClientRect().right > right)
        .map((one) => one.textContent)
    })
    expect(cut, `at ${width} px`).toEqual([])
  }
  measured.resolve()
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
})

test('a preset is kept with the account, and one tap fills the ticket', async ({ page }) => {
  await signedIn(page)
  await onScreen(page)
  await setOrder(page, { duration: '3 minutes' })
  await amount(page).fill('25')
  const presets = page.getByRole('dialog', { name: 'Presets' })
  const open = () => page.getByRole('button', { name: 'Presets' }).click()
  const name = 'BCHBTC · 3 min · best odds · $25.00'
  await open()
  await expectAccessible(page)
  const written = page.waitForResponse(
    (reply) => /\/users\/screen$/.test(reply.url()) && reply.request().method() === 'PATCH',
  )
  await presets.getByRole('button', { name: `Keep ${name}` }).click()
  expect((await written).status()).toBe(200)
  await expect(presets.getByRole('button', { name, exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await chooseSymbol(page, 'BCHGBP')
  await setOrder(page, { duration: '1 hour' })
  await amount(page).fill('70')
  await page.reload()
  await expect(order(page).getByRole('button', { name: 'Symbol BCHGBP' })).toBeVisible()
  await open()
  await presets.getByRole('button', { name, exact: true }).click()
  await expect(presets).toBeHidden()
  await expect(order(page).getByRole('button', { name: 'Symbol BCHBTC' })).toBeVisible()
  await expect(order(page).getByRole('radio', { name: '3 minutes' })).toBeChecked()
  await expect(amount(page)).toHaveValue('25')
  await open()
  await presets.getByRole('button', { name: `Remove ${name}` }).click()
  await expect(presets.getByRole('button', { name, exact: true })).toHaveCount(0)
})

test('without a fresh price the buttons promise no payout, and the chart fades', async ({ page }) => {
  let isCut = false
  await page.routeWebSocket('**/api/stream', (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) => {
      // The connection lives on; prices don't arrive.
      if (!isCut || !String(message).includes('"frame"')) socket.send(message)
    })
  })
  await signedIn(page)
  await onScreen(page)
  const chart = page.getByRole('region', { name: 'Chart of BCHBTC' }).locator('canvas').first()
  const opacity = () =>
    chart.evaluate((element) => {
      let of = 1
      for (let at: Element | null = element; at; at = at.parentElement) of *= Number(getComputedStyle(at).opacity)
      return of
    })
  await expect.poll(opacity).toBe(1)
  isCut = true
  const buy = order(page).getByRole('button', { name: /^Buy pays/ })
  await expect(buy).toBeDisabled()
  await expect(buy).toHaveText(/^Buy\s*pays –/)
  await expect(order(page).getByRole('button', { name: /^Sell pays/ })).toHaveText(/^Sell\s*pays –/)
  await expect.poll(opacity).toBe(0.5)
  await expectAccessible(page)
  isCut = false
  await expect(buy).toBeEnabled()
  await expect(buy).toHaveText(/\+75\.00/)
  await expect.poll(opacity).toBe(1)
})
