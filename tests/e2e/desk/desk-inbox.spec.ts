import { randomUUID } from 'node:crypto'
import type { DeskReconciliation } from '#contract/desk/money/reconciliation.ts'
import type { DeskOverview } from '#contract/desk/overview.ts'
import { QUEUES, type Queue } from '#contract/desk/terms.ts'
import { approveIdentity, confirmEmail, fund } from '../support/cashier.ts'
import { askDesk, openQueue, operatorIn } from '../support/desk.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

test('the start is one inbox by due time, with filters and keys', async ({ browser, page }) => {
  const text = `Deposit ${randomUUID().slice(0, 8)} is missing`
  const contact = { name: 'Ada Byron', email: 'ada@example.org', message: text }
  const { email } = await signedIn(page, { mode: 'real' })
  const sent = await page.request.post('/api/public/contact', { data: contact })
  expect(sent.ok(), await sent.text()).toBe(true)
  const user = (await rootOf(page)).state.auth.user_data!
  const ask = await askDesk(page.request, 'finance')
  await confirmEmail(page, email)
  await approveIdentity(email)
  await fund(email, 500)
  const asTrader = { authorization: `Bearer ${(await rootOf(page)).state.auth.tokens!.access.token}` }
  const wallet = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const order = { symbol: 'BCHBTC', trading_type: 'Cryptocurrency', duration: 3_600, strike_rate: '75/3', mode: 'real' }
  for (const [path, data] of [
    ['/api/withdraw', { amount: 120, wallet }],
    ['/api/trading/submit', { ...order, trade_mode: 'Buy', amount: 40 }],
    ['/api/trading/submit', { ...order, trade_mode: 'Sell', amount: 10 }],
  ] as const) {
    const answer = await page.request.post(path, { headers: asTrader, data })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
  const why = `A bonus for ${email}.`
  await ask('POST', `/users/${user.id}/adjustments`, { book: 'demo', amount: 5, reason: why })

  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, 'finance,risk,support')
  const inbox = desk.getByRole('region', { name: /^Inbox/ })
  const row = (words: string) => inbox.getByRole('listitem').filter({ hasText: words })
  await expect(row(text)).toBeVisible()
  for (const width of [390, 1000, 1366, 1920]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    if (process.env.SHOTS)
      await desk.screenshot({ path: `${process.env.SHOTS}/inbox-${width}.png`, animations: 'disabled' })
  }
  await expectAccessible(desk)
  const business = desk.getByRole('region', { name: 'Business' })
  await desk.getByRole('group', { name: 'Period' }).getByText('30 d', { exact: true }).click()
  await expect(business.getByRole('link', { name: /^Paid in time/ })).toBeVisible()
  if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/business-30.png`, animations: 'disabled' })
  await business.getByRole('link', { name: /^House result/ }).click()
  await expect(desk).toHaveURL(/\/trades\?mode=real&settled=30$/)
  await expect(desk.getByRole('group', { name: 'Settled' }).getByLabel('30 days')).toBeChecked()
  await desk.goBack()
  await business.getByRole('link', { name: /^Net deposits/ }).click()
  await expect(desk.getByRole('heading', { name: 'Money in and out' })).toBeVisible()
  await expect(desk.getByRole('row').filter({ hasText: email })).toContainText('+$500.00')
  for (const width of [390, 1366]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    await expectAccessible(desk)
    if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/money-${width}.png` })
  }
  await desk.goBack()
  await desk.getByRole('link', { name: 'BCHBTC' }).click()
  await expect(desk.getByRole('row').filter({ hasText: email })).toHaveCount(2)
  await desk.goBack()
  await desk.getByRole('link', { name: 'Later' }).click()
  await expect(desk.getByRole('group', { name: 'Due' }).getByLabel('Later')).toBeChecked()
  await expect(desk.getByRole('listitem').filter({ hasText: email }).first()).toBeVisible()
  await desk.goBack()

  await inbox.getByRole('link', { name: /^Mine/ }).click()
  await expect(row(text)).toHaveCount(0)
  await desk.keyboard.press('1')
  await expect(row(why)).toBeVisible()
  const here = inbox.locator('[aria-current=true]')
  await desk.keyboard.press('j')
  while (!(await here.textContent())?.includes(text)) {
    const before = await here.textContent()
    await desk.keyboard.press('j')
    await expect(here).not.toHaveText(before!)
  }
  await desk.keyboard.press('c')
  await expect(here.getByText('you', { exact: true })).toBeVisible()
  await desk.keyboard.press('3')
  await expect(desk).toHaveURL(/\?show=mine$/)
  // The address comes before its list: keys would act on the one that is still shown.
  await expect(inbox.getByRole('link', { name: /^Mine/ })).toHaveAttribute('aria-current', 'page')
  await expect(row(text)).toHaveCount(1)
  await desk.keyboard.press('j')
  await desk.keyboard.press('c')
  await expect(row(text)).toHaveCount(0)

  await desk
    .getByRole('navigation', { name: 'Desk' })
    .getByRole('link', { name: /^Proposals/ })
    .click()
  const waiting = desk.getByRole('region', { name: /^Waiting/ })
  await expect(waiting.getByRole('listitem').filter({ hasText: why })).toBeVisible()
  await expect(waiting.getByRole('listitem').filter({ hasText: text })).toHaveCount(0)
  await desk.keyboard.press('j')
  await expect(waiting.locator('[aria-current=true]')).toHaveCount(1)
  await desk.keyboard.press('Enter')
  await expect(desk).not.toHaveURL(/\/desk\/proposals$/)
  await desk.context().close()
})

