import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import {
  checkpointText,
  leafText,
  orderText,
  type PublishedKey,
  type Receipt,
  type ReceiptCheckpoint,
  type ReceiptOfOrder,
  verifyReceipt,
} from '#packages/verify/verify.js'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { sql } from '../platform/database/db.ts'
import { leafHash, rootOf } from '../platform/tree.ts'
import { bodyHash, chainHash } from '../prices/index.ts'
import { type CheckpointRow, digestOf, toCheckpoint } from './checkpoints/checkpoint-row.ts'
import { signCheckpoint } from './checkpoints/checkpoints.ts'
import { openProofKey, succeed } from './keys/key.ts'
import { receiptOf } from './receipts/receipt.ts'
import { verifyProof } from './verify-proof.ts'

/** What an operator who holds the key can make of a real receipt, and what of it the verifier accepts. */
const { database, market } = await marketOfFile()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-forged-'))
const key = openProofKey(folder)
const other = openProofKey(mkdtempSync(join(tmpdir(), 'cleartick-forged-')))
let real: ReceiptOfOrder
let kept: string

beforeAll(() => sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  await market.frame({ BTCUSDT: '60000.00' })
  const user = await market.trader()
  const { trade_id, order_hash } = await market.submit(user, { amount: 100 })
  kept = order_hash!
  await market.frame({ BTCUSDT: '60010.00' })
  await checkpoint()
  await market.pass(58_000)
  await market.frame({ BTCUSDT: '60005.00' })
  await market.pass(6_000)
  await market.settled()
  await checkpoint()
  const { instruments } = market.prices
  real = (await receiptOf({ db: database.db, instruments }, user, parsePublicId(trade_id)!)) as ReceiptOfOrder
  expect(real.outcome).toMatchObject({ status: 'Lost', payout: '0.00' })
  expect((await verifyReceipt(JSON.stringify(real))).ok).toBe(true)
})

const checkpoint = () => signCheckpoint({ db: database.db, key, instruments: market.prices.instruments })

const signed = (one: ReceiptCheckpoint): ReceiptCheckpoint => ({
  ...one,
  signature: key.sign(checkpointText(one)).toString('hex'),
})

/** Signs a settlement of whatever the receipt now says, alone in its checkpoint. */
function settle(receipt: Receipt, change: Partial<ReceiptCheckpoint> = {}): void {
  const root = rootOf([leafHash(leafText(receipt))]).toString('hex')
  receipt.settlement.position = 0
  receipt.settlement.path = []
  receipt.settlement.checkpoint = signed({ ...receipt.settlement.checkpoint, trades: 1, root, ...change })
}

/** The first step at which a changed receipt fails. */
async function failure(
  change: (receipt: ReceiptOfOrder) => void,
  published: PublishedKey[] = [{ id: key.id }],
  orderHash?: string,
) {
  const forged = structuredClone(real)
  change(forged)
  const { ok, steps } = await verifyReceipt(JSON.stringify(forged), { published, orderHash })
  const last = steps.at(-1)!
  return ok ? undefined : { step: last.step, says: last.says }
}

/** The trade is settled as if it had been a Sell. */
function turn(receipt: ReceiptOfOrder): void {
  receipt.trade.side = 'Sell'
  receipt.outcome.status = 'Won'
  receipt.outcome.payout = '175.00'
  settle(receipt)
}

test('a Buy that lost does not become a Sell that won: the tape holds the order', async () => {
  expect(await failure(turn)).toEqual({ step: 'order', says: 'The side was changed from Buy to Sell' })
  expect(
    await failure((receipt) => {
      receipt.order.side = 'Sell'
      receipt.order.strike_rate = '3/75'
      receipt.trade.strike_rate = '3/75'
      turn(receipt)
    }),
  ).toEqual({ step: 'order', says: expect.stringContaining("The order isn't the one that frame") })
})

