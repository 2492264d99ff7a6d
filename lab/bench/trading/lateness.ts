/**
 * How late trades settle: 10,000 trades of 1,000 traders that end within one second, on simulated prices, while the
 * traders have their sockets open and 2,000 new trades a second arrive through HTTP at an engine and a web, as
 * `npm start` runs them. The time from each trade's end to its settlement, compared with a tenth as many trades that
 * end shortly before, when nothing arrives: a trade waits for the price that proves its end. Takes over two minutes:
 * the shortest trade lasts one.
 *
 *   node lab/bench/trading/lateness.ts [trades] [arriving a second] [traders]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { idSource } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { accountOf } from '#server/ledger/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { acceptanceQueue, openAcceptanceConnection } from '#server/trading/acceptance/acceptance.ts'
import { newSalt } from '#server/trading/order-hash.ts'
import { databaseCpu } from '../support/cpu.ts'
import { inChild } from '../support/load/children.ts'
import type { Paced, PacedLoad } from '../support/load/paced-load.ts'
import { nodesOn } from '../support/nodes.ts'
import { benchPostgres } from '../support/postgres.ts'
import { cpuMs, treeOf } from '../support/processes.ts'
import { signUp } from '../support/sign-up.ts'

const TRADES = Number(process.argv[2] ?? 10_000)
const ARRIVING = Number(process.argv[3] ?? 2_000)
const TRADERS = Number(process.argv[4] ?? 1_000)
const GOAL_MS = 500
const DURATION_SECONDS = 60
/** New trades arrive from this long before the first end until `AFTER_MS` after it. */
const BEFORE_MS = 5_000
const AFTER_MS = 6_000
/** The trades of the reference have ended this long before. */
const REFERENCE_MS = 3_000

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-late-'))
const nodes = nodesOn(postgres.superUrl, dataDir)
try {
  const engine = await nodes.start('engine')
  const web = await nodes.start('web')
  const pids = [engine, web].map(({ pid }) => treeOf(pid))
  const tokens = await signUp(web.port, TRADERS)
  const client = new pg.Client({ connectionString: postgres.superUrl })
  await client.connect()
  const { rows: users } = await client.query<{ id: bigint }>('select id from users order by id')
  const { rows: symbols } = await client.query<{ id: number }>(
    'select id from instruments where trading_type is not null',
  )
  console.log(`${TRADERS} traders signed in`)

  // Without HTTP, as many as needed are placed in a second.
  const log = createLog('error')
  const connection = openAcceptanceConnection(postgres.superUrl, log)
  const newId = idSource(1_023)
  const queue = acceptanceQueue({ connection, openStakeMax: () => usd(10_000_000n), newId, log })

  /** Places trades at even distances within a second. */
  async function place(count: number): Promise<{ ids: bigint[]; firstEnd: number }> {
    const from = performance.now()
    const placed = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await sleep(Math.max(0, from + (index / count) * 1_000 - performance.now()))
        const result = await queue.submit({
          id: newId(),
          accountId: accountOf(users[index % users.length]!.id, 'demo'),
          symbolId: symbols[index % symbols.length]!.id,
          sourceKind: 2,
          staleAfterMs: 10_000,
          side: index % 2 ? 'Buy' : 'Sell',
          strikeRate: '75/3',
          percent: 75,
          stake: usd(100n),
          durationSeconds: DURATION_SECONDS,
          pressedAt: Date.now(),
          limited: false,
          offer: { version: 1, fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER },
          key: undefined,
          fingerprint: Buffer.alloc(16),
          salt: newSalt(),
        })
        if (result.kind !== 'accepted') throw new Error(`a trade was refused: ${result.kind}`)
        return result.accepted
      }),
    )
    return {
      ids: placed.map(({ order }) => order.id),
      firstEnd: Math.min(...placed.map(({ tradeTime }) => tradeTime)) + DURATION_SECONDS * 1_000,
    }
  }

  const reference = await place(TRADES / 10)
  await sleep(REFERENCE_MS + BEFORE_MS)
  const { ids, firstEnd } = await place(TRADES)
  console.log(`${TRADES} trades placed; waiting for them to end`)
  const { rows: clock } = await client.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  )
  await sleep(Math.max(0, firstEnd - BEFORE_MS - clock[0]!.now))
  const before = { nodes: pids.map(cpuMs), database: databaseCpu(postgres) }
  const arrived = await inChild<Paced>('paced-load.ts', {
    port: web.port,
    tokens,
    seconds: (BEFORE_MS + AFTER_MS) / 1000,
    perSecond: ARRIVING,
  } satisfies PacedLoad)
  console.log(
    `meanwhile ${arrived.perSecond.toFixed(0)} trades a second were accepted, p99 ${arrived.p99.toFixed(0)} ms, with ${TRADERS} sockets open`,
  )
  const [engineMs, webMs] = pids.map((of, at) => cpuMs(of) - before.nodes[at]!)
  console.log(
    `in these ${(BEFORE_MS + AFTER_MS) / 1000} s, processor time: engine ${seconds(engineMs!)}, web ${seconds(webMs!)}, PostgreSQL ${seconds((databaseCpu(postgres) - before.database) / 1000)}`,
  )

  async function lateness(of: readonly bigint[]) {
    const { rows } = await client.query<{ settled: number; p50: number; p99: number; most: number; within: number }>(
      `select count(settled_at)::int as settled, (max(end_time) - min(end_time))::int as within,
        percentile_disc(0.5) within group (order by late)::float8 as p50, percentile_disc(0.99) within group (order by late)::float8 as p99, max(late)::float8 as most
      from (select *, extract(epoch from settled_at) * 1000 - end_time as late from trades where id = any ($1::bigint[])) t`,
      [`{${of.join(',')}}`],
    )
    const { settled, within, p50, p99, most } = rows[0]!
    return `${settled} of ${of.length} settled, ends within ${within} ms: late by p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, at most ${most.toFixed(0)} ms`
  }
  console.log(`${await lateness(ids)} (p99 at most ${GOAL_MS} wanted)`)
  console.log(`when nothing arrived, ${await lateness(reference.ids)}`)
  await connection.close()
  await client.end()
} finally {
  nodes.stop()
  await sleep(1_000)
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