const roles = 'support,compliance,finance,risk,admin,auditor'

test('every queue is two presses away: the inbox or the proposals, then its filter', async ({ browser }) => {
  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, roles)
  const places = desk.getByRole('navigation', { name: 'Desk' }).getByRole('link')
  expect(await places.count()).toBeLessThan(20)
  for (const [queue, { title }] of Object.entries(QUEUES)) {
    await openQueue(desk, queue as Queue)
    await expect(desk.getByRole('heading', { level: 1, name: title, exact: true })).toBeVisible()
    await expect(desk.getByRole('navigation', { name: 'Filters' }).locator('[aria-current=page]')).toContainText(title)
  }
  await desk.context().close()
})

test('an operator sees the filters of their roles, and chooses them by number', async ({ browser }) => {
  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, 'support')
  const filters = desk.getByRole('navigation', { name: 'Filters' }).getByRole('link')
  const six = [/^All/, /^Overdue/, /^Mine/, /^Complaints/, /^Chats/, /^Messages/]
  await expect(filters).toHaveText(six)
  const path = () => new URL(desk.url()).pathname + new URL(desk.url()).search
  for (const [key, place] of [
    ['5', '/desk/chats'],
    ['6', '/desk/messages'],
    ['2', '/desk?show=overdue'],
    ['4', '/desk/complaints'],
    ['1', '/desk'],
  ] as const) {
    await desk.keyboard.press(key)
    await expect.poll(() => path().replace('/?', '?').replace(/\/$/, '')).toBe(place)
    await expect(filters).toHaveText(six)
  }
  await desk.keyboard.press('7')
  await desk.keyboard.press('?')
  const help = desk.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help.getByText('Choose a filter of the inbox')).toBeVisible()
  await expect(help.getByText('Find a trader, trade or request')).toBeVisible()
  await desk.keyboard.press('5')
  await expect(help, 'keys rest while a dialog is open').toBeVisible()
  await desk.keyboard.press('Escape')
  await desk
    .getByRole('navigation', { name: 'Desk' })
    .getByRole('link', { name: /^Proposals/ })
    .click()
  await expect(filters).toHaveText([/^All/, /^Account changes/])
  await desk.context().close()
})

test('/ finds the trader of a trade or request from any page', async ({ browser, page }) => {
  const { email } = await signedIn(page, { mode: 'demo' })
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const submitted = await page.request.post('/api/trading/submit', {
    headers: { authorization: `Bearer ${token}` },
    data: {
      ...{ symbol: 'BCHBTC', trading_type: 'Cryptocurrency', duration: 60, strike_rate: '75/3', mode: 'demo' },
      ...{ trade_mode: 'Buy', amount: 10 },
    },
  })
  const { data } = (await submitted.json()) as { data: { trade_id: string } }
  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, 'support')
  await desk.keyboard.press('/')
  const search = desk.getByRole('searchbox', { name: 'Find a trader, trade or request' })
  await expect(search).toBeFocused()
  await search.fill(data.trade_id)
  await desk.keyboard.press('Enter')
  await expect(desk.getByRole('heading', { name: 'Users' })).toBeVisible()
  await expect(desk.getByLabel('Find', { exact: true })).toHaveValue(data.trade_id)
  await desk.getByRole('button', { name: `Open ${email}` }).click()
  await expect(desk.getByRole('heading', { level: 1, name: email })).toBeVisible()
  await desk.keyboard.press('/')
  await expect(desk.getByLabel('Find', { exact: true })).toBeFocused()
  await desk.context().close()
})