test.each([
  ['stake', { stake: '900.00' }, 'The stake was changed from 100.00 to 900.00'],
  ['strike rate', { strike_rate: '1/61' }, 'The strike rate was changed from 75/3 to 1/61'],
  ['payout rate', { percent: 80 }, 'The payout rate was changed from 75 to 80'],
  ['duration', { duration: 300 }, 'The duration was changed from 60 to 300'],
  ['trade time', { trade_time: 5 }, /^The trade time was changed from \d+ to 5$/],
  ['account', { mode: 'real' }, 'The account was changed from demo to real'],
  ['symbol', { symbol: 'ETHUSDT' }, 'The symbol was changed from BTCUSDT to ETHUSDT'],
  ['source', { source: 'live' }, 'The source of prices was changed from simulation to live'],
] as const)('with the key, a changed %s fails by its name', async (_, change, says) => {
  const expected = { step: 'order', says: typeof says === 'string' ? says : expect.stringMatching(says) }
  const forged = (part: 'trade' | 'order') => (receipt: ReceiptOfOrder) => {
    Object.assign(receipt[part], change)
    settle(receipt)
  }
  expect(await failure(forged('trade'))).toEqual(expected)
  expect(await failure(forged('order'))).toMatchObject({ step: 'order', says: expect.stringContaining('was changed') })
})

test('with the key, an end at another time than the order says fails', async () => {
  const later = (receipt: ReceiptOfOrder) => {
    receipt.trade.end_time += 1
    settle(receipt)
  }
  expect(await failure(later)).toEqual({ step: 'order', says: 'The duration was changed' })
})

test('a receipt of version 1 for a trade from after orders were bound fails', async () => {
  const old = (receipt: ReceiptOfOrder) => {
    const { trade, outcome, ticks, segments, settlement, keys } = receipt
    const { strike_rate: _, duration: __, price_list: ___, order: ____, ...terms } = trade
    const { sale: _____, ...result } = outcome
    const made: Receipt = {
      ...{ type: receipt.type, version: 1, trade: { ...terms, side: 'Sell' } },
      ...{ outcome: { ...result, status: 'Won', payout: '175.00' }, ticks, segments, settlement, keys },
    }
    settle(made)
    for (const field of Object.keys(receipt)) Reflect.deleteProperty(receipt, field)
    Object.assign(receipt, made)
  }
  const since = [{ id: key.id, orders_since: real.trade.trade_time - 1_000 }]
  expect(await failure(old, since)).toEqual({ step: 'order', says: expect.stringContaining('has version 2') })
  expect(await failure(old, undefined, kept)).toMatchObject({ step: 'order' })
})

test('a holder of the key can write another tape: the hash that the trader kept shows it', async () => {
  const rewrite = (receipt: ReceiptOfOrder) => {
    receipt.order.side = 'Sell'
    receipt.order.strike_rate = '3/75'
    receipt.trade.strike_rate = '3/75'
    const leaf = leafHash(orderText(receipt.order))
    receipt.trade.order = leaf.toString('hex')
    const segment = receipt.segments.find(({ first, frames }) => {
      const at = receipt.bound.frame - first
      return at >= 0 && at < frames.length
    })!
    const frame = segment.frames[receipt.bound.frame - segment.first]! as [number, string, string]
    // It's the only order of its frame, and a body ends with the root.
    frame[2] = frame[2].slice(0, -64) + leaf.toString('hex')
    receipt.bound.position = 0
    receipt.bound.path = []
    let hash: Buffer = Buffer.from(segment.before, 'hex')
    for (const [i, [t, bodyOrHash, body]] of segment.frames.entries())
      hash = chainHash(
        hash,
        segment.first + i,
        t,
        body ? bodyHash(Buffer.from(body, 'hex')) : Buffer.from(bodyOrHash, 'hex'),
      )
    segment.checkpoint = signed({ ...segment.checkpoint, hash: hash.toString('hex') })
    turn(receipt)
  }
  expect(await failure(() => undefined, undefined, kept)).toBeUndefined()
  expect(await failure(rewrite), 'nothing in the receipt can show it').toBeUndefined()
  expect(await failure(rewrite, undefined, kept)).toEqual({
    step: 'order',
    says: "The order doesn't have the hash that you kept",
  })
})

