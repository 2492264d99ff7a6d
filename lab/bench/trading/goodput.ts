/**
 * Goodput under overload: how many trades a second are accepted through HTTP at twice the rate that can be accepted,
 * compared with the maximum. Orders arrive at a fixed rate whether or not earlier ones were answered. The maximum is
 * the better of two results: 256 callers in a closed loop, and the same rate offered at a fixed pace. Slices are
 * interleaved; the result is the median.
 *
 *   node lab/bench/trading/goodput.ts [rounds] [seconds a slice] [connections]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '#server/app/app.ts'
import { readConfig } from '#server/config/config.ts'
import { createLog } from '#server/platform/process/log.ts'
import { checkInvariants } from '../support/invariants.ts'
import { inChild } from '../support/load/children.ts'
import type { Load, Loaded } from '../support/load/load.ts'
import type { Offered, OpenLoad } from '../support/load/open-load.ts'
import { benchPostgres, median } from '../support/postgres.ts'
import { signUp } from '../support/sign-up.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 5)
const CONNECTIONS = Number(process.argv[4] ?? 6_000)
const TRADERS = 256
const GOAL = 0.9

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-goodput-'))
try {
  const log = createLog('error')
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, FEED: 'simulation:bench', RATE_LIMITS: 'off' })
  const passwordCost = { memory: 8, passes: 1, parallelism: 1 }
  const app = await startApp({ config, log, urls: postgres.urls, passwordCost })
  const tokens = await signUp(app.port, TRADERS)
  const closed = (seconds: number) =>
    inChild<Loaded>('load.ts', { port: app.port, tokens, seconds, callers: 256, listening: false } satisfies Load)
  const offer = (perSecond: number) =>
    inChild<Offered>('open-load.ts', {
      port: app.port,
      tokens,
      seconds: SECONDS,
      perSecond,
      connections: CONNECTIONS,
    } satisfies OpenLoad)
  await closed(2)
  const ratios: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const most = await closed(SECONDS)
    const once = await offer(most.perSecond)
    const twice = await offer(2 * most.perSecond)
    const maximum = Math.max(most.perSecond, once.accepted)
    ratios.push(twice.accepted / maximum)
    console.log(
      `round ${round}: 256 callers ${most.perSecond.toFixed(0)}/s, p99 ${most.p99.toFixed(0)} ms; the generator took ${most.cores.toFixed(2)} cores`,
    )
    for (const [name, { accepted, p50, p99, busy, unsent, others, cores }] of [
      ['offered at that rate', once],
      ['offered at twice that rate', twice],
    ] as const) {
      console.log(
        `  ${name}: ${accepted.toFixed(0)}/s accepted after p50 ${p50.toFixed(0)} and p99 ${p99.toFixed(0)} ms; ${busy} got 503 with Retry-After, ${others} another response, ${unsent} weren't sent; the generator took ${cores.toFixed(2)} cores`,
      )
    }
  }
  console.log(`goodput at twice the load: ${median(ratios).toFixed(2)} of the maximum (at least ${GOAL} wanted)`)
  await app.stop()
  await checkInvariants(postgres.superUrl)
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
