import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { listen } from '#tests/support/listen.ts'
import { sharedApp, type WholeApp } from '#tests/support/servers/app.ts'

/** A web node that shuts down while its clients are busy. Another node of the installation keeps running. */
let app: WholeApp
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

/** Sends the first part of a request. Returns a function that sends the rest and returns the whole response. */
async function slowRequest(origin: string, token: string) {
  const { port, hostname } = new URL(origin)
  const body = JSON.stringify({ current_password: 'x', old: 'y' })
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (bytes) => (text += String(bytes)))
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  await new Promise((resolve) => socket.once('connect', resolve))
  const head = [
    'POST /api/trading/submit HTTP/1.1',
    `host: ${hostname}:${port}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`, resolve))
  return (): Promise<string> => {
    socket.write(body.slice(5))
    return ended
  }
}

const statusOf = async (address: string) => {
  try {
    return (await fetch(address)).status
  } catch {
    return 'refused'
  }
}

test('readiness fails first, requests still get responses, sockets move, and pending requests finish', async () => {
  const web = await app.otherNode({ ROLES: 'web', DRAIN_SECONDS: '5', METRICS_PORT: '0' })
  const trader = await app.trader()
  const sockets = await Promise.all(Array.from({ length: 30 }, () => listen(web)))
  for (const socket of sockets) socket.say({ op: 'subscribe', symbols: ['BTCUSDT'] })
  const before = await sockets[0]!.signIn(trader.token)
  const finish = await slowRequest(web.origin, trader.token)
  // Once a later request has its response, the first part of this one has arrived.
  expect(await statusOf(`${web.origin}/api/ready`)).toBe(200)

  let isStopped = false
  const stopped = web.stop().then(() => {
    isStopped = true
  })
  await expect.poll(() => statusOf(`${web.origin}/api/ready`)).toBe(503)
  expect(sockets.some((socket) => socket.isOpen())).toBe(true)
  const health = await fetch(`${web.origin}/api/health`)
  expect(await health.text()).toContain('node: is stopping')
  expect((await fetch(`${web.monitor}/health`)).status).toBe(503)
  const prices = await fetch(`${web.origin}/api/prices/instruments?symbols=BTCUSDT`)
  expect(prices.status).toBe(200)
  expect(prices.headers.get('connection')).toBe('close')

  for (const socket of sockets) expect((await socket.closed(10_000)).code).toBe(1012)
  await expect.poll(() => statusOf(`${web.origin}/api/ready`)).toBe('refused')
  expect(isStopped).toBe(false)
  const response = await finish()
  expect(response).toMatch(/^HTTP\/1\.1 422 /)
  expect(response).toContain('validation_failed')
  await stopped

  // The other node numbers the trader's messages separately, so the client sees that it must reload its lists.
  const there = await listen(app)
  const after = await there.signIn(trader.token)
  expect(after.seq).not.toBe(before.seq)
})