test('after a revocation, older is what a checkpoint of another key or a known digest leads back to', async () => {
  await market.pass(1_000)
  const { instruments } = market.prices
  await succeed(database.db, key, other)
  await signCheckpoint({ db: database.db, key: other, instruments })
  const { rows } = await sql<CheckpointRow>`select * from checkpoints order by frame desc limit 10`.execute(database.db)
  const later = rows.map(toCheckpoint)
  const published = [
    { id: key.id, revoked_at: '2026-01-01T00:00:00Z' },
    { id: other.id, public_key: other.publicKey.toString('hex') },
  ]
  const check = async (receipt: Receipt, more: object) => {
    const { ok, steps } = await verifyReceipt(JSON.stringify(receipt), { published, ...more })
    return ok ? 'genuine' : steps.at(-1)!.says
  }
  const refused = expect.stringContaining('nothing shows that the checkpoint')
  expect(await check(real, {})).toEqual(refused)
  expect(await check(real, { later })).toBe('genuine')
  // The thief's own checkpoints lead nowhere.
  expect(await check(real, { later: later.filter((one) => one.key !== other.id) })).toEqual(refused)
  const unsigned = later.map((one) => (one.key === other.id ? { ...one, signature: 'ab'.repeat(64) } : one))
  expect(await check(real, { later: unsigned })).toEqual(refused)
  const forged = structuredClone(real)
  settle(forged, { hash: 'ab'.repeat(32) })
  expect(await check(forged, { later })).toEqual(refused)
  const settlement = rows.find((row) => Number(row.frame) === real.settlement.checkpoint.frame)!
  const digest = (row: CheckpointRow) => digestOf(row).toString('hex')
  expect(await check(real, { later: later.filter((one) => one.key !== other.id), known: [digest(settlement)] })).toBe(
    'genuine',
  )
  expect(await check(forged, { known: [digest(settlement)] })).toEqual(refused)
})

test("a settlement signed 'in 1970', or before the end, fails", async () => {
  expect(await failure((receipt) => settle(receipt, { time: 0 }))).toMatchObject({ step: 'times' })
  expect(await failure((receipt) => settle(receipt, { frame: 1, time: 1_000 }))).toEqual({
    step: 'times',
    says: expect.stringContaining('The trade was settled by 1970-01-01 00:00:01.000 UTC, before it ended at'),
  })
  const [first] = real.segments
  const early = { frame: first!.checkpoint.frame + 1, time: first!.checkpoint.time + 1 }
  expect(await failure((receipt) => settle(receipt, early))).toMatchObject({ step: 'times' })
  expect(await failure((receipt) => settle(receipt, { time: real.trade.end_time }))).toMatchObject({ step: 'times' })
})

test('a settlement in a frame before the prices that decided it fails', async () => {
  const change = { frame: real.ticks.exit!.frame - 1, time: real.trade.end_time + 1 }
  expect(await failure((receipt) => settle(receipt, change))).toMatchObject({ step: 'times' })
})

test('checkpoints of two epochs fail', async () => {
  expect(await failure((receipt) => settle(receipt, { epoch: 2 }))).toEqual({
    step: 'times',
    says: 'The checkpoints are of different epochs',
  })
})

test('verify finds a checkpoint that is before the one before it, and one before the end of its trade', async () => {
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  await client.query("set session_replication_role = 'replica'")
  const { settlement, trade } = real
  const broken = async (time: number) => {
    const { signature } = signed({ ...settlement.checkpoint, time })
    const values = [settlement.checkpoint.frame, time, Buffer.from(signature, 'hex')]
    await client.query('update checkpoints set t = $2, signature = $3 where frame = $1', values)
    return (await verifyProof(database.db, market.prices.instruments)).broken
  }
  const where = `checkpoint at frame ${settlement.checkpoint.frame}`
  expect(await broken(1_000)).toBe(`${where}: is before the one before it`)
  expect(await broken(trade.end_time)).toBe(`${where}: states trade ${trade.id} before its end`)
  expect(await broken(settlement.checkpoint.time)).toBeUndefined()
})

test('a late settlement is shown, and does not fail', async () => {
  const late = structuredClone(real)
  const { frame } = late.settlement.checkpoint
  settle(late, { frame: frame + 2_000, time: late.trade.end_time + 720_000 })
  const { ok, steps } = await verifyReceipt(JSON.stringify(late))
  expect(ok).toBe(true)
  expect(steps.find(({ step }) => step === 'times')!.says).toBe('Epoch 1, settled 12 min after the end')
})

test('a key that was published later than its checkpoint fails, and one that is not published does too', async () => {
  const since = (ms: number) => [{ id: key.id, created_at: new Date(ms).toISOString() }]
  const { time } = real.segments[0]!.checkpoint
  expect(await failure(() => undefined, since(time))).toBeUndefined()
  expect(await failure(() => undefined, since(time + 3_600_000))).toEqual({
    step: 'keys',
    says: expect.stringContaining(`the key ${key.id} began at`),
  })
  expect(await failure(() => undefined, [{ id: other.id }])).toMatchObject({ step: 'keys' })
})
