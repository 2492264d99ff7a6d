import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type QuotingExchanges, startExchanges } from '#tests/support/exchanges/quoting.ts'
import { operatorIn } from '../support/desk.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

/** A separate server on live prices from two exchanges. A price needs both. */
let folder: string
let exchanges: QuotingExchanges
let server: Server

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  exchanges = await startExchanges({ 'BTC/USDT': 61_837.63 })
  server = await startServer({
    dataDir: join(folder, 'data'),
    settings: { FEED: 'live:kraken,coinbase', VENUE_ADDRESSES: exchanges.VENUE_ADDRESSES },
  })
})
test.afterAll(async () => {
  await server.stop()
  await exchanges.stop()
  rmSync(folder, { recursive: true, force: true })
})

const name = () => `${randomUUID().slice(0, 13)}@desk.example`

async function expectGoodEverywhere(desk: Page, shot: string): Promise<void> {
  await expectAccessible(desk)
  for (const width of [390, 1000, 1440]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    if (!process.env.SHOTS) continue
    for (const theme of ['dark', 'light']) {
      await desk.evaluate((to) => {
        document.documentElement.dataset.theme = to
      }, theme)
      await desk.screenshot({ path: `${process.env.SHOTS}/${shot}-${width}-${theme}.png`, animations: 'disabled' })
    }
  }
}

test('taking out an exchange that symbols need is decided in its queue, and can be withdrawn before', async ({
  browser,
}) => {
  const at = { origin: server.origin, dataDir: join(folder, 'data') }
  const proposer = await operatorIn(browser, name(), 'risk', at)
  const decider = await operatorIn(browser, name(), 'risk', at)
  const kraken = (desk: Page) =>
    desk.getByRole('listitem').filter({ has: desk.getByRole('heading', { name: 'Kraken' }) })
  const propose = async () => {
    await kraken(proposer).getByRole('button', { name: 'Take out' }).click()
    const form = proposer.getByRole('dialog', { name: 'Take Kraken out of all prices' })
    await expect(
      form.getByText('1 symbol would have no price, so another risk operator must approve it.'),
    ).toBeVisible()
    await form.getByLabel('Reason').fill('It reports old prices.')
    await form.getByRole('button', { name: 'Propose to take out' }).click()
    await expect(form).toBeHidden()
    await expect(kraken(proposer).getByText('Taking out proposed')).toBeVisible()
  }

  await test.step('the proposer withdraws it', async () => {
    await proposer.goto('/desk/feeds')
    await expect(kraken(proposer).getByText('1 symbol would have no price without it.')).toBeVisible()
    await propose()
    await expectGoodEverywhere(proposer, 'exchange-proposed')
    await kraken(proposer).getByRole('button', { name: 'Withdraw the proposal' }).click()
    const form = proposer.getByRole('dialog', { name: 'Withdraw the proposal about Kraken' })
    await form.getByLabel('Reason').fill('It has recovered.')
    await form.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await expect(proposer.getByText('Withdrawn. Kraken stays in use.')).toBeVisible()
    await expect(kraken(proposer).getByText('Taking out proposed')).toBeHidden()
  })

  await test.step('another operator follows the link to the queue and approves it by keyboard', async () => {
    await propose()
    await decider.goto('/desk/feeds')
    await expect(kraken(decider).getByRole('button')).toHaveCount(0)
    await kraken(decider).getByRole('link', { name: 'Open the proposal' }).click()
    await expect(decider.getByRole('heading', { name: 'Exchange switches' })).toBeVisible()
    await expect(decider.getByText('All exchange switches')).toBeAttached()
    await expect(decider.getByText(/^1 symbol has no price without it\./)).toBeVisible()
    await expectGoodEverywhere(decider, 'exchange-switches')
    await decider.keyboard.press('a')
    await decider.keyboard.press('Enter')
    await expect(decider.getByText(/^Approved\. kraken is out once/)).toBeVisible()
    await expect(kraken(proposer).getByText('Taken out')).toBeVisible()
  })

  await test.step('one operator puts it back, and the queue shows the whole history', async () => {
    await kraken(proposer).getByRole('button', { name: 'Put back' }).click()
    const form = proposer.getByRole('dialog', { name: 'Put Kraken back' })
    await form.getByLabel('Reason').fill('It is right again.')
    await form.getByRole('button', { name: 'Put back' }).click()
    await expect(proposer.getByText('Kraken is in use again.')).toBeVisible()
    await decider.goto('/desk/venue-switches')
    const queue = decider.getByRole('region', { name: 'Exchange switches' })
    await decider.getByRole('radio', { name: 'All', exact: true }).check()
    await expect(queue.getByRole('button', { name: /^(Take kraken out|Put kraken back)/ })).toHaveText([
      /Put kraken back.*Done/,
      /Take kraken out.*Approved/,
      /Take kraken out.*Withdrawn/,
    ])
    await expectGoodEverywhere(decider, 'exchange-switches-all')
  })
  await Promise.all([proposer.context().close(), decider.context().close()])
})
