import type { Trade, TradeSide } from '#contract/trading/trading.ts'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { mailTo, newPerson, rootOf } from '../support/people.ts'
import { photo } from '../support/pictures.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test, typeInto } from '../support/test.ts'
import { balanceShown, chooseSymbol, isPhone, place, setOrder } from '../support/trading.ts'
import { watchFor } from '../support/watch-for.ts'

tapeTest('from sign-up to a settled trade and sign-out', async ({ page, trouble, context, tape }) => {
  const person = newPerson()
  const looksRight = async (on: Page = page) => {
    await expectAccessible(on)
    await expectNoSidewaysScroll(on)
  }

  await test.step('register', async () => {
    await page.goto('/')
    await expect(page.getByRole('link', { name: 'Try the demo' }).first()).toBeVisible()
    await page.goto('/auth/signup')
    await looksRight()
    await typeInto(page, 'Firstname', person.firstname)
    await typeInto(page, 'Lastname', person.lastname)
    await typeInto(page, 'Email', person.email)
    await typeInto(page, 'Phone', person.phone)
    await typeInto(page, 'Password', person.password)
    await typeInto(page, 'Confirm password', person.password)
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByRole('dialog')).toContainText('Please check your mailbox and confirm your email!')
    await expect(page).toHaveURL(/\/auth\/complete-profile\?session=/)
    await looksRight()
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await expect(page.getByRole('dialog')).toBeHidden()
  })

  await test.step('confirm the address', async () => {
    const mail = await context.newPage()
    if (isPhone(page)) {
      await mail.goto((await mailTo(page, person.email, /Confirm/i)).links[0]!)
    } else {
      await mail.goto('/mailbox')
      await looksRight(mail)
      await mail.getByLabel('Show e-mail to').fill(person.email)
      await mail.getByRole('button', { name: 'Show', exact: true }).click()
      await mail
        .getByRole('article')
        .getByRole('link', { name: /verify-email/ })
        .click()
    }
    await expect(mail).toHaveURL('/')
    await expect(mail.getByRole('dialog')).toContainText('Your e-mail is confirmed')
    await looksRight(mail)
    await mail.close()
  })

  await test.step('complete the profile', async () => {
    await looksRight()
    await page.getByLabel('Gender').selectOption('female')
    await page.getByLabel('Date of birth').fill('1985-12-10')
    await typeInto(page, 'Address', '12 St James’s Square')
    await typeInto(page, 'City', 'London')
    await typeInto(page, 'State', 'England')
    await page.getByLabel('Country').selectOption('United Kingdom')
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await expect(page.getByRole('dialog')).toContainText('Profile Saved Successfully!')
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
  })

  await test.step('submit an ID', async () => {
    await expect(page).toHaveURL(/\/auth\/user-identification\?session=/)
    await page.getByLabel('Method').selectOption('international_passport')
    await page.getByLabel('File').setInputFiles(await photo())
    await expect(page.getByAltText('Preview of your upload')).toBeVisible()
    await looksRight()
    await page.getByRole('button', { name: 'Submit' }).click()
    await expect(page.getByRole('dialog')).toContainText('Government ID Submitted Successfully!')
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
  })

  await test.step('sign in: the live account is empty, the demo is one tap away', async () => {
    await expect(page).toHaveURL('/auth/signin')
    await looksRight()
    await typeInto(page, 'Email', person.email)
    await typeInto(page, 'Password', person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL('/user/home')
    await expect(page.getByText('Your live account is empty')).toBeVisible()
    // The payouts of an order are shown, but it can't be placed.
    for (const side of [/^Buy pays \+75\.00/, /^Sell pays \+61\.00/])
      await expect(page.getByRole('button', { name: side })).toBeDisabled()
    await looksRight()
    await page.getByRole('button', { name: 'Trade on demo' }).click()
    await expect(page.getByRole('button', { name: 'Trade Live' }).first()).toBeAttached()
    await expect.poll(() => balanceShown(page)).toBe('$10,000.00')
    await expect(page.getByText(/simulated/i).first()).toBeVisible()
  })

  await test.step('place a Buy and a Sell', async () => {
    await chooseSymbol(page, 'BTCUSDT')
    await setOrder(page, { duration: '1 minute', strike: 'Buy pays 75%, Sell pays 3%', amount: '100' })
    const card = await watchFor(page, 'status', 'placed')
    await place(page, 'Buy')
    expect(await card.text()).toContain('BTCUSDT')
    await expect.poll(() => balanceShown(page)).toBe('$9,900.00')
    await chooseSymbol(page, 'ETHUSDT')
    await setOrder(page, { strike: 'Buy pays 11%, Sell pays 13%', amount: '50.25' })
    await place(page, 'Sell')
    await expect.poll(() => balanceShown(page)).toBe('$9,849.75')
    await expect(page.getByRole('tab', { name: 'Open 2' })).toBeVisible()
    // Each has its entry, shows whether it's winning, and counts down.
    const open = page.getByRole('region', { name: 'Transaction history' })
    await expect(open.getByText(/^(Winning|Losing|Even)$/)).toHaveCount(2)
    await expect(open.getByText(/^0:[0-5]\d$/).first()).toBeVisible()
    await looksRight()
  })

  await test.step('close the tab and come back', async () => {
    await page.close()
    page = await context.newPage()
    await page.goto('/user')
    await expect(page).toHaveURL('/user/home')
    await expect(page.getByRole('tab', { name: 'Open 2' })).toBeVisible()
    await expect.poll(() => balanceShown(page)).toBe('$9,849.75')
  })

  const trades = async (): Promise<Trade[]> => {
    const { token } = (await rootOf(page)).state.auth.tokens!.access
    const answer = await page.request.get('/api/trading?mode=demo', { headers: { authorization: `Bearer ${token}` } })
    return ((await answer.json()) as { data: Trade[] }).data
  }

  await test.step('both settle, and the screen shows how', async () => {
    const result = page.getByRole('region', { name: 'Transaction history' })
    await tape.advance(MINUTE_MS + SECOND_MS)
    await expect(page.getByRole('tab', { name: 'Open', exact: true })).toBeVisible()
    await expect(result.getByText(/^(Won|Lost|Draw|Void)$/)).toHaveCount(2)
    const settled = await trades()
    expect(settled.map((trade) => trade.status)).not.toContain('Pending')
    for (const trade of settled) expectFair(trade)
    await expect.poll(() => balanceShown(page)).toBe(money(10_000 + sumOf(settled)))
    await looksRight()
  })

  await test.step('the history adds up to the balance, to the cent', async () => {
    await page
      .getByRole('link', { name: /^(All trades|Trade history)$/ })
      .first()
      .click()
    await expect(page).toHaveURL('/user/trade-history')
    await expect(page.getByText('2 trades, all shown')).toBeVisible()
    await looksRight()
    const settled = await trades()
    for (const trade of settled) {
      const row = isPhone(page)
        ? page.getByRole('button', { name: new RegExp(`Details of.*${trade.symbol}`, 's') })
        : page.getByRole('row').filter({ hasText: trade.trade_id })
      await expect(row).toContainText(trade.status)
      await expect(row).toContainText(trade.trade_mode)
      await expect(row).toContainText(money(trade.amount))
      await expect(row).toContainText(trade.trade_time.slice(0, 10))
      if (!isPhone(page)) await expect(row).toContainText(money(trade.payout!))
    }
    const [trade] = settled
    await page.getByRole('button', { name: new RegExp(`Details of.*${trade!.symbol}`, 's') }).click()
    // The receipt follows with the next checkpoint. Signing out rejects a request for it that is still pending.
    trouble.allow(/^answered 40[19]: GET \/api\/trading\/\w+\/receipt/)
    const details = page.getByRole('dialog')
    await expect(details).toContainText(trade!.trade_id)
    await expect(details).toContainText('FT-1')
    await expect(details).toContainText(money(trade!.payout!))
    await looksRight()
    await page.keyboard.press('Escape')
    await expect(details).toBeHidden()
  })

  await test.step('sign out', async () => {
    if (isPhone(page)) await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'Logout' }).last().click()
    await expect(page).toHaveURL('/auth/signin')
    expect((await rootOf(page)).state.auth).toEqual({ user_data: null, tokens: null })
  })
})

