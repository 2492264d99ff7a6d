import { expect, onTestFinished, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile()

test('a trade of a rule that this version does not know is left open, and the others settle', async () => {
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  await market.frame({ BTCUSDT: '60000.00', ETHUSDT: '2600.00' })
  const user = await market.trader()
  const newer = [await market.submit(user), await market.submit(user, { symbol: 'ETHUSDT' })]
  const known = await market.submit(user)
  const setRule = (version: string) =>
    client.query(`update trades set rule_version = $1 where id = any ($2::bigint[])`, [
      version,
      newer.map(({ trade_id }) => parsePublicId(trade_id)),
    ])
  await setRule('FT-9')
  // ETHUSDT gets no price: it would be void.
  await market.frame({ BTCUSDT: '60001.00' })
  await market.pass(70_000, { symbols: ['BTCUSDT'] })
  await expect.poll(async () => (await market.trade(known.trade_id)).status).not.toBe('Pending')
  for (const { trade_id } of newer) expect((await market.trade(trade_id)).status).toBe('Pending')
  await setRule('FT-1')
  await market.frame({ BTCUSDT: '60001.00' })
  await market.settled()
  for (const { trade_id } of newer) expect((await market.trade(trade_id)).status).not.toBe('Pending')
})
