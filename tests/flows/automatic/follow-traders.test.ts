import { expect, test } from 'vitest'
import { stopFollowers } from '#server/automatic/outdated.ts'
import { automaticChecks } from '#server/invariants/checks/automatic.ts'
import { signalChecks } from '#server/invariants/checks/signals.ts'
import { brokenRows } from '#server/invariants/index.ts'
import { publishStrategy, switchSignals, withdrawStrategy } from '#server/own-strategies/publish.ts'
import { changeStrategy, createStrategy } from '#server/own-strategies/save.ts'
import type { OwnStrategiesDeps } from '#server/own-strategies/versions.ts'
import { automaticOfFile } from '#tests/support/people/automatic.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { confirmAddress } from '#tests/support/trades/money.ts'

const { database, market, automatic } = await automaticOfFile()
const deps: OwnStrategiesDeps = {
  db: database.db,
  instruments: market.prices.instruments,
  stopFollowers: (tx, strategy, why) => stopFollowers(automatic.deps, tx, strategy, why),
}

const always = {
  join: 'all' as const,
  conditions: [{ left: { price: 'close' as const }, is: 'above' as const, right: { number: '0' } }],
}
const RULE = { buy: { join: 'all' as const, conditions: [] }, sell: always }
let named = 0
async function strategyOf(userId: bigint) {
  const body = { name: `Rule ${++named}`, rule: RULE, duration: 60, symbols: ['BTCUSDT'], zone: 'UTC' }
  const { id, key } = await createStrategy(deps, userId, body)
  return { id: BigInt(id), key: key as `own-${number}`, body }
}

/** Creates a trader with a confirmed address and real money. */
async function trader(): Promise<bigint> {
  const userId = await market.trader(100_000n)
  await confirmAddress(database.db, userId)
  return userId
}

async function expectSound() {
  for (const check of [...automaticChecks, ...signalChecks])
    expect(await brokenRows(database.db, check, 3), check.name).toEqual([])
}

test("a trader's own strategy is followed once its signals are on, and nobody else can follow it", async () => {
  const [ada, eve] = [await trader(), await trader()]
  const { id, key } = await strategyOf(ada)
  await expect(automatic.save(ada, { strategy: key })).rejects.toThrow(/not offered/)
  await switchSignals(deps, ada, id, true)
  await expect(automatic.save(eve, { strategy: key })).rejects.toThrow(/not offered/)
  await expect(automatic.save(ada, { strategy: key, duration: 300 })).rejects.toThrow(/must be 1 min/)
  await expect(automatic.save(ada, { strategy: key, symbols: ['ETHUSDT'] })).rejects.toThrow(/must be those of/)
  await automatic.save(ada, { strategy: key })
  await automatic.start(ada)
  await automatic.minute()
  const [order] = await automatic.orders(ada)
  expect(order).toMatchObject({ status: 'Traded' })
  const { side, signal } = await database.db
    .selectFrom('trades')
    .select(['side', 'signal'])
    .where('id', '=', order!.trade_id!)
    .executeTakeFirstOrThrow()
  expect(side).toBe('Sell')
  const { strategy, seal } = await database.db
    .selectFrom('signals')
    .select(['strategy', 'seal'])
    .where('n', '=', signal!)
    .executeTakeFirstOrThrow()
  expect({ strategy, seal }).toEqual({ strategy: key, seal: expect.any(Buffer) })
  expect((await automatic.now(ada)).measured[0]).toMatch(/you need/)
  await automatic.turnOff(ada)
  await expectSound()
})

test.each([
  'update signals set seal = null where seal is not null',
  'update own_strategy_versions set duration_seconds = 300',
  'update own_strategies set user_id = (select max(id) from users where id <> own_strategies.user_id)',
])('verify finds what nobody may do: %s', async (change) => {
  const client = await connectTo(database.superUrl)
  await client.query('begin')
  try {
    await client.query('set local session_replication_role = replica')
    expect((await client.query(change)).rowCount).toBeGreaterThan(0)
    const found: string[] = []
    for (const { name, sql: check } of signalChecks) if ((await client.query(check)).rows.length > 0) found.push(name)
    expect(found).toContain('S4')
  } finally {
    await client.query('rollback')
    await client.end()
  }
})

test('a published strategy is copied with own stakes, until its author changes or withdraws it', async () => {
  const [ada, eve] = [await trader(), await trader()]
  const { id, key, body } = await strategyOf(ada)
  await publishStrategy(deps, ada, id, 'Copied')
  await automatic.save(eve, { strategy: key, stake: 25 })
  await automatic.start(eve)
  await automatic.minute()
  expect(await automatic.orders(eve)).toMatchObject([{ status: 'Traded', stake: 2_500n }])

  await changeStrategy(deps, ada, id, { ...body, rule: { ...RULE, buy: always, sell: RULE.buy }, version: 2 })
  const stopped = await automatic.now(eve)
  expect(stopped).toMatchObject({ state: 'Stopped', stop_reason: expect.stringMatching(/changed the strategy/) })
  await automatic.settleAt(60_000)
  await automatic.minute()
  expect(await automatic.orders(eve), 'nothing more').toHaveLength(1)
  await automatic.start(eve)
  await automatic.minute()
  expect((await automatic.orders(eve)).at(-1)).toMatchObject({ status: 'Traded' })

  await withdrawStrategy(deps, ada, id)
  expect((await automatic.now(eve)).stop_reason).toMatch(/withdrawn/)
  await expect(automatic.start(eve)).rejects.toThrow(/no longer offered/)
  const notices = await database.db.selectFrom('notices').select('text').where('user_id', '=', eve).execute()
  expect(notices.map(({ text }) => text).filter((text) => /strategy that you follow/.test(text))).toHaveLength(2)
  await expectSound()
})
