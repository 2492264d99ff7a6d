import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type IdentityTopics, startSessions } from '#server/identity/index.ts'
import { openBus } from '#server/platform/bus/index.ts'
import { onBeat } from '#server/platform/process/beat.ts'
import { watchEventLoop } from '#server/platform/process/event-loop.ts'
import { createLog } from '#server/platform/process/log.ts'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { listen } from '#tests/support/listen.ts'
import { startIdentity } from '#tests/support/people/identity.ts'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { scriptedFeed } from '#tests/support/prices/scripted-feed.ts'
import { startWholeApp } from '#tests/support/servers/app.ts'
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
