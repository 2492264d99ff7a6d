import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { DeskWithdrawal } from '#contract/desk/money/withdrawals.ts'
import type { DeskMessage } from '#contract/desk/people/messages.ts'
import { QUEUES, type Queue } from '#contract/desk/terms.ts'
import { MINUTE_MS, SECOND_MS } from '#kernel/time.ts'
import { completeProfile, confirmEmail, enterArrivals, sendWithdrawal } from '../support/cashier.ts'
import { approveItem, findUser, openQueue, operatorIn, operatorThroughScreens } from '../support/desk.ts'
import { mailTo, rootOf, signedIn } from '../support/people.ts'
import { photo } from '../support/pictures.ts'
import { databaseUrl } from '../support/servers/database.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { balanceShown, place, setOrder } from '../support/trading.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const BITCOIN_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const name = (role: string) => `${role}-${randomUUID().slice(0, 8)}@desk.example`

/** Opens a queue through the inbox, then a user's item that is open. */
async function open(desk: Page, queue: Queue, email: string, figure = ''): Promise<void> {
  await openQueue(desk, queue)
  const list = desk.getByRole('region', { name: QUEUES[queue].title })
  await list.getByRole('button', { name: email }).filter({ hasText: figure }).first().click()
}

/** Goes to a page of the desk through its navigation. */
const goTo = (desk: Page, place: string) =>
  desk.getByRole('navigation', { name: 'Desk' }).getByRole('link', { name: place, exact: true }).click()

/**
 * Performs an action on the open item, and fills in the field that it asks for. An approval takes a second look, where
 * the button of an amount names it.
 */
async function act(desk: Page, action: string, ask?: { label: string; text: string; button?: string }): Promise<void> {
  const button = desk.getByRole('button', { name: ask?.button ?? action, exact: true })
  await desk.getByRole('button', { name: action, exact: true }).click()
  if (ask) await desk.getByLabel(ask.label, { exact: true }).fill(ask.text)
  if (ask?.button) await desk.getByRole('button', { name: 'Continue', exact: true }).click()
  const answered = desk.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().includes('/api/desk/'),
  )
  await button.click()
  await answered
}

async function deposit(page: Page, dollars: string): Promise<void> {
  await page.goto('/user/deposit')
  await page.getByRole('button', { name: /Bitcoin wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: /Deposit( by card or)? Bitcoin/ })
  await dialog.getByLabel('Amount', { exact: true }).fill(dollars)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByLabel('Receipt').setInputFiles(await photo('receipt.png'))
  await dialog.getByRole('button', { name: 'Request' }).click()
  await expect(dialog).toBeHidden()
}

