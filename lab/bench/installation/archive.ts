/**
 * Archives days of settled trades and prints how long that takes: `node lab/bench/installation/archive.ts [trades a day] [days]`, by
 * default one day of half a million trades with a million movements. The checks that read trades and movements are
 * timed before and after.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { idFloor } from '#kernel/id.ts'
import { DAY_MS, toIso } from '#kernel/time.ts'
import { archiveDay, checkAccounts } from '#ops/archive/index.ts'
import { targetAt } from '#ops/backup/index.ts'
import { checkpointText } from '#packages/verify/verify.js'
import { findDifferences } from '#server/invariants/reconcile.ts'
import { accountOfSql } from '#server/ledger/index.ts'
import { inSnapshot, openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { leafHash, rootOf } from '#server/platform/tree.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { leafOf, openProofKey, verifyProof } from '#server/proof/index.ts'
import type { ProofKey } from '#server/proof/keys/key.ts'
import { settledPage, settledTrades } from '#server/trading/index.ts'
import { benchPostgres } from '../support/postgres.ts'

const TRADES = Number(process.argv[2] ?? 500_000)
const DAYS = Number(process.argv[3] ?? 1)
const TRADERS = 1_000
const ROUNDS = TRADES / TRADERS
const FIRST_DAY = Date.parse('2026-01-05T00:00:00Z')
const days = Array.from({ length: DAYS }, (_, i) => toIso(FIRST_DAY + i * DAY_MS).slice(0, 10))

const postgres = await benchPostgres()
const folder = mkdtempSync(join(tmpdir(), 'cleartick-archive-'))
const { db, close } = openDatabase(postgres.superUrl, {
  max: 2,
  name: 'archive',
  log: createLog('silent'),
  // Verification and archiving set their own limit; signing here has none.
  onConnect: async (client) => void (await client.query('set statement_timeout = 0')),
})

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await work()
  console.log(`${name.padEnd(44)} ${((performance.now() - began) / 1000).toFixed(1).padStart(7)} s`)
  return result
}

async function openAccounts(): Promise<void> {
  const account = accountOfSql('u', 'demo')
  for (const statement of [
    'set session_replication_role = replica',
    `insert into accounts (id, user_id, mode, balance, seq) select ${account}, u, 'demo', 1000000, 1 + 2 * ${ROUNDS * DAYS}
     from generate_series(1, ${TRADERS}) u`,
    `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
     select 'demo_grant', u, 1, ${account}, 'demo', 'mint', 'balance', 1000000, 1, 1000000, to_timestamp(${FIRST_DAY / 1000}) from generate_series(1, ${TRADERS}) u`,
  ])
    await postgres.run(statement)
}

/** Writes a day of draws, one after the other in each account: the stake leaves and comes back. */
async function write(day: number): Promise<void> {
  const began = FIRST_DAY + day * DAY_MS
  const account = accountOfSql('u', 'demo')
  const pauseMs = Math.floor(80_000_000 / ROUNDS)
  for (const statement of [
    `create table made as select ${idFloor(began)}::bigint + 1 + n::bigint * 4096 as id, (n % ${TRADERS} + 1) as u, ${day * ROUNDS} + n / ${TRADERS} as k, ${began}::bigint + n / ${TRADERS} * ${pauseMs} + n % ${TRADERS} as t
     from generate_series(0, ${TRADES - 1}) n`,
    `insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds,
       trade_time, end_time, status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq, settled_at, payout, outcome_reason)
     select id, ${account}, 'demo', 3, 2, 10000, 'Buy', '75/3', 75, 1000, 60, t, t + 60000, 'Draw', 1, t + 500, 1, 1, t + 59500, 2,
       to_timestamp((t + 61000) / 1000.0), 1000, 'The exit price equals the entry price.' from made u`,
    `insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
     select 'trade_open'::cause, id, 1, ${account}, 'demo'::account_mode, 'balance'::slot, 'escrow'::slot, 1000, 2 + 2 * k, 999000, to_timestamp(t / 1000.0) from made u
     union all
     select 'trade_settle', id, 1, ${account}, 'demo', 'escrow', 'balance', 1000, 3 + 2 * k, 1000000, to_timestamp((t + 61000) / 1000.0) from made u`,
    'drop table made',
  ])
    await postgres.run(statement)
}

/**
 * Checkpoints of ten thousand trades each. The engine signs as it goes; all at once it would sort the day fifty times.
 */
