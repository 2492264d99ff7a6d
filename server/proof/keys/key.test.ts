import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type PublishedKey, type Receipt, verifyReceipt } from '#packages/verify/verify.js'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'
import { sql } from '../../platform/database/db.ts'
import { signCheckpoint } from '../checkpoints/checkpoints.ts'
import { receiptOf } from '../receipts/receipt.ts'
import { verifyProof } from '../verify-proof.ts'
import { openNextKey, openProofKey, type ProofKey, publishKey, succeed, waitingKeys } from './key.ts'

/** How one key of receipts follows another. */
const { database, market } = await marketOfFile()
const { db } = database
const folder = mkdtempSync(join(tmpdir(), 'cleartick-keys-'))
afterAll(() => rmSync(folder, { recursive: true }))
const keyIn = (name: string) => openNextKey(join(folder, name), false)
const first = keyIn('first')
const second = keyIn('second')
const stranger = keyIn('stranger')
const thief = keyIn('thief')

/** The keys as `GET /proof/keys` returns them. */
async function published(): Promise<PublishedKey[]> {
  const rows = await db.selectFrom('proof_keys').selectAll().orderBy('created_at').execute()
  return rows.map(({ id, public_key, signed_by, signature, unsigned_reason }) => ({
    id,
    public_key: public_key.toString('hex'),
    ...(signed_by ? { signed_by, signature: signature!.toString('hex') } : {}),
    ...(unsigned_reason ? { unsigned_reason } : {}),
  }))
}

async function receiptBy(key: ProofKey): Promise<Receipt> {
  await market.frame({ BTCUSDT: '60000.00' })
  const user = await market.trader()
  const { trade_id } = await market.submit(user)
  await market.frame({ BTCUSDT: '60010.00' })
  await market.pass(64_000)
  await market.settled()
  const { instruments } = market.prices
  await signCheckpoint({ db, key, instruments })
  const { parsePublicId } = await import('#kernel/id.ts')
  return (await receiptOf({ db, instruments }, user, parsePublicId(trade_id)!))!
}

let copy: PublishedKey[]
beforeAll(async () => {
  expect(await publishKey(db, first)).toBe(true)
  copy = await published()
})

test('a later key waits, until the key before it has signed it', async () => {
  expect(await publishKey(db, second)).toBe(false)
  expect(await publishKey(db, second)).toBe(false)
  expect(await waitingKeys(db)).toEqual([{ id: second.id, seenAt: expect.any(Date) }])
  await expect(receiptBy(second)).rejects.toThrow('foreign key')
  await expect(succeed(db, stranger, second)).rejects.toThrow("can't sign a new one")
  await succeed(db, first, second)
  await succeed(db, first, second)
  expect(await publishKey(db, second)).toBe(true)
  expect(await waitingKeys(db)).toEqual([])
  expect((await published()).map(({ id, signed_by }) => [id, signed_by])).toEqual([
    [first.id, undefined],
    [second.id, first.id],
  ])
})

test('with an older copy of the keys, a newer key counts if the copy leads to it', async () => {
  const text = JSON.stringify(await receiptBy(second))
  const keysOf = async (options: { published: PublishedKey[]; newer?: PublishedKey[] }) => {
    const { steps } = await verifyReceipt(text, options)
    return steps.find(({ step }) => step === 'keys')
  }
  const today = await published()
  const words = { ok: true, says: `Published by the platform: ${second.id}, signed by ${first.id}` }
  expect(await keysOf({ published: today })).toMatchObject(words)
  expect(await keysOf({ published: copy })).toMatchObject({ ok: false })
  expect(await keysOf({ published: copy, newer: today })).toMatchObject(words)
  const forged = today.map((key) => (key.id === second.id ? { ...key, signature: 'ab'.repeat(64) } : key))
  expect(await keysOf({ published: copy, newer: forged })).toMatchObject({ ok: false })
  expect(await keysOf({ published: forged })).toMatchObject({
    ok: false,
    says: expect.stringContaining("isn't signed by"),
  })
  const begun = today.map(({ id, public_key }) => ({
    id,
    public_key: public_key!,
    ...(id === second.id ? { unsigned_reason: 'lost' } : {}),
  }))
  expect(await keysOf({ published: copy, newer: begun })).toMatchObject({ ok: false })
  expect(await keysOf({ published: begun })).toMatchObject({
    ok: true,
    says: expect.stringContaining('begun without the signature of an earlier key (lost)'),
  })
  // A revocation that came after the copy counts.
  const revoked = today.map((key) => (key.id === first.id ? { ...key, revoked_at: '2026-01-01T00:00:00Z' } : key))
  const old = JSON.stringify(await receiptBy(first))
  expect((await verifyReceipt(old, { published: copy })).ok).toBe(true)
  expect((await verifyReceipt(old, { published: copy, newer: revoked })).steps.at(-1)!.says).toContain('has revoked')
})

test('without the key before, nothing but the approval of two admins begins a key', async () => {
  expect(await publishKey(db, thief)).toBe(false)
  const insert = (columns: string, values: unknown[]) =>
    sql`insert into proof_keys (id, public_key, ${sql.raw(columns)}) values (${thief.id}, ${thief.publicKey}, ${sql.join(values)})`.execute(
      db,
    )
  await expect(insert('unsigned_reason', ['lost'])).rejects.toThrow('not approved by two admins')
  await expect(insert('created_at', [new Date(0)])).rejects.toThrow('proof_keys_first')
  await expect(sql`update proof_keys set unsigned_reason = 'x'`.execute(db)).rejects.toThrow('permission denied')
})

test('verify finds a key that the one before has not signed, and a revoked key signs nothing', async () => {
  const client = await connectTo(database.superUrl)
  onTestFinished(() => client.end())
  const { instruments } = market.prices
  expect((await verifyProof(db, instruments)).broken).toBeUndefined()
  await client.query("set session_replication_role = 'replica'")
  await client.query('update proof_keys set signature = sha512(signature) where id = $1', [second.id])
  expect((await verifyProof(db, instruments)).broken).toBe(`key ${second.id}: isn't signed by ${first.id}`)
  await client.query("update proof_keys set revoked_at = now(), revoked_reason = 'stolen' where id = $1", [second.id])
  expect(await publishKey(db, second)).toBe(false)
  await market.pass(1_000)
  await expect(signCheckpoint({ db, key: second, instruments })).rejects.toThrow('is revoked')
  await expect(succeed(db, second, stranger)).rejects.toThrow("can't sign a new one")
})

test('a key made for the setting is the key that the setting gives', () => {
  const file = join(folder, 'setting')
  const made = openNextKey(file, true)
  expect(openNextKey(file, true).id).toBe(made.id)
  expect(made.id).not.toBe(first.id)
  expect(openProofKey('', 'cd'.repeat(32)).id).toHaveLength(32)
})
