import { expect, test } from 'vitest'
import { startVenue } from '#tests/support/exchanges/start.ts'
import { longestTurn } from '#tests/support/measures/longest-turn.ts'

test('the list of all of Binance is read without holding up the event loop', async (context) => {
  const bases = Array.from({ length: 825 }, (_, n) => `C${n}`)
  const markets = bases.flatMap((base) => ['BTC', 'USDT', 'EUR', 'TRY'].map((quote) => `${base}/${quote}`))
  const { venue } = await startVenue(context, 'binance', markets)
  await venue.markets()
  const longest = await longestTurn(async () => expect(await venue.markets()).toHaveLength(3_300))
  // The fake exchange writes its list in this thread too. Read here, the list took 260 to 440 ms.
  expect(longest).toBeLessThan(50)
})

test('a list that cannot be read is rejected with the reason, and read again afterwards', async (context) => {
  const { exchange, venue } = await startVenue(context, 'kraken', ['BTC/USD'])
  exchange.refuse(true)
  await expect(venue.markets()).rejects.toThrow('kraken')
  exchange.refuse(false)
  expect(await venue.markets()).toHaveLength(1)
})
