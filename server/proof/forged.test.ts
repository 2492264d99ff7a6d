import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import {
  checkpointText,
  leafText,
  type Receipt,
  type ReceiptCheckpoint,
  verifyReceipt,
} from '#packages/verify/verify.js'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { sql } from '../platform/database/db.ts'
import { signCheckpoint } from './checkpoints.ts'
import { openProofKey } from './key.ts'
import { receiptOf } from './receipt.ts'
import { leafHash, rootOf } from './tree.ts'
import { verifyProof } from './verify-proof.ts'

/** What an operator who holds the key can make of a real receipt, and what of it the verifier accepts. */
const { database, market } = await marketOfFile()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-forged-'))
const key = openProofKey(folder)
const other = openProofKey(mkdtempSync(join(tmpdir(), 'cleartick-forged-')))
let real: Receipt

beforeAll(() => sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db))
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  await market.frame({ BTCUSDT: '60000.00' })
  const user = await market.trader()
  const { trade_id } = await market.submit(user, { amount: 100 })
  await market.frame({ BTCUSDT: '60010.00' })
  await checkpoint()
  await market.pass(58_000)
  await market.frame({ BTCUSDT: '60005.00' })
  await market.pass(6_000)
  await market.settled()
  await checkpoint()
  const { instruments } = market.prices
  real = (await receiptOf({ db: database.db, instruments }, user, parsePublicId(trade_id)!))!
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
async function failure(change: (receipt: Receipt) => void, published = [{ id: key.id }] as { id: string }[]) {
  const forged = structuredClone(real)
  change(forged)
  const { ok, steps } = await verifyReceipt(JSON.stringify(forged), { published })
  const last = steps.at(-1)!
  return ok ? undefined : { step: last.step, says: last.says }
}

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
