import { createHmac } from 'node:crypto'
import { SECOND_MS } from '#kernel/time.ts'
import { confirmEmail } from '../../support/cashier.ts'
import { signedIn } from '../../support/people.ts'
import { serverTime } from '../../support/servers/server-time.ts'
import { tapeTest } from '../../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page } from '../../support/test.ts'
import { expectFollowed, follow } from '../../support/trading.ts'

async function expectGoodEverywhere(page: Page, name: string): Promise<void> {
  const size = page.viewportSize()
  for (const width of [320, 390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}.png`, fullPage: true })
  }
  await expectAccessible(page)
  if (size) await page.setViewportSize(size)
}

tapeTest(
  'a trader sends a signal from outside, sees what it became, and publishes the strategy',
  async ({ page, tape, trouble }) => {
    const { email } = await signedIn(page)
    await page.goto('/user/strategies')
    await page.getByRole('link', { name: 'Use signals from outside' }).press('Enter')
    const form = page.getByRole('form', { name: 'Signals from outside' })
    await form.getByRole('button', { name: 'Save strategy' }).press('Enter')
    await expect(form.getByText('Enter a name, not only digits and signs.')).toBeVisible()
    await expect(form.getByLabel('Name')).toBeFocused()
    await page.keyboard.type('My sender')
    await form.getByLabel('Duration').selectOption({ label: '1 min' })
    await expectGoodEverywhere(page, 'outside-form')
    await form.getByRole('button', { name: 'Save strategy' }).press('Enter')

    await expect(page.getByText('My sender')).toBeVisible()
    await expect(page.getByText('Signals off')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'No signals yet' })).toBeVisible()
    await expectGoodEverywhere(page, 'outside-empty')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Switch signals on: My sender' }).press('Enter')
    await expect(dialog.getByText('recorded before its outcome')).toBeVisible()
    trouble.expect(/answered 422: PUT .*\/signals/)
    await dialog.getByRole('button', { name: 'Switch on' }).press('Enter')
    await expect(dialog.getByText('Confirm your e-mail address first, then switch signals on.')).toBeVisible()
    await expectAccessible(page)
    await confirmEmail(page, email, tape.dataDir)
    await dialog.getByRole('button', { name: 'Switch on' }).press('Enter')
    await expect(page.getByText('Signals on', { exact: true })).toBeVisible()

    await page.getByRole('button', { name: 'Address: My sender' }).press('Enter')
    await dialog.getByRole('button', { name: 'Make an address' }).press('Enter')
    await dialog.getByText('Sign your messages').click()
    await expectGoodEverywhere(page, 'outside-address')
    const shown = (pattern: RegExp) => dialog.locator('code').filter({ hasText: pattern }).textContent()
    const url = (await shown(/\/api\/webhooks\/[\w-]{43}$/)) ?? ''
    const signedUrl = (await shown(/\/signed$/)) ?? ''
    const key = (await shown(/^[\w-]{43}$/)) ?? ''
    await dialog.getByRole('button', { name: 'Done' }).press('Enter')
    // Its author's demo account follows it.
    const here = page.url()
    await follow(page, 'My sender (mine)')

    const send = async (at: string, body: string, headers = {}) => {
      const answer = await fetch(at, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json', ...headers },
      })
      return [answer.status, ((await answer.json()) as { message: string }).message]
    }
    await tape.advance(2 * SECOND_MS)
    const message = JSON.stringify({
      ...{ symbol: 'BTCUSDT', side: 'buy', time: new Date(await serverTime()).toISOString() },
    })
    expect(await send(url, message)).toEqual([200, 'Received.'])
    // At most 5 seconds of tape time may pass until then, so nothing else is sent before.
    const followed = page.getByRole('region', { name: 'Signals and results' })
    await expect(followed.getByText('In Progress')).toBeVisible()
    expect(await send(url, message)).toEqual([409, expect.stringContaining('came before')])
    expect(await send(url, '{')).toEqual([400, expect.stringContaining('not JSON')])
    const nonce = 'nonce-0001'
    const signature = createHmac('sha256', key).update(`${nonce}.${message} `).digest('hex')
    const signed = { 'X-Nonce': nonce, 'X-Signature': signature }
    expect((await send(signedUrl, `${message} `, { ...signed, 'X-Signature': 'f'.repeat(64) }))[0]).toBe(404)
    expect(await send(signedUrl, `${message} `, signed)).toEqual([200, 'Received.'])

    await expectFollowed(page)
    await page.goto(here)
    const signals = page.getByRole('region', { name: 'Signals and messages' })
    await expect(signals.getByText('In Progress')).toHaveCount(1)
    await expect(signals.getByText('BTCUSDT')).toHaveCount(1)
    await expectGoodEverywhere(page, 'outside-signals')
    await signals.getByText('BTCUSDT').click()
    await expect(dialog.getByText(/^own-\d+,1,BTCUSDT,Buy,60,\d+$/)).toBeVisible()
    await expect(dialog.getByText(/^[0-9a-f]{64}$/)).toHaveCount(2)
    await expectGoodEverywhere(page, 'outside-proof')
    await page.keyboard.press('Escape')
    await signals.getByRole('radio', { name: 'Messages' }).press('Space')
    await expect(signals.getByText(/^Signal \d+$/)).toHaveCount(1)
    await expect(signals.getByText('Repeated: the same message, or its nonce, came before.')).toBeVisible()
    await expect(signals.getByText('The message is not JSON.')).toBeVisible()
    await expect(signals.getByText('The strategy had an open signal for this symbol.')).toBeVisible()
    await expectGoodEverywhere(page, 'outside-messages')

    await page.getByRole('button', { name: 'Publish: My sender' }).press('Enter')
    const name = `Night owl ${Date.now()}`
    trouble.expect(/answered 409: POST .*\/publish/)
    await dialog.getByLabel('Public name').fill('Trend')
    await dialog.getByRole('button', { name: 'Publish' }).press('Enter')
    await expect(dialog.getByText('A strategy was published under this name before. Choose another one.')).toBeVisible()
    await expectGoodEverywhere(page, 'outside-publish')
    await dialog.getByLabel('Public name').fill(name)
    await page.keyboard.press('Enter')
    await expect(page.getByText(`Published as ${name} since`)).toBeVisible()
    await page.getByRole('link', { name: 'All strategies' }).press('Enter')
    await expectGoodEverywhere(page, 'strategies-signals')
    await page.getByRole('button', { name: 'Withdraw: My sender' }).press('Enter')
    await dialog.getByRole('button', { name: 'Withdraw', exact: true }).press('Enter')
    await expect(page.getByText(`Published as ${name} from`)).toBeVisible()
  },
)
