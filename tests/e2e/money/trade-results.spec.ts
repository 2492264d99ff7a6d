import { readFile } from 'node:fs/promises'
import { signedIn } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'
import { balanceShown, place, setOrder } from '../support/trading.ts'

tapeTest('the history shows totals, a curve and a file of the days that were chosen', async ({ page, tape }) => {
  await tape.toNextDayWithin(600_000)
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  for (const [amount, open] of [
    ['10', 'Open 1'],
    ['20', 'Open 2'],
  ] as const) {
    await setOrder(page, { duration: '1 minute', amount })
    await place(page, 'Buy')
    await expect(page.getByRole('tab', { name: open })).toBeVisible()
  }
  await tape.advance(62_000)
  await tape.advance(2_000)
  await expect(page.getByRole('tab', { name: 'Closed today 2' })).toBeVisible()
  const net = Number((await balanceShown(page)).replace(/[$,]/g, '')) - 10_000

  await page.goto('/user/trade-history')
  const totals = page.getByLabel('Totals')
  await expect(totals).toContainText('Trades2')
  await expect(totals).toContainText('Staked$30.00')
  const signed = `${net > 0 ? '+' : net < 0 ? '−' : ''}$${Math.abs(net).toFixed(2)}`
  await expect(totals).toContainText(`Net${signed}`)
  await expect(page.getByText('Net result over time')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 320, height: 800 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const file = await readFile(await (await downloading).path(), 'utf8')
  expect(file.charCodeAt(0)).toBe(0xfeff)
  const lines = file.trimEnd().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toContain(',demo,BCHBTC,Buy,75:3,75,60,20.00,')
  const cents = lines.slice(1).map((line) => Math.round(Number(line.split(',').at(-1)) * 100))
  expect(cents.reduce((sum, one) => sum + one, 0)).toBe(Math.round(net * 100))

  await page.getByLabel('Last day').fill('2020-01-31')
  await expect(page).toHaveURL(/to=2020-01-31/)
  await expect(page.getByText('No matching trades')).toBeVisible()
  await page.getByLabel('First day').fill('2020-02-01')
  await expect(page.getByText('must not be before the first day')).toBeVisible()
  await page.getByRole('button', { name: 'Show all trades' }).click()
  await expect(page.getByText('2 trades, all shown')).toBeVisible()
})

tapeTest(
  'a trade in the history is repeated on the trading screen: the order is filled, and nothing is placed',
  async ({ page, tape }) => {
    await tape.toNextDayWithin(600_000)
    await signedIn(page)
    await page.goto('/user/home?symbol=ETHUSDT')
    await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
    await setOrder(page, { duration: '3 minutes', amount: '20' })
    await place(page, 'Buy')
    await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
    await tape.advance(182_000)
    await tape.advance(2_000)
    await expect(page.getByRole('tab', { name: 'Closed today 1' })).toBeVisible()
    const balance = await balanceShown(page)
    await setOrder(page, { duration: '1 minute', amount: '50' })

    await page.goto('/user/trade-history')
    await page.getByRole('button', { name: /^Details of/ }).click()
    await page
      .getByRole('dialog', { name: 'Buy ETHUSDT' })
      .getByRole('link', { name: 'Repeat: Buy, $20.00, 3 min' })
      .click()
    await expect(page).toHaveURL('/user/home?symbol=ETHUSDT')
    await expect(page.getByRole('radio', { name: '3 minutes' })).toBeChecked()
    await expect(page.getByLabel('Amount')).toHaveValue('20')
    await expect(page.getByText(/^The order is Buy ETHUSDT for \$20.00, 3 min. Nothing is placed.$/)).toBeAttached()
    expect(await balanceShown(page)).toBe(balance)

    await page.goto('/user/trade-history')
    await page.getByRole('button', { name: /^Details of/ }).click()
    await page.getByRole('dialog', { name: 'Buy ETHUSDT' }).getByRole('link', { name: 'Show on the chart' }).click()
    await expect(page).toHaveURL('/user/home?symbol=ETHUSDT')
    await expect(page.getByRole('dialog', { name: 'Buy ETHUSDT' })).toBeHidden()
    await expect(page.getByRole('radio', { name: '3 minutes' }), 'the order stays as it was').toBeChecked()
  },
)

test('on a phone the filters are behind one line, which says how many are set', async ({ page }) => {
  await signedIn(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/user/trade-history')
  await expect(page.getByRole('heading', { name: 'No trades yet' })).toBeVisible()
  const direction = page.getByLabel('Direction')
  await expect(direction).toBeHidden()
  await page.getByText(/^Filters/).click()
  await direction.selectOption('Buy')
  await expect(page.getByText('1 set')).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await expect(direction, 'an address that filters shows by what').toHaveValue('Buy')
  await page.getByText(/^Filters/).click()
  await expect(direction).toBeHidden()
  // Where there is room, they are always in sight.
  await page.setViewportSize({ width: 1000, height: 800 })
  await expect(direction).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(direction).toBeHidden()
})