async function sign(): Promise<void> {
  const key = openProofKey(folder)
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(db)
  await sql`insert into tape_epochs (epoch, after_frame, after_hash, timeline) values (1, 0, sha256(''), 1)`.execute(db)
  const position = { frame: 0, after: 0n }
  for (const day of days) await signDay(key, day, position)
}

async function signDay(key: ProofKey, day: string, position: { frame: number; after: bigint }): Promise<void> {
  const instruments = await loadInstruments(db)
  const until = `${day} 23:00:00Z`
  const hash = Buffer.alloc(32)
  for (;;) {
    const { after } = position
    const page = await inSnapshot(db, (snapshot) => settledPage(snapshot, { after, limit: 10_000 }))
    const ids = page.filter((id) => id < idFloor(Date.parse(day) + DAY_MS))
    if (ids.length === 0) break
    // They were written without the trigger that does this.
    await postgres.run(
      `insert into unstated_trades (account_id, trade_id) select account_id, id from trades where id between ${ids[0]} and ${ids.at(-1)}`,
    )
    const rows = await inSnapshot(db, (snapshot) => settledTrades(snapshot, ids))
    const trades = new Map(rows.map((trade) => [trade.id, trade]))
    const leaves = ids.map((id) => leafHash(leafOf(trades.get(id)!, instruments).text))
    const idBytes = Buffer.alloc(8 * ids.length)
    for (const [i, id] of ids.entries()) idBytes.writeBigInt64BE(id, 8 * i)
    const frame = ++position.frame
    const time = Date.parse(`${day}T22:00:00Z`) + frame
    const root = rootOf(leaves)
    const signed = {
      epoch: 1,
      frame,
      time,
      hash: hash.toString('hex'),
      trades: ids.length,
      root: root.toString('hex'),
      key: key.id,
    }
    await sql`
      insert into checkpoints (frame, epoch, t, hash, trade_ids, leaves, root, settled_until, key, signature)
      values (${frame}, 1, ${time}, ${hash}, ${idBytes}, ${Buffer.concat(leaves)}, ${root}, ${until}::timestamptz, ${key.id},
        ${key.sign(checkpointText(signed))})`.execute(db)
    position.after = ids.at(-1)!
  }
}

async function verify(when: string): Promise<void> {
  const differences = await step(`books (reconciliation), ${when}`, () => findDifferences(db))
  for (const { name, says, rows } of differences) console.log(`  ${name} ${says}: ${rows[0]}`)
  const instruments = await loadInstruments(db)
  const { broken } = await step(`checkpoints and their trades, ${when}`, () => verifyProof(db, instruments))
  if (broken !== undefined || differences.length > 0) process.exitCode = 1
  if (broken !== undefined) console.log(`  ${broken}`)
}

const size = async () => {
  const { rows } = await sql<{ bytes: bigint }>`
    select pg_total_relation_size('trades') + pg_total_relation_size('transfers') as bytes`.execute(db)
  return `${(Number(rows[0]!.bytes) / 1e6).toFixed(0)} MB`
}

try {
  await step(`write ${DAYS * TRADES} trades, ${2 * DAYS * TRADES} movements`, async () => {
    await openAccounts()
    for (const day of days.keys()) await write(day)
    for (const table of ['trades', 'transfers']) await postgres.run(`vacuum analyze ${table}`)
    await postgres.run('checkpoint')
  })
  await step('sign their checkpoints', sign)
  console.log(`trades and transfers use ${await size()}`)
  await verify('before')
  const target = await targetAt(join(folder, 'files'), 'archive')
  const deps = { db, instruments: await loadInstruments(db), target, key: randomBytes(32) }
  let last = performance.now()
  const since = (name: string) => {
    console.log(`  ${name.padEnd(42)} ${((performance.now() - last) / 1000).toFixed(1).padStart(7)} s`)
    last = performance.now()
  }
  for (const day of days) {
    const moved = await step(`archive ${day}`, () => archiveDay({ ...deps, step: since }, day))
    console.log(
      `moved ${moved!.trades} trades, ${moved!.transfers} movements: ${((moved!.stored ?? 0) / 1e6).toFixed(0)} MB stored; ${moved!.stayed} stay`,
    )
  }
  await step('vacuum (autovacuum does it)', () => postgres.run('vacuum analyze trades, transfers'))
  console.log(`trades and transfers use ${await size()}`)
  await verify('after')
  await step('npm run archive -- check', () => checkAccounts(deps, () => undefined))
} finally {
  await close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
