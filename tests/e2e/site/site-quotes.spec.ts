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
