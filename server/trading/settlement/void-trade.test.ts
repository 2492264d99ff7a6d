import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { holders } from '#tests/support/trades/holders.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { balancesOf } from '../../ledger/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import { readTicks } from '../../prices/index.ts'
import { replayOutcomes } from '../replay.ts'
import { voidedReason } from '../trade.ts'
import { SETTLE_PROVEN_SQL } from './settle.sql.ts'
import { voidTrade } from './void-trade.ts'

const { database, market } = await marketOfFile()
const ONE = 1n
const TWO = 2n

beforeAll(async () => {
  for (const id of [ONE, TWO])
    await sql`
      insert into operators (id, email, password_hash, totp_secret, roles) overriding system value
      values (${id}, ${`risk-${id}@desk.example`}, 'x', '\\x00', '{risk}')`.execute(database.db)
  await market.frame({ BTCUSDT: '60000.00' })
})
afterAll(async () => {
  const broken = await market.broken()
  const replayed = await replay()
  expect(broken).toEqual([])
  expect(replayed.divergence, 'the tape and the voids say the same of every trade').toBeUndefined()
  expect(replayed.checked).toBeGreaterThan(40)
})

const replay = () => replayIn(database.db)
const replayIn = (db: Db | Tx) =>
  replayOutcomes(
    db,
    () => async (symbolId, from, to) =>
      (await readTicks(database.db, symbolId, from, to)).map(({ seq, sourceMs, price, kind }) => ({
        seq: BigInt(seq),
        sourceMs,
        price,
        kind,
      })),
  )
const voidIn = (tx: Tx, tradeId: string, operatorId: bigint) =>
  voidTrade(tx, { tradeId: parsePublicId(tradeId)!, operatorId, reason: 'A wrong price.' })
const asked = (tradeId: string, operatorId: bigint) =>
  inTransaction(database.db, (tx) => voidIn(tx, tradeId, operatorId))

