import { expect, onTestFinished, test } from 'vitest'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { openConnection } from '../../platform/database/connection.ts'
import { createLog } from '../../platform/process/log.ts'
import { startBinding } from './bind-orders.ts'

const { database, market } = await marketOfFile()

test('an engine that does not lead knows no orders to bind, and forgets those it knew', async () => {
  await market.frame({ BTCUSDT: '60000.00' })
  await market.submit(await market.trader())
  let leads = true
  const connection = openConnection(database.appUrl, 'test', createLog('error'))
  const binding = startBinding({
    connection,
    instruments: market.prices.instruments,
    leads: () => leads,
    mayHaveOpen: () => false,
    log: createLog('error'),
  })
  onTestFinished(async () => {
    await binding.stop()
    await connection.close()
  })
  await binding.look()
  expect(binding.next()!.tradeIds).toHaveLength(1)
  leads = false
  await binding.look()
  expect(binding.next()).toBeUndefined()
})