const money = (amount: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount)

/** Returns the net result of the trades in dollars, computed in cents. */
const sumOf = (trades: Trade[]): number =>
  trades.reduce((cents, trade) => cents + Math.round(trade.payout! * 100) - Math.round(trade.amount * 100), 0) / 100

const PERCENT: Record<string, Record<TradeSide, number>> = {
  '75/3': { Buy: 75, Sell: 3 },
  '11/13': { Buy: 11, Sell: 13 },
}

/** Checks the rules: entry after the trade, exit by its end, the outcome from the two, the payout from the outcome. */
function expectFair(trade: Trade): void {
  const [placed, ends] = [Date.parse(trade.trade_time), Date.parse(trade.end_time)]
  expect(ends - placed).toBe(trade.duration * 1_000)
  if (trade.status === 'Void') {
    expect(trade.payout).toBe(trade.amount)
    return
  }
  const [entered, left] = [Date.parse(trade.start_time!), Date.parse(trade.exit_time!)]
  expect(entered).toBeGreaterThan(placed)
  expect(entered).toBeLessThanOrEqual(placed + 10_000)
  expect(left).toBeLessThanOrEqual(ends)
  expect(left).toBeGreaterThan(ends - 10_000)
  const rise = trade.end_price! - trade.start_price!
  const outcome = rise === 0 ? 'Draw' : rise > 0 === (trade.trade_mode === 'Buy') ? 'Won' : 'Lost'
  expect(trade.status).toBe(outcome)
  const percent = PERCENT[trade.strike_rate]![trade.trade_mode]
  const cents = Math.round(trade.amount * 100)
  const profit = Math.floor((cents * percent + 50) / 100)
  expect(Math.round(trade.payout! * 100)).toBe({ Won: cents + profit, Draw: cents, Lost: 0 }[outcome])
}