async function withdrawToWallet(page: Page, dollars: string): Promise<void> {
  await page.goto('/user/withdraw-fund')
  await page.getByRole('button', { name: /^Crypto wallet/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Withdraw to Crypto Wallet' })
  await dialog.getByLabel('Amount', { exact: true }).fill(dollars)
  await dialog.getByLabel('Wallet', { exact: true }).fill(BITCOIN_ADDRESS)
  await sendWithdrawal(dialog)
  await expect(dialog).toBeHidden()
}

/**
 * Mocks a queue with this many messages. Its second page fails until it's repaired, and its third arrives once it's
 * released. `asked` lists the cursors of the requested pages.
 */
async function longQueue(desk: Page, length: number) {
  const [broken, slow] = ['20', '40']
  const asked: string[] = []
  const repaired = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isBroken = true
  void repaired.promise.then(() => {
    isBroken = false
  })
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const message = (n: number): DeskMessage => ({
    id: String(n + 1),
    user_id: null,
    email: `visitor-${n}@example.org`,
    name: 'A visitor',
    created_at: since,
    claimed_by: null,
    own: false,
    flags: [],
    message: 'How do I begin?',
    status: 'Open',
    replies: [],
  })
  await desk.route('**/api/desk/messages?**', async (route) => {
    const query = new URL(route.request().url()).searchParams
    const cursor = query.get('cursor') ?? '0'
    asked.push(cursor)
    if (cursor === slow) await released.promise
    if (cursor === broken && isBroken)
      return route.fulfill({ status: 400, json: { status: false, code: 'invalid', message: 'Not now.' } })
    const begin = Number(cursor)
    const end = Math.min(begin + Number(query.get('limit')), length)
    return route.fulfill({
      json: {
        status: true,
        data: Array.from({ length: end - begin }, (_, n) => message(begin + n)),
        ...(end < length ? { next_cursor: String(end) } : {}),
      },
    })
  })
  return { asked, broken, repair: repaired.resolve, release: released.resolve }
}

tapeTest(
  "an operators' day: money from deposit to withdrawal, a complaint, an emergency",
  async ({ page, browser, tape }) => {
    const { email } = await signedIn(page, { mode: 'real' })
    await confirmEmail(page, email)
    const ann = await operatorThroughScreens(browser, name('ann'), 'compliance,finance')
    const bob = await operatorIn(browser, name('bob'), 'finance')

    await test.step('the identity check is rejected, submitted again, and approved', async () => {
      await completeProfile(page)
      await page.goto('/user/verify')
      const submit = async () => {
        await page.getByLabel('Method', { exact: true }).selectOption({ index: 1 })
        await page.getByLabel('File', { exact: true }).setInputFiles(await photo())
        await page.getByRole('button', { name: 'Submit' }).click()
        await expect(page.getByText('Government ID Submitted Successfully!')).toBeVisible()
        await page.keyboard.press('Escape')
      }
      await submit()
      await open(ann, 'identity-checks', email)
      await expect(ann.getByRole('img', { name: /^ID of Ada Byron/ })).toHaveJSProperty('complete', true)
      await expectAccessible(ann)
      await act(ann, 'Reject', { label: 'Reason', text: 'The picture shows no document.' })
      await expect(page.getByText('The picture shows no document.').first()).toBeVisible()
      await submit()
      await open(ann, 'identity-checks', email)
      await act(ann, 'Approve')
      await expect(ann.getByText(`${email} is verified.`)).toBeVisible()
      await expect(page.getByText('Approved').first()).toBeVisible()
    })

    await test.step('a deposit of 250 takes one operator', async () => {
      await deposit(page, '250')
      await enterArrivals(email)
      await open(ann, 'deposits', email)
      await expectAccessible(ann)
      await act(ann, 'Approve', { label: 'US dollars received', text: '250', button: 'Credit $250.00' })
      await expect(ann.getByText(`$250.00 was credited to ${email}.`)).toBeVisible()
      await expect.poll(() => balanceShown(page)).toBe('$250.00')
    })

    await test.step('deposits of 5,000 take two, who must agree', async () => {
      for (const [dollars, figure, before, after] of [
        ['5000', '$5,000.00', '$250.00', '$5,250.00'],
        ['5100', '$5,100.00', '$5,250.00', '$10,350.00'],
      ] as const) {
        await deposit(page, dollars)
        await enterArrivals(email)
        await open(ann, 'deposits', email, figure)
        await act(ann, 'Approve', { label: 'US dollars received', text: dollars, button: `Credit ${figure}` })
        await expect(ann.getByRole('region', { name: 'Selected deposit' }).getByText('1 of 2')).toBeVisible()
        expect(await balanceShown(page)).toBe(before)
        await open(bob, 'deposits', email, figure)
        await act(bob, 'Approve', { label: 'US dollars received', text: '4999.99', button: 'Credit $4,999.99' })
        await expect(bob.getByRole('alert').filter({ hasText: figure })).toBeVisible()
        await bob.getByRole('button', { name: 'Cancel' }).click()
        await act(bob, 'Approve', { label: 'US dollars received', text: dollars, button: `Credit ${figure}` })
        await expect(bob.getByText(`${figure} was credited to ${email}.`)).toBeVisible()
        await expect.poll(() => balanceShown(page)).toBe(after)
      }
    })

    await test.step('a real trade is placed', async () => {
      await page.goto('/user/home')
      await setOrder(page, { duration: '1 minute', strike: 'Buy pays 75%, Sell pays 3%', amount: '100' })
      await place(page, 'Buy', { asked: true })
      await expect.poll(() => balanceShown(page)).toBe('$10,250.00')
    })

    await test.step('a bank withdrawal is approved and paid', async () => {
      await page.goto('/user/withdraw-fund')
      await page.getByRole('button', { name: /^Bank/ }).click()
      const dialog = page.getByRole('dialog', { name: 'Withdraw to Bank' })
      await dialog.getByLabel('Amount', { exact: true }).fill('200')
      await dialog.getByLabel('Bank name').fill('First National')
      await dialog.getByLabel('Account type').selectOption('Checking')
      await dialog.getByLabel('Account number').fill('000123456789')
      await dialog.getByLabel('Routing number').fill('021000021')
      await sendWithdrawal(dialog)
      await expect(dialog).toBeHidden()
      await page.goto('/user/withdraw-log')
      await open(ann, 'withdrawals', email)
      await ann.getByRole('button', { name: /^Show the bank account/ }).click()
      await expect(ann.getByText('000123456789')).toBeVisible()
      await expectAccessible(ann)
      await act(ann, 'Approve')
      // She approved the identity and the deposits.
      await expect(ann.getByText('Approved. Another operator must approve it too.')).toBeVisible()
      await open(bob, 'withdrawals', email)
      await act(bob, 'Approve')
      await expect(bob.getByText('Approved. Pay it now, then mark it as paid.')).toBeVisible()
      await expect(page.getByText('Processing').first()).toBeVisible()
      // The same item stays open and shows the next step.
      await expect(bob.locator('[aria-current=step]')).toHaveText('Pay $200.00 to the bank account below')
      await expect(bob.getByRole('button', { name: 'Mark as paid' })).toBeVisible()
      await expectAccessible(bob)
      if (process.env.SHOTS) await bob.screenshot({ path: `${process.env.SHOTS}/desk-pay.png` })
      await open(ann, 'withdrawals', email, '$200.00')
      await act(ann, 'Mark as paid', { label: 'Reference', text: 'WIRE-4711' })
      await expect(page.getByText('Paid').first()).toBeVisible()
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Details of/ })
        .first()
        .click()
      await expect(page.getByRole('dialog', { name: 'Withdrawal' }).getByText('WIRE-4711')).toBeVisible()
      await page.keyboard.press('Escape')
    })

    await test.step('a wallet withdrawal is rejected and another cancelled: the money returns', async () => {
      const before = await balanceShown(page)
      await withdrawToWallet(page, '300')
      await expect.poll(() => balanceShown(page)).not.toBe(before)
      await open(ann, 'withdrawals', email, '$300.00')
      await act(ann, 'Reject', { label: 'Reason', text: 'This address is known for fraud.' })
      await page.goto('/user/withdraw-log')
      await expect(page.getByText('Rejected').first()).toBeVisible()
      await withdrawToWallet(page, '50')
      await page.goto('/user/withdraw-log')
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Details of/ })
        .first()
        .click()
      const details = page.getByRole('dialog', { name: 'Withdrawal' })
      await details.getByRole('button', { name: 'Cancel this withdrawal' }).click()
      await details.getByRole('button', { name: 'Yes, cancel it' }).click()
      await expect(details.getByText('Cancelled', { exact: true })).toBeVisible()
      await page.keyboard.press('Escape')
      const mail = await mailTo(page, email, /rejected/i)
      expect(mail.text).toContain('This address is known for fraud.')
    })

    await test.step('a plan is bought, a higher one requested and approved', async () => {
      await page.goto('/user/plan')
      await page.getByRole('button', { name: 'Request Plan: BEGINNER' }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Buy for/ })
        .click()
      await expect(page.getByRole('button', { name: 'Active: BEGINNER' })).toBeVisible()
      await page.getByRole('button', { name: 'Request Upgrade: GOLD' }).click()
      await page.getByRole('button', { name: 'Request upgrade', exact: true }).click()
      await expect(page.getByRole('button', { name: 'Requested: GOLD' })).toBeVisible()
      await open(ann, 'plan-requests', email)
      await expectAccessible(ann)
      await act(ann, 'Approve')
      await expect(ann.getByText(`${email} now has the Gold plan.`)).toBeVisible()
      await expect.poll(async () => (await rootOf(page)).state.auth.user_data?.trading_plan).toBe('Gold-7600')
    })

    await test.step('the trade settles, the statement ties out, and every invariant holds', async () => {
      await page.goto('/user/trade-history')
      await tape.advance(MINUTE_MS + SECOND_MS)
      await expect(page.getByRole('row').filter({ hasText: /Won|Lost|Draw|Void/ })).toHaveCount(1)
      await page.getByRole('button', { name: /open the wallet/ }).click()
      await page.getByRole('dialog', { name: 'Wallet' }).getByRole('button', { name: 'Statement' }).click()
      const dialog = page.getByRole('dialog', { name: 'Download a statement' })
      await dialog.getByRole('radio', { name: 'CSV' }).check()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Download' }).click(),
      ])
      const lines = (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/).slice(1)
      const shown = Number((await balanceShown(page)).replaceAll(/[$,]/g, ''))
      expect(Number(lines.at(-1)!.split(',').at(-1))).toBe(shown)
      const sum = lines.reduce((cents, line) => cents + Math.round(Number(line.split(',').at(-2)) * 100), 0)
      expect(sum).toBe(Math.round(shown * 100))

      const said = execFileSync(process.execPath, ['ops/commands/verify.ts'], {
        cwd: ROOT,
        env: { PATH: process.env.PATH, DATABASE_URL: await databaseUrl() },
        encoding: 'utf8',
      })
      expect(said).not.toMatch(/broken/i)
    })

    await test.step("the desk shows the user's details, and the audit log every action", async () => {
      await ann.getByRole('link', { name: 'Users' }).click()
      await findUser(ann, email)
      await expect(ann.getByRole('heading', { name: email })).toBeVisible()
      await expectAccessible(ann)
      await ann.getByText('Requests', { exact: true }).click()
      await expect(ann.getByText('Bank, account ending 6789')).toBeVisible()
      await ann.getByText('Ledger', { exact: true }).click()
      await expect(ann.getByText('withdraw paid').first()).toBeVisible()
      await ann.getByRole('link', { name: 'Audit log' }).click()
      await expect(ann.getByRole('cell', { name: 'approve' }).first()).toBeVisible()
      await expectAccessible(ann)
    })

    const [cat, dan] = [await operatorIn(browser, name('cat'), 'risk'), await operatorIn(browser, name('dan'), 'risk')]
    await test.step('a complaint about the trade is ruled on by two', async () => {
      await page.goto('/user/trade-history')
      await page
        .getByRole('button', { name: /^Details of/ })
        .first()
        .click()
      const details = page.getByRole('dialog', { name: /^Buy / })
      await details.getByRole('button', { name: 'Report a problem' }).click()
      await details.getByRole('radio', { name: 'A price is wrong' }).check()
      await details.getByRole('button', { name: 'Send' }).click()
      await open(cat, 'complaints', email)
      await cat.getByRole('button', { name: 'Propose a ruling' }).click()
      await cat.getByLabel('Ruling').selectOption('records_agree')
      await cat.getByLabel('Reason').fill('All exchanges had this price.')
      await cat.getByRole('button', { name: 'Propose', exact: true }).click()
      await openQueue(dan, 'complaints')
      await dan.getByRole('radio', { name: 'Proposed', exact: true }).check()
      await dan.getByRole('button', { name: email }).click()
      await approveItem(dan.getByRole('region', { name: 'Selected complaint' }))
      await expect(details.getByText('The records were checked again and agree.')).toBeVisible()
      await page.keyboard.press('Escape')
    })

    await test.step('the house shows what it can lose, stops real trading, and two release it', async () => {
      await goTo(cat, 'Exposure')
      await expect(cat.getByRole('heading', { level: 1, name: 'Exposure' })).toBeVisible()
      await expectAccessible(cat)
      await goTo(cat, 'Emergency')
      await cat.getByRole('button', { name: 'Stop real trading' }).click()
      const stop = cat.getByRole('dialog', { name: 'Stop real trading' })
      await stop.getByLabel('Reason').fill('A trader finds prices before we do.')
      await stop.getByRole('button', { name: 'Stop real trading' }).click()
      await page.goto('/user/home')
      const buy = page.getByRole('button', { name: /^Buy/ }).first()
      await expect(page.getByText(/^Real trading is stopped since/).first()).toBeVisible()
      await expect(buy).toBeDisabled()
      await cat.getByRole('button', { name: /^Propose to release/ }).click()
      const release = cat.getByRole('dialog', { name: /^Release/ })
      await release.getByLabel('Reason').fill('The trader used a published price.')
      await release.getByRole('button', { name: 'Propose to release' }).click()
      await expect(release).toBeHidden()
      await goTo(dan, 'Emergency')
      await dan.getByRole('link', { name: 'Open the proposal' }).click()
      await approveItem(dan)
      await expect(buy, 'an open screen trades on').toBeEnabled()
    })
    await Promise.all([cat.context().close(), dan.context().close()])
    await Promise.all([ann.context().close(), bob.context().close()])
  },
)

