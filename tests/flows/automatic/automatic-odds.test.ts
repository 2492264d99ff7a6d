import { expect, test } from 'vitest'
import { automaticOfFile } from '#tests/support/people/automatic.ts'
import { priceListOperators } from '#tests/support/trades/price-lists.ts'

const { database, market, automatic } = await automaticOfFile()
const operators = await priceListOperators(database)

test('skips a signal, and says so, once a new price list no longer offers the chosen odds', async () => {
  const chosen = await automatic.running({ strike_rate: '11/13' })
  const other = await automatic.running({ strike_rate: '75/3' })
  const best = await automatic.running({ strike_rate: 'best' })
  const needed = async () => /you need ([\d.]+)%/.exec((await automatic.now(best)).measured[0] ?? '')?.[1]
  expect(await needed(), 'the mean of 75% for Buy and 61% for Sell').toBe('59.5')
  const { version } = await operators.change({ lists: [{ name: 'Standard', pairs: ['75/3'] }], rules: [] })
  market.priceLists.look()
  await expect.poll(() => market.priceLists.newest()).toBe(version)
  expect(await needed(), 'of 75% and 3%').toBe('71.9')
  await automatic.minute()
  expect(await automatic.orders(chosen)).toMatchObject([
    { status: 'Skipped', reason: 'odds', slot: null, trade_id: null },
  ])
  expect(await automatic.orders(other)).toMatchObject([{ status: 'Traded', reason: null }])
  expect((await automatic.now(chosen)).state, 'the next signal is tried again').toBe('Running')
  await automatic.turnOff(best, chosen, other)
  expect(await market.broken()).toEqual([])
})
