import { beforeAll, expect, test } from 'vitest'
import { accountOf, balancesOf } from '#server/ledger/index.ts'
import { type Line, linesOf } from '#server/statements/lines.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile()
const { db } = database

beforeAll(async () => {
  await market.frame({ BTCUSDT: '60000.00' })
  await market.passMinutes(32)
})

/** Opens a trade with a stake of $100 at 60,000, and sells it a minute later at this price. */
async function sold(user: bigint, price: string) {
  const { trade_id } = await market.submit(user, { mode: 'real', duration: 300, amount: 100 })
  await market.frame({ BTCUSDT: '60000.00' })
  await market.pass(60_000)
  await market.sell(user, trade_id, 0.01)
  await market.frame({ BTCUSDT: price })
  const { payout } = await market.decided(trade_id)
  return { id: trade_id, payout: payout! }
}

async function statementOf(user: bigint): Promise<Line[]> {
  const deps = { db, instruments: market.prices.instruments, adjustmentReasons: async () => new Map<bigint, string>() }
  const lines: Line[] = []
  for await (const line of linesOf(deps, user, { accountId: accountOf(user, 'real'), from: 1n, to: 1_000n }))
    lines.push(line)
  return lines
}

test('a sold trade has a line with what it was sold for, and the balances add up to the displayed one', async () => {
  const user = await market.trader(100_000n)
  const loss = await sold(user, '59990.00')
  const gain = await sold(user, '60300.00')
  expect(loss.payout).toBeGreaterThan(0n)
  expect(loss.payout).toBeLessThan(10_000n)
  expect(gain.payout).toBeGreaterThan(10_000n)
  const [deposit, ...lines] = await statementOf(user)
  expect(deposit).toMatchObject({ amount: 100_000n, balance: 100_000n })
  expect(lines.map(({ type, description, reference, amount }) => [type, description, reference, amount])).toEqual([
    ['trade', 'Stake on BTCUSDT Buy', loss.id, -10_000n],
    ['trade', 'Sold early: BTCUSDT Buy', loss.id, loss.payout],
    ['trade', 'Stake on BTCUSDT Buy', gain.id, -10_000n],
    ['trade', 'Sold early: BTCUSDT Buy', gain.id, gain.payout],
  ])
  let balance = 100_000n
  for (const line of lines) {
    balance += line.amount
    expect(line.balance, line.description).toBe(balance)
  }
  expect(balance).toBe((await balancesOf(db, user)).balance)
  expect(await market.broken()).toEqual([])
})