const PAGES = [
  '',
  'proposals',
  'identity-checks',
  'deposits',
  'unknown-deposits',
  'exclusion-matches',
  'withdrawals',
  'plan-requests',
  'adjustments',
  'factor-resets',
  'strategy-restarts',
  'payout-resumptions',
  'instrument-changes',
  'price-lists',
  'odds',
  'proof-keys',
  'chats',
  'messages',
  'users',
  'trades',
  'money',
  'emergency',
  'exposure',
  'reconciliation',
  'automatic',
  'published-strategies',
  'feeds',
  'operators',
  'instruments',
  'settings',
  'audit',
]
const EVERY_ROLE = 'support,compliance,finance,risk,admin,auditor'

/** Returns the choices of which some are out of sight, as text. */
const cutChoices = (desk: Page): Promise<(string | null)[]> =>
  desk
    .locator('fieldset')
    .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent))

for (const width of [390, 1000, 1366]) {
  test(`every page of the desk fits ${width} px`, async ({ browser }) => {
    const desk = await operatorIn(browser, name('all'), EVERY_ROLE)
    await desk.setViewportSize({ width, height: 900 })
    for (const path of PAGES) {
      await desk.goto(`/desk/${path}`)
      await desk.getByRole('heading', { level: 1 }).waitFor()
      await expectNoSidewaysScroll(desk)
      // On a phone many choices scroll in their own place.
      if (width > 390) expect(await cutChoices(desk), path).toEqual([])
      if (width !== 1000) await expectAccessible(desk)
    }
    await desk.context().close()
  })
}