const BALANCED: DeskReconciliation = {
  last: { finished_at: new Date().toISOString(), took_ms: 900, differences: 0 },
  halt: null,
  statement: null,
}

test('the start says when the books were checked, and shows no amount while they differ', async ({ browser }) => {
  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, 'finance,risk')
  const at = BALANCED.last!.finished_at
  const differs = { name: 'L1', says: 'Every movement balances.', rows: ['{}'] }
  const halt = { started_at: at, found_at: at, differences: [differs] }
  let books: DeskReconciliation = { ...BALANCED, halt }
  await desk.route('**/api/desk/reconciliation', (route) => route.fulfill({ json: { status: true, data: books } }))
  await desk.reload()
  const business = desk.getByRole('region', { name: 'Business' })
  await expect(desk.getByRole('link', { name: /^Books differ, checked \d\d:\d\d:\d\d$/ })).toBeVisible()
  for (const name of ['Net deposits', 'House result', 'Open exposure'])
    await expect(business.getByRole('link', { name: new RegExp(`^${name}`) })).toHaveText(`${name}checking`)
  await desk.setViewportSize({ width: 1920, height: 1080 })
  await expect(desk.getByRole('heading', { name: '30 days' })).toBeVisible()
  await expect(desk.getByText('checking', { exact: true })).toHaveCount(5)
  for (const title of ['30 days', 'Open exposure', 'Payout clock'])
    await expect(desk.getByRole('heading', { name: title }).locator('..')).not.toContainText('$')

  books = { ...BALANCED, halt: { ...halt, clean_at: at } }
  await expect(desk.getByRole('link', { name: /^Books balance, checked .*; payouts halted$/ })).toBeVisible()
  books = BALANCED
  await expect(desk.getByRole('link', { name: /^Books balance, checked \d\d:\d\d:\d\d$/ })).toBeVisible()
  await expect(desk.getByText('checking', { exact: true })).toHaveCount(0)
  await expectAccessible(desk)
  await desk.getByRole('link', { name: /^Books balance/ }).click()
  await expect(desk.getByRole('heading', { level: 1, name: 'Reconciliation' })).toBeVisible()
  await desk.unrouteAll({ behavior: 'wait' })
  await desk.context().close()
})

test('a wide start has 30 days as bars, with a table for screen readers', async ({ browser }) => {
  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, 'finance,risk')
  const wide = desk.getByRole('heading', { name: '30 days' })
  await expect(desk.getByRole('heading', { name: 'Payout clock' })).toBeVisible()
  await expect(wide).toBeHidden()
  await desk.setViewportSize({ width: 1600, height: 900 })
  await expect(wide).toBeVisible()
  const table = desk.getByRole('table', { name: 'Net deposits and house result by day (UTC)' })
  await expect(table.getByRole('row')).toHaveCount(1 + 30)
  const today = new Date().toISOString().slice(0, 10)
  await expect(table.getByRole('row').last()).toHaveText(new RegExp(`^${today}[+−]?\\$[\\d,.]+[+−]?\\$[\\d,.]+$`))
  const column = await desk.getByRole('heading', { name: 'Payout clock' }).locator('..').boundingBox()
  expect(Math.round(column!.width)).toBe(420)
  await expectNoSidewaysScroll(desk)
  await expectAccessible(desk)
  await desk.context().close()
})

test('an empty inbox says so, with the last item done', async ({ browser }) => {
  const desk = await operatorIn(browser, `${randomUUID().slice(0, 13)}@desk.example`, 'support')
  const at = new Date().toISOString()
  await desk.route('**/api/desk/inbox**', (route) => route.fulfill({ json: { status: true, data: [] } }))
  await desk.route('**/api/desk/overview', async (route) => {
    const answer = (await (await route.fetch()).json()) as { data: DeskOverview }
    answer.data.last_done = {
      ...{ queue: 'messages', id: '7', user_id: null, step: 'reply', at },
      by: { operator_id: '1', email: 'ann@desk.example', mine: false },
    }
    return route.fulfill({ json: answer })
  })
  await desk.reload()
  const inbox = desk.getByRole('region', { name: /^Inbox/ })
  await expect(inbox.getByRole('heading', { name: 'Nothing is due' })).toBeVisible()
  await expect(inbox.getByText(/^Last done: message answered by ann@desk.example, 20\d\d-/)).toBeVisible()
  await desk.keyboard.press('2')
  await expect(inbox.getByRole('heading', { name: 'Nothing is overdue' })).toBeVisible()
  await desk.unrouteAll({ behavior: 'wait' })
  await desk.context().close()
})
