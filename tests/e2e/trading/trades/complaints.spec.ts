import { randomUUID } from 'node:crypto'
import type { Locator } from '@playwright/test'
import type { Incident } from '#contract/prices/incidents.ts'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { approveIdentity, confirmEmail, fund } from '../../support/cashier.ts'
import { approveItem, openQueue, operatorIn } from '../../support/desk.ts'
import { rootOf, signedIn } from '../../support/people.ts'
import { tapeTest } from '../../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../../support/test.ts'
import { balanceShown, chooseSymbol } from '../../support/trading.ts'

/**
 * No other journey trades this symbol itself, because a ruling waits for open trades that may use the price. Automatic
 * trades on the demo account may. Its prices have many digits, so that exit and entry are hardly ever equal.
 */
const SYMBOL = 'ETCBTC'

const name = () => `risk-${randomUUID().slice(0, 8)}@desk.example`

/** Takes screenshots in both themes at several widths. Without SHOTS, only checks for overflow. */
async function lookAt(page: Page, what: string, at?: Locator): Promise<void> {
  for (const width of [390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await at?.scrollIntoViewIfNeeded()
    await expectNoSidewaysScroll(page)
    if (!process.env.SHOTS) continue
    for (const theme of ['light', 'dark']) {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name
      }, theme)
      await page.screenshot({ path: `${process.env.SHOTS}/${what}-${width}-${theme}.png` })
    }
  }
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** Opens this trader's complaint at the desk. */
async function openComplaint(desk: Page, email: string, status: string): Promise<Locator> {
  await openQueue(desk, 'complaints')
  const list = desk.getByRole('region', { name: 'Complaints' })
  await list.getByRole('radio', { name: status, exact: true }).check()
  await list.getByRole('button', { name: email }).click()
  return desk.getByRole('region', { name: 'Selected complaint' })
}

/** Answers the first question what a remedy would cost as if a trade were still open, and leaves the next to the server. */
async function withOpenTradeAtFirst(desk: Page): Promise<void> {
  const data = { trades: 1, total: 100, open: 1 }
  await desk.route('**/remedy?*', (route) => route.fulfill({ json: { status: true, data } }), { times: 1 })
}

/** Places a Buy and a Sell at the same time: they start at the same price, so one of them loses. */
async function buyAndSell(page: Page): Promise<void> {
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const submit = (trade_mode: 'Buy' | 'Sell') =>
    page.request.post('/api/trading/submit', {
      // On a busy machine, the server may close an idle connection just as it is used again.
      maxRetries: 3,
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() },
      data: {
        symbol: SYMBOL,
        trading_type: 'Cryptocurrency',
        trade_mode,
        amount: 100,
        duration: 60,
        strike_rate: '75/3',
        mode: 'real',
      },
    })
  for (const response of await Promise.all([submit('Buy'), submit('Sell')]))
    expect(response.status(), await response.text()).toBe(200)
}