test('an operator selects, claims and rejects without a mouse', async ({ page, browser }) => {
  const account = await signedIn(page, { mode: 'real' })
  await confirmEmail(page, account.email)
  await deposit(page, '120')
  const desk = await operatorIn(browser, name('all'), EVERY_ROLE)
  await enterArrivals(account.email)
  await desk.goto('/desk/deposits')
  const row = desk.getByRole('region', { name: 'Deposits' }).getByRole('button', { name: account.email })
  await row.waitFor()
  // The status filter keeps the focus after a choice. It must not swallow the shortcuts.
  await desk.getByRole('radio', { name: 'All' }).check()
  await desk.getByRole('radio', { name: 'Pending' }).check()
  await row.waitFor()
  await desk.keyboard.press('j')
  await expect(desk.locator('[aria-current=true]')).toHaveCount(1)
  await row.focus()
  await desk.keyboard.press('Enter')
  await expect(desk.getByRole('region', { name: 'Selected deposit' }).getByText(account.email)).toBeVisible()
  await expect(desk.getByRole('button', { name: 'Claim' })).toBeEnabled()
  await desk.keyboard.press('c')
  await expect(desk.getByText('Claimed by you')).toBeVisible()
  const approvals: string[] = []
  desk.on('request', (request) => request.url().endsWith('/approve') && approvals.push(request.url()))
  await desk.keyboard.press('a')
  await expect(desk.getByLabel('US dollars received')).toBeFocused()
  await desk.keyboard.type('120')
  await desk.keyboard.press('Enter')
  await expect(desk.getByText(`Credit $120.00 to Ada Byron (${account.email})?`)).toBeVisible()
  await expect(desk.getByRole('button', { name: 'Credit $120.00' })).toBeFocused()
  await desk.keyboard.press('Escape')
  expect(approvals, 'nothing is approved without the second look').toEqual([])
  await desk.keyboard.press('r')
  await expect(desk.getByLabel('Reason')).toBeFocused()
  await desk.keyboard.press('Enter')
  await expect(desk.getByText('Reason must not be empty')).toBeVisible()
  await expect(desk.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
  await desk.keyboard.type('Nothing arrived.')
  await desk.keyboard.press('Shift+Enter')
  await desk.keyboard.type('Asked the sender.')
  await expect(desk.getByLabel('Reason')).toHaveValue('Nothing arrived.\nAsked the sender.')
  await desk.keyboard.press('Enter')
  await expect(desk.getByText(`The deposit of ${account.email} was rejected.`)).toBeVisible()
  await page.goto('/user/deposit-log')
  await expect(page.getByText('Rejected').first()).toBeVisible()
  await desk.context().close()
})

test('open withdrawals start with those that wait for a second person, and an approval takes a second look', async ({
  browser,
}) => {
  const desk = await operatorIn(browser, name('all'), EVERY_ROLE)
  const item = (id: string, more: Partial<DeskWithdrawal>): DeskWithdrawal => ({
    id: id.padStart(13, '0'),
    user_id: '1',
    destination: null,
    email: `${id}@example.org`,
    name: 'Ada Byron',
    created_at: new Date(Date.now() - 3_600_000).toISOString(),
    claimed_by: null,
    own: false,
    flags: [],
    method: 'bank',
    currency: null,
    wallet: 'First National, account ending 6789',
    amount: 200,
    coin_amount: null,
    rate: null,
    rate_time: null,
    rate_source: null,
    batch_id: null,
    status: 'Pending',
    approvals: 0,
    approvals_needed: 1,
    approved_by: [],
    needs_second_operator: false,
    ...more,
  })
  const second = item('second', { approvals: 1, approvals_needed: 2, amount: 5_000 })
  const approved: string[] = []
  await desk.route('**/api/desk/withdrawals?**', (route) => {
    const query = new URL(route.request().url()).searchParams
    const open = [item('first', {}), item('unpaid', { status: 'Processing' }), second]
    const data = query.get('approved') === 'once' ? [second] : query.get('status') === 'to_do' ? open : []
    return route.fulfill({ json: { status: true, data } })
  })
  await desk.route('**/api/desk/withdrawals/*/approve', (route) => {
    approved.push(route.request().url())
    return route.fulfill({ status: 409, json: { status: false, code: 'wrong_state', message: 'Not in this test.' } })
  })
  await desk.goto('/desk/withdrawals')
  const rows = desk.getByRole('region', { name: 'Withdrawals' }).getByRole('listitem')
  await expect(rows).toContainText([second.email, 'first@example.org', 'unpaid@example.org'])
  for (const width of [390, 1366]) {
    await desk.setViewportSize({ width, height: 900 })
    await desk.keyboard.press('j')
    await desk.keyboard.press('k')
    await desk.keyboard.press('a')
    const look = desk.getByText(`Approve the withdrawal of $5,000.00 for Ada Byron (${second.email})?`)
    await expect(look).toBeVisible()
    await expect(desk.getByRole('button', { name: 'Approve' })).toBeFocused()
    await expectNoSidewaysScroll(desk)
    await expectAccessible(desk)
    if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/desk-second-look-${width}.png` })
    expect(approved).toEqual([])
    await desk.keyboard.press('Escape')
    await expect(look).toBeHidden()
  }
  await desk.keyboard.press('a')
  await desk.keyboard.press('Enter')
  await expect(desk.getByRole('alert').filter({ hasText: 'Not in this test.' })).toBeVisible()
  expect(approved).toHaveLength(1)
  await desk.unrouteAll({ behavior: 'wait' })
  await desk.context().close()
})

test('a long queue loads more while an operator moves down it', async ({ browser }) => {
  const desk = await operatorIn(browser, name('all'), EVERY_ROLE)
  const { asked, broken, repair, release } = await longQueue(desk, 45)
  await desk.goto('/desk/messages')
  const list = desk.getByRole('region', { name: 'Messages' })
  const rows = list.getByRole('listitem')
  // The last row is the button that loads more.
  await expect(rows).toHaveCount(20 + 1)
  // As fast as an experienced operator types.
  for (let n = 0; n <= 17; n++) await desk.keyboard.press('j')
  await expect(list.locator('[aria-current=true]')).toContainText('visitor-17@')
  await expect.poll(() => asked).toContain(broken)
  // A page that failed to load is left to the list's next refresh, not requested again and again.
  await desk.keyboard.press('k')
  await desk.keyboard.press('j')
  expect(asked.filter((cursor) => cursor === broken).length).toBeLessThanOrEqual(3)
  repair()
  await expect(rows).toHaveCount(40 + 1)
  for (let n = 18; n < 40; n++) await desk.keyboard.press('j')
  await expect(list.locator('[aria-current=true]')).toContainText('visitor-39@')
  // This one waits for the third page.
  await desk.keyboard.press('j')
  release()
  await expect(list.locator('[aria-current=true]')).toContainText('visitor-40@')
  await expect(rows).toHaveCount(45)
  for (let n = 41; n < 45; n++) await desk.keyboard.press('j')
  await expect(list.locator('[aria-current=true]')).toContainText('visitor-44@')
  await desk.unrouteAll({ behavior: 'wait' })
  await desk.context().close()
})

test('an operator verifies the chain of the audit log and signs out', async ({ browser }) => {
  const desk = await operatorIn(browser, name('all'), EVERY_ROLE)
  await desk.goto('/desk/audit')
  await desk.getByRole('button', { name: 'Verify the chain' }).click()
  await expect(desk.getByText(/records verified/)).toBeVisible()
  await desk.getByRole('button', { name: 'Sign out' }).click()
  await expect(desk.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await desk.goto('/desk/users')
  await expect(desk.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await desk.context().close()
})
