import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operatorIn } from '../support/desk.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

/** A separate server, because an added instrument is permanent. */
let folder: string
let server: Server

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  server = await startServer({ dataDir: join(folder, 'data') })
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const name = () => `${randomUUID().slice(0, 13)}@desk.example`

async function expectGoodEverywhere(desk: Page, shot: string): Promise<void> {
  await expectAccessible(desk)
  for (const width of [390, 1000, 1440]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    if (process.env.SHOTS) await shoot(desk, `${process.env.SHOTS}/${shot}-${width}`)
  }
}

async function shoot(desk: Page, path: string): Promise<void> {
  for (const theme of ['dark', 'light']) {
    await desk.evaluate((to) => {
      document.documentElement.dataset.theme = to
    }, theme)
    await desk.screenshot({ path: `${path}-${theme}.png`, animations: 'disabled' })
  }
}

test('one admin proposes an instrument after a dry run and another approves it by keyboard; closing it takes two as well', async ({
  browser,
}) => {
  const at = { origin: server.origin, dataDir: join(folder, 'data') }
  const proposer = await operatorIn(browser, name(), 'admin', at)
  const decider = await operatorIn(browser, name(), 'admin', at)
  await proposer.goto('/desk/instruments')
  await expect(proposer.getByRole('table').getByText('BTCUSDT')).toBeVisible()
  await expectGoodEverywhere(proposer, 'instruments')
  await proposer.getByRole('button', { name: 'Add an instrument' }).click()
  const form = proposer.getByRole('dialog', { name: 'Add an instrument' })
  const preview = form.getByRole('region', { name: 'Price now' })
  await form.getByLabel('Base').fill('ltc')
  await form.getByLabel('Quote').fill('xyz')
  await expect(preview.getByText("The simulation doesn't know XYZ.")).toBeVisible()
  await form.getByLabel('Quote').fill('bch')
  await expect(preview.getByText(/^0\.\d{4}$/)).toBeVisible()
  await form.getByLabel('Reason').fill('Traders asked for it.')
  await expectGoodEverywhere(proposer, 'instrument-add')
  await form.getByRole('button', { name: 'Propose the instrument' }).click()
  await expect(form).toBeHidden()

  await decider.goto('/desk/instrument-changes')
  const row = decider.getByRole('region', { name: 'Instrument changes' }).getByRole('button', { name: 'Add LTCBCH' })
  await row.focus()
  await decider.keyboard.press('Enter')
  await expect(decider.getByText('Traders asked for it.')).toBeVisible()
  await expect(decider.getByText(/^0\.\d{4}$/)).toBeVisible()
  await expectGoodEverywhere(decider, 'instrument-changes')
  await decider.keyboard.press('a')
  await decider.keyboard.press('Enter')
  await expect(decider.getByText('LTCBCH is added.')).toBeVisible()

  await proposer.getByLabel('Symbol').fill('ltcbch')
  const added = proposer.getByRole('row', { name: /^LTCBCH/ })
  await expect(added.getByText('Open')).toBeVisible()
  await proposer.getByRole('button', { name: 'Details of LTCBCH' }).click()
  const details = proposer.getByRole('dialog', { name: 'LTCBCH' })
  await details.getByText('Close', { exact: true }).click()
  await details.getByLabel('What traders see').fill('Its market moved to another exchange.')
  await details.getByLabel('Reason').fill('The exchange announced it.')
  await expectGoodEverywhere(proposer, 'instrument-close')
  await details.getByRole('button', { name: 'Propose to close' }).click()
  await expect(details).toBeHidden()
  await expect(added.getByText('Closing proposed')).toBeVisible()
  await proposer.getByRole('button', { name: 'Details of LTCBCH' }).click()
  await details.getByRole('link', { name: 'Open the proposal' }).click()
  await expect(proposer.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()
  await Promise.all([proposer.context().close(), decider.context().close()])
})

test('one admin proposes new terms after a dry run and another approves them; a mistyped instrument is withdrawn', async ({
  browser,
}) => {
  const at = { origin: server.origin, dataDir: join(folder, 'data') }
  const proposer = await operatorIn(browser, name(), 'admin', at)
  const decider = await operatorIn(browser, name(), 'admin', at)
  const details = (symbol: string) => proposer.getByRole('dialog', { name: symbol })
  const openDetails = async (symbol: string) => {
    await proposer.getByLabel('Symbol').fill(symbol)
    await proposer.getByRole('button', { name: `Details of ${symbol}` }).click()
  }
  const approveNamed = async (item: string) => {
    await decider.goto('/desk/instrument-changes')
    await decider.getByRole('region', { name: 'Instrument changes' }).getByRole('button', { name: item }).click()
  }

  await test.step('the form says what is fixed, and shows the price under the new terms', async () => {
    await proposer.goto('/desk/instruments')
    await openDetails('ETHUSDT')
    const form = details('ETHUSDT')
    await expect(form.getByText('It has had a price, so it can be closed but not withdrawn.')).toBeVisible()
    await expect(form.getByText('Withdraw', { exact: true })).toBeHidden()
    await expect(form.getByRole('region', { name: 'Price now' }).getByText(/^[\d,]+\.\d\d$/)).toBeVisible()
    const propose = form.getByRole('button', { name: 'Propose these terms' })
    await form.getByLabel('Reason').fill('Its book is wide and thin.')
    await expect(propose, 'nothing has changed').toBeDisabled()
    await form.getByLabel('Largest spread, %').fill('0.4')
    await form.getByLabel('Stale after, seconds').fill('5')
    await form.getByLabel('Only these exchanges').fill('Kraken')
    await propose.click()
    await expect(
      form.getByText(/^Only these exchanges must name at least 2, because a price needs as many/),
    ).toBeVisible()
    await form.getByLabel('Only these exchanges').fill('Kraken, binance')
    await expectGoodEverywhere(proposer, 'instrument-terms')
    await propose.click()
    await expect(form).toBeHidden()
  })

  await test.step('the second admin sees the old and new values', async () => {
    await approveNamed('Change terms of ETHUSDT')
    await expect(decider.getByText('Its book is wide and thin.')).toBeVisible()
    await expect(decider.getByText('0.2% 0.4%')).toBeVisible()
    await expect(decider.getByText('All that list it kraken, binance')).toBeVisible()
    await expectGoodEverywhere(decider, 'instrument-terms-queue')
    await decider.setViewportSize({ width: 1440, height: 900 })
    await decider.keyboard.press('a')
    await decider.keyboard.press('Enter')
    await expect(decider.getByText('ETHUSDT has new terms.')).toBeVisible()
    await openDetails('ETHUSDT')
    await expect(details('ETHUSDT').getByText('kraken, binance')).toBeVisible()
    await proposer.keyboard.press('Escape')
  })

  await test.step('an instrument without a price is withdrawn', async () => {
    await proposer.getByRole('button', { name: 'Add an instrument' }).click()
    const form = proposer.getByRole('dialog', { name: 'Add an instrument' })
    await form.getByLabel('Base').fill('ctb')
    await form.getByLabel('Quote').fill('usdt')
    await form.getByLabel('Reason').fill('Traders asked for it.')
    await form.getByRole('button', { name: 'Propose the instrument' }).click()
    await expect(form).toBeHidden()
    await approveNamed('Add CTBUSDT')
    await decider.keyboard.press('a')
    await decider.keyboard.press('Enter')
    await expect(decider.getByText('CTBUSDT is added.')).toBeVisible()

    await openDetails('CTBUSDT')
    await details('CTBUSDT').getByText('Withdraw', { exact: true }).click()
    await details('CTBUSDT').getByLabel('Reason').fill('It was meant to be BTC.')
    await expectGoodEverywhere(proposer, 'instrument-withdraw')
    await details('CTBUSDT').getByRole('button', { name: 'Propose to withdraw' }).click()
    await expect(details('CTBUSDT')).toBeHidden()
    await approveNamed('Withdraw CTBUSDT')
    await decider.keyboard.press('a')
    await decider.keyboard.press('Enter')
    await expect(decider.getByText('CTBUSDT is withdrawn.')).toBeVisible()
    await expect(proposer.getByText('No instruments found')).toBeVisible()
  })
  await Promise.all([proposer.context().close(), decider.context().close()])
})
