import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { signCheckpoint } from '#server/proof/checkpoints/checkpoints.ts'
import { openProofKey, receiptOf, verifyProof } from '#server/proof/index.ts'
import { SETTLE_PROVEN_SQL } from '#server/trading/settlement/settle.sql.ts'
import { holders } from '#tests/support/trades/holders.ts'
import { marketOfFile } from '#tests/support/trades/market.ts'

const { database, market } = await marketOfFile()
const { db } = database
const { instruments } = market.prices

test('a trade whose settlement commits long after its time, and after checkpoints, gets its receipt', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-proof-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const key = openProofKey(folder)
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(db)
  const checkpoint = () => signCheckpoint({ db, key, instruments })
  const broken = async () => (await verifyProof(db, instruments)).broken

  const user = await market.trader()
  await market.frame({ BTCUSDT: '60000.00' })
  const { trade_id } = await market.submit(user)
  await market.frame({ BTCUSDT: '60001.00' })
  const { id, end_time, symbol_id } = await market.trade(trade_id)
  const receipt = () => receiptOf({ db, instruments }, user, id)
  // Another engine's settlement, which hangs before its commit. This engine leaves the trade to it.
  const settling = await holders(database).holding('select from trades where id = $1 for no key update', [id])
  await market.pass(64_500)
  await settling.query(SETTLE_PROVEN_SQL, [`{${symbol_id}}`, `{${end_time}}`, 10, 1, 0, '{}', false])
  // As if it had written its time a while ago: later than any overlap.
  await settling.query("set local session_replication_role = 'replica'")
  await settling.query("update trades set settled_at = settled_at - interval '1 minute' where id = $1", [id])
  for (let later = 0; later < 8; later++) {
    await market.pass(1_000)
    await checkpoint()
    await sleep(5)
  }
  await settling.query('commit')
  expect(await receipt()).toBeUndefined()
  expect(await broken()).toBeUndefined()
  await market.pass(1_000)
  expect(await checkpoint()).toBe(1)
  expect((await receipt())!.outcome.status).toBe('Draw')
  expect(await broken()).toBeUndefined()
})
