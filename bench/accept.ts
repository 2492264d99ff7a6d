/**
 * Accepted trades, engine only, against a TPC-B-like script with 16 connections on the same PostgreSQL: closed loops of
 * 64 and 256 callers on 200,000 accounts, slices interleaved, the median of the ratios.
 *
 *   node bench/accept.ts [rounds] [seconds a slice] [lanes]
 */

import { idSource } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { accountOf } from '#server/ledger/index.ts'
import { createLog } from '#server/platform/log.ts'
import {
  ACCEPTANCE_LANES,
  acceptanceLanes,
  acceptanceQueue,
  openAcceptanceConnection,
} from '#server/trading/acceptance.ts'
import type { Order } from '#server/trading/order.ts'
import { checkInvariants } from './support/invariants.ts'
import { benchPostgres, median, tpcB, traders } from './support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const SECONDS = Number(process.argv[3] ?? 2)
const LANES = Number(process.argv[4] ?? ACCEPTANCE_LANES)
const ACCOUNTS = 200_000

const postgres = await benchPostgres()
try {
  await traders(postgres, ACCOUNTS)
  console.log('traders entered')
  const reference = await tpcB(postgres)
  console.log('reference ready')
  const log = createLog('error')
  const connections = Array.from({ length: LANES }, () => openAcceptanceConnection(postgres.urls.app, log))
  const queue = acceptanceLanes(
    connections.map((connection) => acceptanceQueue({ connection, openStakeMax: () => usd(10_000_000_000n), log })),
  )
  const newId = idSource(1)
  const nothing = Buffer.alloc(16)

  const order = (): Order => ({
    id: newId(),
    accountId: accountOf(BigInt(1 + Math.floor(Math.random() * ACCOUNTS)), 'demo'),
    symbolId: 1 + Math.floor(Math.random() * 79),
    sourceKind: 2,
    staleAfterMs: 10_000,
    side: Math.random() < 0.5 ? 'Buy' : 'Sell',
    strikeRate: '75/3',
    percent: 75,
    stake: usd(BigInt(100 + Math.floor(Math.random() * 5_000))),
    durationSeconds: 60,
    limited: false,
    // Every web client sends a key, so every order here has one.
    key: Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2),
    fingerprint: nothing,
  })

  async function slice(callers: number) {
    const cpu = process.cpuUsage()
    const until = performance.now() + SECONDS * 1000
    let accepted = 0
    const times: number[] = []
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (performance.now() < until) {
          const begun = performance.now()
          await queue.submit(order()).then(
            () => accepted++,
            () => undefined,
          )
          times.push(performance.now() - begun)
        }
      }),
    )
    times.sort((a, b) => a - b)
    const used = process.cpuUsage(cpu)
    return {
      cpuUs: (used.user + used.system) / accepted,
      perSecond: accepted / SECONDS,
      p50: times[times.length >> 1]!,
      p99: times[Math.floor(times.length * 0.99)]!,
    }
  }

  await slice(64)
  await reference.slice(1)
  const ratios = { 64: [] as number[], 256: [] as number[] }
  for (let round = 1; round <= ROUNDS; round++) {
    const tps = await reference.slice(SECONDS)
    for (const callers of [64, 256] as const) {
      const { perSecond, p50, p99, cpuUs } = await slice(callers)
      ratios[callers].push(perSecond / tps)
      console.log(
        `round ${round}: TPC-B ${tps.toFixed(0)}/s, ${callers} callers ${perSecond.toFixed(0)} trades/s, x${(perSecond / tps).toFixed(2)}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cpuUs.toFixed(1)} us of this process a trade`,
      )
    }
  }
  for (const callers of [64, 256] as const) {
    console.log(
      `accepted trades, ${callers} callers: ${median(ratios[callers]).toFixed(2)} times TPC-B (${reference.driver}, 16 connections), at least ${callers === 64 ? 3.5 : 5} wanted`,
    )
  }
  await queue.drain()
  await Promise.all(connections.map((connection) => connection.close()))
  await reference.close()
  await checkInvariants(postgres.superUrl, { except: ['T8'] })
} finally {
  await postgres.stop()
}
