import { test } from 'vitest'
import { feedId } from '#tests/support/exchanges/pyth.ts'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { createLog } from '../platform/process/log.ts'
import { StartProblem } from '../platform/process/start-problem.ts'
import { openVenue } from './index.ts'

const AT = 1_786_562_940_000

test.concurrent('lists coins before shares, and reports price and confidence as bid and ask', async (context) => {
  const { expect } = context
  const { exchange, venue, received, watch } = await startVenue(context, 'pyth', ['BTC/USD', 'EUR/USD'])
  expect((await venue.markets()).map(({ name }) => name)).toEqual(['BTC/USD', 'EUR/USD'])
  await watch('BTC/USD', 'EUR/USD')
  // The fake takes the second price as the confidence, in the same units.
  exchange.push('BTC/USD', { bid: '63297.7', ask: '1000000000' }, AT)
  exchange.push('EUR/USD', '1.10567', AT + 1_000)
  exchange.push('EUR/USD', { bid: '-0.5', ask: '12' })
  await expect.poll(() => received.quotes.length).toBe(3)
  expect(received.prices('BTC/USD')).toEqual(['63287.70000000/63307.70000000'])
  expect(received.prices('EUR/USD')).toEqual(['1.10567000', '-0.50000012/-0.49999988'])
  expect(received.quotes.slice(0, 2).map(({ venueMs }) => venueMs)).toEqual([AT, AT + 1_000])
  expect(received.aliveMs).toBeGreaterThan(AT)
  expect(await venue.minutes('BTC/USD', AT, 10)).toEqual([])
})

test.concurrent('garbage is counted and stops no market', async (context) => {
  const { expect } = context
  const { exchange, received, watch } = await startVenue(context, 'pyth', ['BTC/USD', 'EUR/USD'])
  await watch('BTC/USD', 'EUR/USD')
  const price = (fields: object) => ({
    id: feedId('Crypto.BTC/USD'),
    price: { price: '1', conf: '1', expo: -8, publish_time: 1, ...fields },
  })
  const bad = [{ price: '1e400' }, { price: 5 }, { conf: 'x' }, { expo: -300 }, { expo: 1e9 }, { publish_time: 'now' }]
  for (const text of ['hello', '{"parsed":', '{}', '{"parsed":[null]}']) exchange.send(text)
  exchange.send(JSON.stringify({ parsed: bad.map(price) }))
  exchange.push('EUR/USD', '1.10567')
  await expect.poll(() => received.prices('EUR/USD')).toEqual(['1.10567000'])
  expect(received.unreadable).toBe(4 + bad.length)
  expect(received.events).toEqual(['connected'])
})

test.concurrent('reconnects after a drop, and after silence', async (context) => {
  const { expect } = context
  const { exchange, received, watch, subscribed } = await startVenue(context, 'pyth', ['BTC/USD'], {
    timing: { firstMs: 50, silenceMs: 1_000 },
  })
  await watch('BTC/USD')
  for (let passed = 0; passed < 1_200; passed += 100) {
    exchange.push('BTC/USD', '100')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(exchange.connections).toBe(1)
  exchange.cut()
  await expect.poll(() => exchange.connections).toBe(2)
  await subscribed(1)
  exchange.disconnect()
  await expect.poll(() => exchange.connections).toBe(3)
  exchange.silence()
  await expect.poll(() => exchange.connections).toBeGreaterThan(3)
  expect(received.events).toContain('closed by Pyth')
  expect(received.events).toContain('no message for 1000 ms')
})

test.concurrent('keeps trying while Pyth refuses', async (context) => {
  const { expect } = context
  const { exchange, venue, received, subscribed } = await startVenue(context, 'pyth', ['BTC/USD'], {
    timing: { firstMs: 20 },
  })
  exchange.refuse(true)
  venue.watch(['BTC/USD', 'PCP/USD'], received.listener)
  await expect.poll(() => received.events.slice(0, 2)).toEqual(['Pyth answered 503', 'Pyth answered 503'])
  exchange.refuse(false)
  await subscribed(1)
  // The exchange has answered before the venue has read it.
  await expect.poll(() => received.events.at(-1)).toBe('connected')
  await venue.stop()
  await expect.poll(() => exchange.sessions).toHaveLength(0)
  expect(received.events.at(-1)).toBe('stopped')
})

test('without a key the start stops', ({ expect }) => {
  const options = { clock: { now: () => 0, agrees: () => true }, log: createLog('silent') }
  expect(() => openVenue('pyth', options)).toThrow(StartProblem)
  expect(openVenue('pyth', { ...options, key: 'secret' }).name).toBe('Pyth')
})
