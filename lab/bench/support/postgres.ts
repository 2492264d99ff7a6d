import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import type { Mode } from '#contract/trading/trading.ts'
import { accountOfSql } from '#server/ledger/index.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { type DatabaseUrls, provision, withDatabase } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'

export interface BenchPostgres {
  urls: DatabaseUrls
  superUrl: string
  dataDir: string
  /** Runs SQL as the superuser. */
  run(text: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a PostgreSQL with the product's settings, durable and freshly migrated. Prints its durability settings. */
export async function benchPostgres(): Promise<BenchPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-'))
  const postgres = await startEmbedded({ dataDir, log: createLog('error') })
  const urls = await provision(postgres.superUrl, dataDir)
  await migrate(urls.owner)
  const superUrl = withDatabase(postgres.superUrl, 'cleartick')
  const client = new pg.Client({ connectionString: superUrl })
  await client.connect()
  const settings = await client.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'server_version') order by name",
  )
  console.log(settings.rows.map((row) => `${row.name}=${row.setting}`).join(' '))
  return {
    urls,
    superUrl,
    dataDir,
    run: async (text) => {
      await client.query(text)
    },
    async stop() {
      await client.end()
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * Creates `count` traders with 10,000.00 in each of their real and demo accounts (one in a hundred is nearly empty),
 * booked as movements.
 */
export async function traders(postgres: BenchPostgres, count: number, mode: Mode = 'demo'): Promise<void> {
  const account = accountOfSql('u', mode)
  const [cause, from] = mode === 'demo' ? ['demo_grant', 'mint'] : ['deposit_credit', 'external_in']
  for (const statement of [
    `insert into accounts (id, user_id, mode) select ${account}, u, '${mode}' from generate_series(1, ${count}) u`,
    `with granted as (
      insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
      select '${cause}'::cause, u, 1, ${account}, '${mode}'::account_mode, '${from}'::slot, 'balance', a, 1, a, now()
      from generate_series(1, ${count}) u, lateral (select case when u % 100 = 0 then 500 else 100000000 end as a) amount
      returning account_id, amount
    )
    update accounts set balance = amount, seq = 1 from granted where id = account_id`,
    'vacuum analyze accounts',
    'analyze transfers',
    'checkpoint',
  ]) {
    await postgres.run(statement)
  }
}

interface TpcB {
  /** Runs one slice; returns committed transactions per second. */
  slice(seconds: number): Promise<number>
  driver: string
  close(): Promise<void>
}

const SCALE = 50
const CONNECTIONS = 16

/**
 * Prepares the reference: a TPC-B-like script on the same PostgreSQL with 16 connections, run by pgbench if available.
 */
export async function tpcB(postgres: BenchPostgres): Promise<TpcB> {
  await postgres.run(
    `create table if not exists bench_branches (bid int primary key, bbalance int, filler char(88)) with (fillfactor = 100)`,
  )
  await postgres.run(
    `create table if not exists bench_tellers (tid int primary key, bid int, tbalance int, filler char(84)) with (fillfactor = 100)`,
  )
  await postgres.run(
    `create table if not exists bench_accounts (aid int primary key, bid int, abalance int, filler char(84)) with (fillfactor = 100)`,
  )
  await postgres.run(
    `create table if not exists bench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))`,
  )
  await postgres.run(
    `insert into bench_branches select b, 0, '' from generate_series(1, ${SCALE}) b on conflict do nothing`,
  )
  await postgres.run(
    `insert into bench_tellers select t, (t - 1) / 10 + 1, 0, '' from generate_series(1, ${SCALE * 10}) t on conflict do nothing`,
  )
  await postgres.run(
    `insert into bench_accounts select a, (a - 1) / 100000 + 1, 0, '' from generate_series(1, ${SCALE * 100_000}) a on conflict do nothing`,
  )
  await postgres.run('vacuum analyze bench_accounts')
  await postgres.run('checkpoint')
  return spawnSync('pgbench', ['--version']).status === 0 ? byPgbench(postgres) : byNode(postgres)
}

function byPgbench(postgres: BenchPostgres): TpcB {
  const script = `\\set aid random(1, ${SCALE * 100_000})
\\set bid random(1, ${SCALE})
\\set tid random(1, ${SCALE * 10})
\\set delta random(-5000, 5000)
begin;
update bench_accounts set abalance = abalance + :delta where aid = :aid;
select abalance from bench_accounts where aid = :aid;
update bench_tellers set tbalance = tbalance + :delta where tid = :tid;
update bench_branches set bbalance = bbalance + :delta where bid = :bid;
insert into bench_history (tid, bid, aid, delta, mtime) values (:tid, :bid, :aid, :delta, current_timestamp);
end;
`
  const file = join(mkdtempSync(join(tmpdir(), 'cleartick-pgbench-')), 'tpcb.sql')
  writeFileSync(file, script)
  return {
    driver: 'pgbench',
    async slice(seconds) {
      const done = spawnSync(
        'pgbench',
        [
          '-n',
          '-M',
          'prepared',
          '-c',
          String(CONNECTIONS),
          '-j',
          '2',
          '-T',
          String(Math.max(1, Math.round(seconds))),
          '-f',
          file,
          postgres.superUrl,
        ],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
      )
      const match = /tps = ([\d.]+)/.exec(done.stdout)
      if (!match) throw new Error(`pgbench failed: ${done.stderr}`)
      return Number(match[1])
    },
    close: async () => rmSync(dirname(file), { recursive: true, force: true }),
  }
}

async function byNode(postgres: BenchPostgres): Promise<TpcB> {
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = new pg.Client({ connectionString: postgres.superUrl })
      await client.connect()
      return client
    }),
  )
  const random = (max: number) => 1 + Math.floor(Math.random() * max)
  return {
    driver: 'node',
    async slice(seconds) {
      const until = performance.now() + seconds * 1000
      let done = 0
      await Promise.all(
        clients.map(async (client) => {
          while (performance.now() < until) {
            const [aid, tid, bid, delta] = [
              random(SCALE * 100_000),
              random(SCALE * 10),
              random(SCALE),
              random(10_000) - 5_000,
            ]
            await client.query('begin')
            await client.query({
              name: 'a',
              text: 'update bench_accounts set abalance = abalance + $1 where aid = $2',
              values: [delta, aid],
            })
            await client.query({ name: 's', text: 'select abalance from bench_accounts where aid = $1', values: [aid] })
            await client.query({
              name: 't',
              text: 'update bench_tellers set tbalance = tbalance + $1 where tid = $2',
              values: [delta, tid],
            })
            await client.query({
              name: 'b',
              text: 'update bench_branches set bbalance = bbalance + $1 where bid = $2',
              values: [delta, bid],
            })
            await client.query({
              name: 'h',
              text: 'insert into bench_history (tid, bid, aid, delta, mtime) values ($1, $2, $3, $4, current_timestamp)',
              values: [tid, bid, aid, delta],
            })
            await client.query('commit')
            done++
          }
        }),
      )
      return done / seconds
    },
    async close() {
      await Promise.all(clients.map((client) => client.end()))
    },
  }
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
