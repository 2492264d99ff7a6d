import { expect, test } from '../support/test.ts'

test('a price strip reconnects when its connection falls silent', async ({ page }) => {
  const connections: { silent: boolean; messages: number }[] = []
  await page.routeWebSocket('**/api/stream', (socket) => {
    const connection = { silent: false, messages: 0 }
    connections.push(connection)
    const server = socket.connectToServer()
    server.onMessage((message) => {
      if (connection.silent) return
      connection.messages++
      socket.send(message)
    })
  })
  await page.clock.install()
  await page.goto('/')
  await expect(page.locator('[data-quote] > :nth-child(2)').first()).toHaveText(/\d/)
  const messages = () => connections[0]?.messages ?? 0
  // It stays connected while frames arrive.
  for (let n = 0; n < 4; n++) {
    const before = messages()
    await expect.poll(messages).toBeGreaterThan(before + 1)
    await page.clock.runFor(10_000)
  }
  expect(connections).toHaveLength(1)
  connections[0]!.silent = true
  await page.clock.runFor(16_000)
  await page.clock.runFor(16_000)
  await expect.poll(() => connections.length).toBe(2)
})

test('the order on the home page has live candles, names its end and follows the side', async ({ page }) => {
  await page.goto('/')
  const card = page.getByRole('region', { name: /An order in the demo/ })
  await expect(card.locator('rect')).not.toHaveCount(0)
  const sentence = card.getByText('You win')
  await expect(sentence).toHaveText(
    /^You win \$75\.00 if BTCUSDT is higher at \d\d:\d\d:\d\d\. You lose \$100\.00 otherwise\.$/,
  )
  await card.getByRole('link', { name: /Sell/ }).focus()
  await expect(sentence).toHaveText(/^You win \$61\.00 if BTCUSDT is lower at /)
  await card.getByRole('link', { name: /Buy/ }).hover()
  await expect(sentence).toHaveText(/^You win \$75\.00 if BTCUSDT is higher at /)
  await card.getByRole('link', { name: /Buy/ }).click()
  await expect(page).toHaveURL(/\/user\/home/)
  await expect(page.getByText('Demo', { exact: true }).first()).toBeVisible()
})
