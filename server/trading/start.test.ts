import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '#tests/support/database.ts'
import { openMarket, openMarketBus } from '#tests/support/market.ts'

test('a trade that another node opens while an engine starts is waited for', async () => {
  const bus = await openMarketBus()
  let opened = 0
  const opening = setInterval(() => {
    opened++
    const one = { id: `${1_000_000 + opened}`, userId: '1', symbolId: 3, tradeTime: Number.MAX_SAFE_INTEGER }
    bus.publish('trades-opened', [one])
  }, 1)
  onTestFinished(() => clearInterval(opening))
  // Nothing hears it before trading has read its limits.
  const heard = new Promise<number>((resolve) => {
    const { subscribe } = bus
    bus.subscribe = (topic, listener) => {
      if (topic === 'trades-opened') resolve(opened)
      return subscribe(topic, listener)
    }
  })
  const market = await openMarket(await testDatabase(), { bus })
  clearInterval(opening)
  onTestFinished(() => market.close())
  expect(opened).toBeGreaterThan(await heard)
  await expect.poll(() => market.trading.queues().entries).toBe(opened - (await heard))
})
