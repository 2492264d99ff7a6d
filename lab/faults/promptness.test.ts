import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type IdentityTopics, startSessions } from '#server/identity/index.ts'
import { openBus } from '#server/platform/bus/index.ts'
import { onBeat } from '#server/platform/process/beat.ts'
import { watchEventLoop } from '#server/platform/process/event-loop.ts'
import { createLog } from '#server/platform/process/log.ts'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { listen } from '#tests/support/listen.ts'
import { talk } from '#tests/support/people/chat.ts'
import { operator } from '#tests/support/people/desk.ts'
import { startIdentity } from '#tests/support/people/identity.ts'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { data } from '#tests/support/replies.ts'
import { ORDER, startWholeApp } from '#tests/support/servers/app.ts'
import { testDatabase } from '#tests/support/servers/database.ts'

/** Promises about time. What the machine held up while it was measured doesn't count. */

/** Returns how long `work` took in ms, less the time for which this process got no processor. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const waitMs = 5
  let stolenMs = 0
  let isDone = false
  const watching = (async () => {
    for (let last = performance.now(); !isDone; last = performance.now()) {
      await sleep(waitMs)
      stolenMs += Math.max(0, performance.now() - last - 2 * waitMs)
    }
  })()
  const began = performance.now()
  await work().finally(() => {
    isDone = true
  })
  const tookMs = performance.now() - began
  await watching
  return tookMs - stolenMs
}

const app = await startWholeApp()
afterAll(() => app.stop())

test('a session that ends closes its socket within a second', async () => {
  const trader = await app.trader()
  const socket = await listen(app)
  await socket.signIn(trader.token)
  const tookMs = await timed(async () => {
    await app.send('POST', '/api/auth/logout', { token: trader.token })
    await socket.closed()
  })
  expect(tookMs).toBeLessThan(1_000)
})

test('a lock of the sign-in closes the sockets of its trader within a second', async () => {
  const risk = await operator(app, ['risk'])
  const trader = await app.trader()
  const socket = await listen(app)
  await socket.signIn(trader.token)
  const tookMs = await timed(async () => {
    data(await risk.ask('POST', `/users/${trader.id}/locks`, { body: { reason: 'A look.', sign_in: true } }))
    await socket.closed()
  })
  expect(tookMs).toBeLessThan(1_000)
})

test('an emergency lever that is pulled and released at one node acts at another within a second', async () => {
  const [ann, bob] = [await operator(app, ['risk']), await operator(app, ['finance'])]
  const web = await app.otherNode({ ROLES: 'web' })
  onTestFinished(() => web.stop())
  const isStopped = async () => {
    const response = await fetch(`${web.origin}/api/prices/instruments?symbols=${ORDER.symbol}`)
    const { data: shown } = (await response.json()) as { data: [{ reason?: string }] }
    return shown[0].reason?.startsWith(`Trading ${ORDER.symbol} is stopped`) ?? false
  }
  const shows = async (expected: boolean) => {
    while ((await isStopped()) !== expected) await sleep(10)
  }
  await shows(false)
  const body = { kind: 'symbol', symbol: ORDER.symbol, reason: 'Its price looks wrong.' }
  let pulled = ''
  const pulledMs = await timed(async () => {
    const [lever] = data<[{ id: string }]>(await ann.ask('POST', '/levers', { body }))
    pulled = lever.id
    await shows(true)
  })
  const release = { body: { lever_id: pulled, reason: 'It is right again.' } }
  const { id } = data<{ id: string }>(await ann.ask('POST', '/lever-releases', release))
  const releasedMs = await timed(async () => {
    data(await bob.ask('POST', `/lever-releases/${id}/approve`))
    await shows(false)
  })
  expect([pulledMs, releasedMs].map((ms) => ms < 1_000)).toEqual([true, true])
})

test('the desk learns within a second that a visitor is typing', async () => {
  const desk = await operator(app, ['support'])
  const visitor = await talk(app)
  onTestFinished(() => visitor.leave())
  await visitor.say({ text: 'Hi' })
  const [{ id }] = data<[{ id: string }]>(await desk.ask('GET', '/chats'))
  const tookMs = await timed(async () => {
    visitor.tell({ typing: true })
    while (!data<{ typing: boolean }>(await desk.ask('GET', `/chats/${id}`)).typing) await sleep(10)
  })
  expect(tookMs).toBeLessThan(1_000)
})

test('another node drops an ended session within a second', async () => {
  const { app: identity } = await startIdentity()
  const log = createLog('silent')
  const node = startSessions({ db: identity.db, log, bus: await openBus<IdentityTopics>(log), ended: () => undefined })
  try {
    const { token } = await identity.signIn(await identity.newUser())
    expect(await node.authenticate(token)).toBeDefined()
    const tookMs = await timed(async () => {
      await identity.call('POST /auth/logout', undefined, { token })
      while (await node.authenticate(token)) await sleep(10)
    })
    expect(tookMs).toBeLessThan(1_000)
  } finally {
    await node.stop()
    await identity.stop()
  }
})

test('a web node without connections stops within four seconds', async () => {
  const web = await app.otherNode({ ROLES: 'web' })
  expect(await timed(() => web.stop())).toBeLessThan(4_000)
})

test('much work in small pieces after an idle time is no delay', async () => {
  const eventLoop = watchEventLoop({ windowMs: 3_000 })
  onTestFinished(() => eventLoop.stop())
  await sleep(3_100)
  const stopBeats = await new Promise<() => void>((resolve) => {
    const stop = onBeat(() => resolve(stop))
  })
  stopBeats()
  // All work before the next beat might have been one delay; after it, delays are measured.
  await sleep(500)
  for (const until = performance.now() + 2_000; performance.now() < until; ) {
    for (const small = performance.now() + 5; performance.now() < small; );
    await breathe()
  }
  expect(eventLoop.lagMs()).toBeLessThan(800)
})

test('two days of simulated history are made within eight seconds', async () => {
  const prices = await startTestPrices(await testDatabase(), { feed: scriptedFeed('simulation') })
  await prices.tick({ BTCUSDT: '61837.63', ETHBTC: '0.0434' })
  expect(await timed(() => prices.runHousekeeping())).toBeLessThan(8_000)
  await prices.stop()
})

test('a lost exchange is connected again within 2 s at the median', async (context) => {
  const { exchange, watch, subscribed } = await startVenue(context, 'binance', ['BTC/USDT', 'ETH/USDT'])
  await watch('BTC/USDT', 'ETH/USDT')
  const tookMs: number[] = []
  for (let drop = 1; drop <= 3; drop++) {
    tookMs.push(
      await timed(async () => {
        if (drop % 2) exchange.cut()
        else exchange.disconnect()
        await expect.poll(() => exchange.connections, { interval: 10 }).toBe(1 + drop)
      }),
    )
    await subscribed(2)
  }
  expect(tookMs.toSorted((a, b) => a - b)[1]).toBeLessThan(2_000)
})
