/**
 * Accepted trades through HTTP, with real tokens: 16, 64 and 256 callers, and 64 whose traders all have a socket open.
 * The references, on the same PostgreSQL: TPC-B with 16 connections, and the same HTTP server with a plain statement
 * for each trade over 16 connections. Slices are interleaved; the results are medians of each round's ratios. A
 * separate process generates the load.
 *
 *   node lab/bench/trading/http.ts [rounds] [seconds a slice] [only cases whose name contains this]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '#server/app/app.ts'
import { readConfig } from '#server/config/config.ts'
import { createLog } from '#server/platform/process/log.ts'
import { databaseCpu } from '../support/cpu.ts'
import { checkInvariants } from '../support/invariants.ts'
import { inChild } from '../support/load/children.ts'
import type { Load, Loaded } from '../support/load/load.ts'
import { plainTrades } from '../support/plain-trade.ts'
import { benchPostgres, median, tpcB } from '../support/postgres.ts'
import { signUp } from '../support/sign-up.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const SECONDS = Number(process.argv[3] ?? 3)
const TRADERS = 256
const POOL = 16
/** Callers, whether sockets are open, and the wanted multiple of TPC-B. */
const CASES = [
  { name: '16 callers', callers: 16, listening: false, wanted: 1.3 },
  { name: '64 callers', callers: 64, listening: false, wanted: 2.5 },
  { name: '64 callers, sockets open', callers: 64, listening: true, wanted: undefined },
  { name: '256 callers', callers: 256, listening: false, wanted: 3.5 },
].filter(({ name }) => name.includes(process.argv[4] ?? ''))

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-http-'))
try {
  const log = createLog('error')
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, FEED: 'simulation:bench', RATE_LIMITS: 'off' })
  const passwordCost = { memory: 8, passes: 1, parallelism: 1 }
  const batched = await startApp({ config, log, urls: postgres.urls, passwordCost })
  const queue = plainTrades(postgres.urls.app, POOL)
  const plain = await startApp({ config, log, urls: postgres.urls, queue, passwordCost })
  const tokens = await signUp(batched.port, TRADERS)
  console.log(`${TRADERS} traders signed in`)
  const reference = await tpcB(postgres)
  console.log('TPC-B ready')

  const load = (port: number, callers: number, listening: boolean, seconds = SECONDS) =>
    inChild<Loaded>('load.ts', { port, tokens, seconds, callers, listening } satisfies Load)
  await load(batched.port, 64, false, 1)
  await load(plain.port, 64, false, 1)
  await reference.slice(1)

  const overTpcB = new Map<string, number[]>()
  const overPlain = new Map<string, number[]>()
  const overQuiet: number[] = []
  const add = (map: Map<string, number[]>, name: string, ratio: number) =>
    map.set(name, [...(map.get(name) ?? []), ratio])
  for (let round = 1; round <= ROUNDS; round++) {
    const tps = await reference.slice(SECONDS)
    console.log(`round ${round}: TPC-B ${tps.toFixed(0)}/s`)
    let quiet = 0
    for (const { name, callers, listening } of CASES) {
      const one = listening ? undefined : await load(plain.port, callers, false)
      const cpu = [process.cpuUsage(), databaseCpu(postgres)] as const
      const ours = await load(batched.port, callers, listening)
      const used = process.cpuUsage(cpu[0])
      const accepted = ours.perSecond * SECONDS
      add(overTpcB, name, ours.perSecond / tps)
      if (one) add(overPlain, name, ours.perSecond / one.perSecond)
      if (callers === 64 && !listening) quiet = ours.perSecond
      if (listening) overQuiet.push(ours.perSecond / quiet)
      console.log(
        `  ${name}: ${ours.perSecond.toFixed(0)}/s, x${(ours.perSecond / tps).toFixed(2)}, p99 ${ours.p99.toFixed(0)} ms, ${((used.user + used.system) / accepted).toFixed(0)} us of the server and ${((databaseCpu(postgres) - cpu[1]) / accepted).toFixed(0)} us of PostgreSQL a trade` +
          (one ? `; plain ${one.perSecond.toFixed(0)}/s (p99 ${one.p99.toFixed(0)} ms)` : ''),
      )
    }
  }
  for (const { name, wanted } of CASES) {
    const plainly = overPlain.get(name)
    console.log(
      `accepted through HTTP, ${name}: ${median(overTpcB.get(name)!).toFixed(2)} times TPC-B (${reference.driver}, 16 connections${wanted ? `, at least ${wanted} wanted` : ''})` +
        (plainly ? `, ${median(plainly).toFixed(2)} times a plain statement a trade` : ''),
    )
  }
  if (overQuiet.length > 0)
    console.log(`with every trader's socket open: ${median(overQuiet).toFixed(2)} times without (at least 0.9 wanted)`)
  await reference.close()
  await plain.stop()
  await batched.stop()
  await checkInvariants(postgres.superUrl)
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