tapeTest(
  'a trader reports a losing trade, two operators rule that a price was wrong, and the stake comes back',
  async ({ page, browser, tape }) => {
    const { email } = await signedIn(page, { mode: 'real' })
    await fund(email, 1_000)
    await page.goto('/user/home')
    await chooseSymbol(page, SYMBOL)
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await buyAndSell(page)
    await page.goto('/user/trade-history')
    const lost = page.getByRole('row').filter({ hasText: 'Lost' })
    await tape.advance(MINUTE_MS + SECOND_MS)
    await expect(lost).toHaveCount(1)
    await expect(lost).toContainText('$100.00')
    // The other trade won: Buy pays 75%, Sell 3%.
    const afterwards = (await lost.textContent())!.includes('Sell') ? '$1,075.00' : '$1,003.00'

    await lost.getByRole('button', { name: /^Details of/ }).click()
    const details = page.getByRole('dialog', { name: new RegExp(`(Buy|Sell) ${SYMBOL}`) })
    await details.getByRole('button', { name: 'Report a problem' }).click()
    await details.getByRole('radio', { name: 'A price is wrong' }).check()
    await details.getByLabel(/Anything to add/).fill('The last price was far off.')
    await lookAt(page, 'report', details.getByRole('button', { name: 'Send' }))
    await details.getByRole('button', { name: 'Send' }).click()
    await expect(details.getByText('You reported a problem')).toBeVisible()
    // The receipt is signed with the next checkpoint.
    await expect(details.getByText('all 4 checks passed')).toBeVisible()
    await expect(details.getByText('Operator (reviewing)')).toBeVisible()
    await details.getByText('all 4 checks passed').click()
    await lookAt(page, 'reported', details.getByText('Signed checkpoint'))

    const [ann, bob] = [await operatorIn(browser, name(), 'risk'), await operatorIn(browser, name(), 'risk')]
    const open = await openComplaint(ann, email, 'Open')
    await expect(open.getByText('The records are correct')).toBeVisible()
    await expect(open.getByText('The last price was far off.')).toBeVisible()
    await open.getByRole('button', { name: 'Propose a ruling' }).click()
    await open.getByLabel('Ruling').selectOption('wrong_price')
    await withOpenTradeAtFirst(ann)
    await open.getByLabel('Return stakes').selectOption('exit')
    await expect(open.getByText('1 open trade may still use this price. Wait until it settles.')).toBeVisible()
    await expect(open.getByText(/^\d trades? lost on this price/)).toBeVisible({ timeout: 75_000 })
    await open.getByLabel('Reason').fill('One exchange printed it alone.')
    await lookAt(ann, 'desk-propose')
    await open.getByRole('button', { name: 'Propose', exact: true }).click()
    // Other complaints may be in the list, so it isn't necessarily empty.
    await expect(ann.getByRole('button', { name: email })).toBeHidden()
    const own = await openComplaint(ann, email, 'Proposed')
    await expect(own.getByRole('button', { name: /Withdraw my proposal/ })).toBeVisible()
    await expect(own.getByRole('button', { name: /Approve/ }), 'not by the same operator').toBeHidden()

    const proposed = await openComplaint(bob, email, 'Proposed')
    await expect(proposed.getByText('One exchange printed it alone.')).toBeVisible()
    await lookAt(bob, 'desk-approve', proposed.getByRole('button', { name: /^Approve/ }))
    await approveItem(proposed)
    await expect(bob.getByText('Approved and published.')).toBeVisible()

    await expect(details.getByText('Two operators upheld it: A published price was wrong.')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect.poll(() => balanceShown(page)).toBe(afterwards)
    await page.goto('/user/complaints')
    await expect(page.getByText('Returned to you')).toBeVisible()
    await expect(page.getByText('Upheld', { exact: true })).toBeVisible()
    await lookAt(page, 'complaints')

    // The list is cached for a minute.
    const rulings = async () => {
      const reply = await page.request.get('/api/public/incidents')
      const { incidents } = ((await reply.json()) as { data: { incidents: Incident[] } }).data
      return incidents.filter((one) => one.kind === 'ruling' && one.tick?.symbol === SYMBOL)
    }
    await expect.poll(rulings, { timeout: 75_000, intervals: [2_000] }).toHaveLength(1)
    await page.goto('/incidents')
    await expect(page.getByText(/: 1 real .*stakes? .*returned, \$100\.00 of real money\./)).toBeVisible()
  },
)

test('a trader reports a withdrawal and a deposit, and sees who has them', async ({ page }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, email)
  await approveIdentity(email)
  await fund(email, 900)
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const requested = await page.request.post('/api/withdraw', {
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() },
    data: { amount: 250.75, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
  })
  expect(requested.status()).toBe(200)

  for (const { list, title, standing, reason } of [
    { list: 'withdraw-log', title: 'Withdrawal', standing: 'Due by', reason: "The money hasn't arrived" },
    // No one is processing it any more: the details show when it was closed.
    { list: 'deposit-log', title: 'Deposit', standing: 'Closed', reason: 'The amount is wrong' },
  ]) {
    await page.goto(`/user/${list}`)
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Details of/ })
      .first()
      .click()
    const details = page.getByRole('dialog', { name: title })
    await expect(details.getByRole('term').filter({ hasText: standing })).toBeVisible()
    await details.getByRole('button', { name: 'Report a problem' }).click()
    await details.getByRole('radio', { name: reason }).check()
    await lookAt(page, `report-${title}`, details.getByRole('button', { name: 'Send' }))
    await details.getByRole('button', { name: 'Send' }).click()
    const problems = details.getByRole('region', { name: 'Problems' })
    await expect(problems.getByText('You reported a problem')).toBeVisible()
    await expect(problems.getByText('Operator (reviewing)')).toBeVisible()
    await expect(details.getByText(/all \d checks passed/)).toBeVisible()
    await details.getByText(/all \d checks passed/).click()
    await lookAt(page, `reported-${title}`, details.getByText('You reported a problem'))
  }
  await page.goto('/user/complaints')
  await expect(page.getByRole('heading', { name: /^Withdrawal / })).toBeVisible()
  await expect(page.getByRole('heading', { name: /^Deposit / })).toBeVisible()
  await lookAt(page, 'complaints-of-money')
})

test('says what to do when nothing was reported', async ({ page }) => {
  await signedIn(page)
  await page.goto('/user/complaints')
  await expect(page.getByRole('heading', { name: 'No complaints' })).toBeVisible()
  await lookAt(page, 'no-complaints')
})
