/**
 * How late trades settle: 10,000 trades of 1,000 traders that end within about one second, on simulated prices, while
 * the traders have their sockets open and 2,000 new trades a second arrive through HTTP. The time from each trade's end
 * to its settlement. Takes a little over a minute, the shortest duration there is.
 *
 *   node bench/lateness.ts [trades] [arriving a second] [traders]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { idSource } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { startApp } from '#server/app.ts'
import { readConfig } from '#server/config.ts'
import { accountOf } from '#server/ledger/index.ts'
import { createLog } from '#server/platform/log.ts'
import { acceptanceQueue, openAcceptanceConnection } from '#server/trading/acceptance.ts'
import { inChild } from './support/children.ts'
import { databaseCpu } from './support/cpu.ts'
import type { Paced, PacedLoad } from './support/paced-load.ts'
import { benchPostgres } from './support/postgres.ts'
import { signUp } from './support/sign-up.ts'

const TRADES = Number(process.argv[2] ?? 10_000)
const ARRIVING = Number(process.argv[3] ?? 2_000)
const TRADERS = Number(process.argv[4] ?? 1_000)
/** New trades arrive from this long before the first end until `AFTER_MS` after it. */
const BEFORE_MS = 5_000
const AFTER_MS = 6_000

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-late-'))
try {
  const log = createLog('error')
  const app = await startApp({
    config: readConfig({ PORT: '0', DATA_DIR: dataDir, FEED: 'simulation:bench', RATE_LIMITS: 'off' }),
    log,
    urls: postgres.urls,
    passwordCost: { memory: 8, passes: 1, parallelism: 1 },
  })
  const tokens = await signUp(app.port, TRADERS)
  const client = new pg.Client({ connectionString: postgres.superUrl })
  await client.connect()
  const { rows: users } = await client.query<{ id: bigint }>('select id from users order by id')
  const { rows: symbols } = await client.query<{ id: number }>(
    'select id from instruments where trading_type is not null',
  )
  console.log(`${TRADERS} traders signed in`)

  // To place ten thousand trades within a second, use the same statement without HTTP.
  const connection = openAcceptanceConnection(postgres.urls.app, log)
  const queue = acceptanceQueue({ connection, openStakeMax: () => usd(10_000_000n), log })
  const newId = idSource(1_023)
  const placed = await Promise.all(
    Array.from({ length: TRADES }, (_, index) =>
      queue.submit({
        id: newId(),
        accountId: accountOf(users[index % users.length]!.id, 'demo'),
        symbolId: symbols[index % symbols.length]!.id,
        sourceKind: 2,
        staleAfterMs: 10_000,
        side: index % 2 ? 'Buy' : 'Sell',
        strikeRate: '75/3',
        percent: 75,
        stake: usd(100n),
        durationSeconds: 60,
        limited: false,
        key: undefined,
        fingerprint: Buffer.alloc(16),
      }),
    ),
  )
  const times = placed
    .map((result) => (result.kind === 'accepted' ? result.accepted.tradeTime : 0))
    .sort((a, b) => a - b)
  const ids = placed.map((result) => (result.kind === 'accepted' ? result.accepted.order.id : 0n))
  console.log(`${TRADES} trades placed within ${times.at(-1)! - times[0]!} ms; waiting for them to end`)
  const { rows: clock } = await client.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  )
  await sleep(times[0]! + 60_000 - BEFORE_MS - clock[0]!.now)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const cpu = [process.cpuUsage(), databaseCpu(postgres)] as const
  const arrived = await inChild<Paced>('paced-load.ts', {
    port: app.port,
    tokens,
    seconds: (BEFORE_MS + AFTER_MS) / 1000,
    perSecond: ARRIVING,
  } satisfies PacedLoad)
  console.log(
    `meanwhile ${arrived.perSecond.toFixed(0)} trades a second were accepted, p99 ${arrived.p99.toFixed(0)} ms, with ${TRADERS} sockets open`,
  )
  const used = process.cpuUsage(cpu[0])
  const seconds = (BEFORE_MS + AFTER_MS) / 1000
  console.log(
    `in these ${seconds} s: event loop late by p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms; server ${((used.user + used.system) / 1e6).toFixed(1)} s and PostgreSQL ${((databaseCpu(postgres) - cpu[1]) / 1e6).toFixed(1)} s of CPU`,
  )
  const { rows } = await client.query<{ settled: number; p50: number; p99: number; most: number; ends_within: number }>(
    `select count(settled_at)::int as settled, (max(end_time) - min(end_time))::int as ends_within,
      percentile_disc(0.5) within group (order by late)::float8 as p50, percentile_disc(0.99) within group (order by late)::float8 as p99, max(late)::float8 as most
    from (select *, extract(epoch from settled_at) * 1000 - end_time as late from trades where id = any ($1::bigint[])) t`,
    [`{${ids.join(',')}}`],
  )
  const { settled, ends_within, p50, p99, most } = rows[0]!
  console.log(
    `${settled} of ${TRADES} settled, ends within ${ends_within} ms: late by p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (at most 500 wanted), at most ${most.toFixed(0)} ms`,
  )
  await connection.close()
  await client.end()
  await app.stop()
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
