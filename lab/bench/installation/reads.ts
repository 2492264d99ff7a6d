/**
 * The cost of the reads behind a trader's screens: the server's CPU per call, compared with `GET /api/health` in
 * interleaved rounds. Also prints PostgreSQL's CPU.
 *
 *   node lab/bench/installation/reads.ts [rounds] [calls]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '#server/app/app.ts'
import { readConfig } from '#server/config/config.ts'
import { accountOfSql } from '#server/ledger/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { databaseCpu } from '../support/cpu.ts'
import { inChild } from '../support/load/children.ts'
import type { ReadLoad } from '../support/load/read-load.ts'
import { benchPostgres, median } from '../support/postgres.ts'
import { signUp } from '../support/sign-up.ts'

const ROUNDS = Number(process.argv[2] ?? 7)
const CALLS = Number(process.argv[3] ?? 3_000)
const HEALTH = '/api/health'
const READS = [
  { name: 'history page of 50', path: '/api/trading?mode=real&limit=50', wanted: 2 },
  { name: 'users/me', path: '/api/users/me', wanted: 1.5 },
] as const

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-reads-'))
try {
  const app = await startApp({
    config: readConfig({ PORT: '0', DATA_DIR: dataDir, FEED: 'simulation:bench', RATE_LIMITS: 'off' }),
    log: createLog('error'),
    urls: postgres.urls,
    passwordCost: { memory: 8, passes: 1, parallelism: 1 },
  })
  const [token] = await signUp(app.port, 1)
  await settledTrades(500)

  const cpuOf = async (path: string) => {
    const before = [process.cpuUsage(), databaseCpu(postgres)] as const
    await inChild('read-load.ts', {
      port: app.port,
      token: token!,
      path,
      calls: CALLS,
      connections: 8,
    } satisfies ReadLoad)
    const { user, system } = process.cpuUsage(before[0])
    return { server: (user + system) / CALLS, database: (databaseCpu(postgres) - before[1]) / CALLS }
  }
  for (const { path } of [{ path: HEALTH }, ...READS]) await cpuOf(path)
  const ratios = new Map<string, number[]>()
  for (let round = 1; round <= ROUNDS; round++) {
    const health = await cpuOf(HEALTH)
    const line = [`health ${health.server.toFixed(0)} + ${health.database.toFixed(0)} us`]
    for (const { name, path } of READS) {
      const cpu = await cpuOf(path)
      const ratio = cpu.server / health.server
      ratios.set(name, [...(ratios.get(name) ?? []), ratio])
      line.push(`${name} ${cpu.server.toFixed(0)} + ${cpu.database.toFixed(0)} us, x${ratio.toFixed(2)}`)
    }
    console.log(`round ${round}, CPU of server + PostgreSQL: ${line.join('; ')}`)
  }
  for (const { name, wanted } of READS)
    console.log(
      `${name}: ${median(ratios.get(name)!).toFixed(2)} times /api/health in server CPU (at most ${wanted} wanted)`,
    )
  await app.stop()
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Inserts trades with every outcome for the only user, without their movements. */
async function settledTrades(count: number): Promise<void> {
  await postgres.run(`
    insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time,
      status, entry_seq, entry_price, entry_time, exit_seq, exit_price, exit_time, settled_at, payout, outcome_reason)
    select 900000000000000000 + g, ${accountOfSql('u.id', 'real')}, 'real', i.id, 2, 10000, 'Buy', '75/3', 75, 10000 + g, 60, at, at + 60000,
      o.status::trade_status, 7, 6183763, at + 200, 91, 6183763 + o.change, at + 59900, to_timestamp(at / 1000.0 + 60), o.payout, 'The exit price decided.'
    from (select min(id) as id from users) u, generate_series(1, ${count}) g
    cross join lateral (select 1790000000000 + g * 1000::bigint as at) t
    cross join lateral (
      select case g % 3 when 0 then 'Won' when 1 then 'Lost' else 'Draw' end as status, case g % 3 when 0 then 5 when 1 then -5 else 0 end as change,
        case g % 3 when 0 then 10000 + g + ((10000 + g) * 75 + 50) / 100 when 1 then 0 else 10000 + g end as payout
    ) o
    cross join lateral (select id from instruments where trading_type is not null order by (id + g) % 17, id limit 1) i`)
  await postgres.run('vacuum analyze trades')
}