/** Counts the statements of this form that wait for a lock. */
async function waiting(form: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and trim(query, E' \\n') like ${form}`.execute(
    database.db,
  )
  return rows[0]!.n
}

test('two operators void a trade before its end, with or without an entry', async () => {
  const user = await market.trader()
  const [early, later] = [await market.submit(user), await market.submit(user, { amount: 20 })]
  await asked(early.trade_id, ONE)
  expect(await asked(early.trade_id, TWO)).toEqual({ userId: user, step: 'completed' })
  for (const person of [ONE, TWO])
    await expect(asked(early.trade_id, person)).rejects.toMatchObject({ code: 'wrong_state' })
  await market.frame({ BTCUSDT: '60001.00' })
  await market.pass(5_000)
  await asked(later.trade_id, TWO)
  await asked(later.trade_id, ONE)
  expect(await market.trade(early.trade_id)).toMatchObject({ status: 'Void', payout: 1_000n, entry_seq: null })
  expect(await market.trade(later.trade_id)).toMatchObject({
    status: 'Void',
    payout: 2_000n,
    entry_price: 6_000_100n,
    exit_seq: null,
    outcome_reason: voidedReason('A wrong price.'),
  })
  await market.pass(70_000)
  await market.settled()
  expect((await balancesOf(database.db, user)).demoBalance).toBe(1_000_000n)
})

test("a proposal alone changes nothing, and after the end it's too late", async () => {
  const user = await market.trader()
  const trade = await market.submit(user)
  await asked(trade.trade_id, ONE)
  await expect(asked(trade.trade_id, ONE)).rejects.toMatchObject({ code: 'second_person_required' })
  // No frame yet: nothing is settled, but the trade's time is over.
  market.clock.advance(60_000)
  await market.frame({ BTCUSDT: '60002.00' }, { afterMs: 0 })
  await expect(asked(trade.trade_id, TWO)).rejects.toMatchObject({ code: 'wrong_state' })
  await market.pass(5_000)
  await market.settled()
  expect((await market.trade(trade.trade_id)).outcome_reason).not.toContain('operator')
  await expect(asked(trade.trade_id, TWO)).rejects.toMatchObject({ code: 'wrong_state' })
})

test('settlement leaves a trade to a void that has locked it', async () => {
  const trade = await market.submit(await market.trader())
  const other = await market.submit(await market.trader())
  await market.frame({ BTCUSDT: '60003.00' })
  await asked(trade.trade_id, ONE)
  await market.pass(58_500)
  await inTransaction(database.db, async (tx) => {
    await voidIn(tx, trade.trade_id, TWO)
    await market.pass(6_000)
    await expect.poll(async () => (await market.trade(other.trade_id)).status).not.toBe('Pending')
  })
  await market.settled()
  expect((await market.trade(trade.trade_id)).outcome_reason).toBe(voidedReason('A wrong price.'))
  expect((await market.trade(other.trade_id)).outcome_reason).not.toBe(voidedReason('A wrong price.'))
})

test('a void waits for the settlement that has locked the trade, and is then rejected', async () => {
  const trade = await market.submit(await market.trader())
  await market.frame({ BTCUSDT: '60003.00' })
  await asked(trade.trade_id, ONE)
  const { id, end_time, symbol_id } = await market.trade(trade.trade_id)
  // Another engine's: this one leaves the trade to it.
  const settling = await holders(database).holding('select from trades where id = $1 for no key update', [id])
  await market.pass(64_500)
  await settling.query(SETTLE_PROVEN_SQL, [`{${symbol_id}}`, `{${end_time}}`, 10, 1, 0, '{}', false])
  const voiding = asked(trade.trade_id, TWO)
  voiding.catch(() => undefined)
  await expect.poll(() => waiting('select%from "trades"%')).toBe(1)
  await settling.query('commit')
  await expect(voiding).rejects.toMatchObject({ code: 'wrong_state', message: 'This trade has already settled.' })
  expect(await market.trade(trade.trade_id)).toMatchObject({ status: expect.stringMatching(/Won|Lost|Draw/) })
})

test('voiding and settling the same trades in parallel ends each trade once', async () => {
  const user = await market.trader()
  const trades = await Promise.all(Array.from({ length: 40 }, () => market.submit(user, { amount: 10 })))
  await market.frame({ BTCUSDT: '60003.00' })
  for (const { trade_id } of trades) await asked(trade_id, ONE)
  await market.pass(58_500)
  const outcomes: PromiseSettledResult<unknown>[] = []
  const voidNext = async () => {
    outcomes.push(...(await Promise.allSettled([asked(trades[outcomes.length]!.trade_id, TWO)])))
  }
  // The first is voided in time, the last too late, the others while the tape passes their end.
  await voidNext()
  const voiding = (async () => {
    while (outcomes.length < trades.length - 1) await voidNext()
  })()
  while (outcomes.length < trades.length - 1) await market.frame({ BTCUSDT: '60003.00' })
  await voiding
  await market.pass(6_000)
  await voidNext()
  await market.settled()
  const rows = await Promise.all(trades.map(({ trade_id }) => market.trade(trade_id)))
  for (const [place, row] of rows.entries()) {
    const voided = outcomes[place]!.status === 'fulfilled'
    expect(row.status).not.toBe('Pending')
    expect(row.outcome_reason === voidedReason('A wrong price.')).toBe(voided)
  }
  expect([outcomes[0]!.status, outcomes.at(-1)!.status]).toEqual(['fulfilled', 'rejected'])
})

test('verify reports a void without a record', async () => {
  const user = await market.trader()
  const trade = await market.submit(user)
  await asked(trade.trade_id, ONE)
  const forged = inTransaction(database.db, async (tx) => {
    await sql`update trades set status = 'Void', payout = stake, settled_at = clock_timestamp(), outcome_reason = 'x'
      where id = ${parsePublicId(trade.trade_id)!}`.execute(tx)
    const { divergence } = await replayIn(tx)
    throw Object.assign(new Error('undone'), { divergence })
  }).catch((error: { divergence: unknown }) => error.divergence)
  expect(await forged).toMatchObject({ id: parsePublicId(trade.trade_id)! })
  await asked(trade.trade_id, TWO)
})
