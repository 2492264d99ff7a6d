/**
 * Throughput of accepting trades, without HTTP, compared with a TPC-B-like script with 16 connections on the same
 * PostgreSQL. Closed loops of 64 and 256 callers on 200,000 accounts. Slices are interleaved; the result is the median
 * of the ratios.
 *
 *   node lab/bench/trading/accept.ts [rounds] [seconds a slice] [lanes]
 */

import { ACCEPTANCE_LANES } from '#server/trading/acceptance/acceptance-lanes.ts'
import { openAcceptor } from '../support/acceptor.ts'
import { checkInvariants } from '../support/invariants.ts'
import { benchPostgres, median, tpcB, traders } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const SECONDS = Number(process.argv[3] ?? 2)
const LANES = Number(process.argv[4] ?? ACCEPTANCE_LANES)
const ACCOUNTS = 200_000

const postgres = await benchPostgres()
try {
  await traders(postgres, ACCOUNTS)
  console.log('traders created')
  const reference = await tpcB(postgres)
  console.log('reference ready')
  const acceptor = openAcceptor(postgres.urls.app, { accounts: ACCOUNTS, lanes: LANES })

  await acceptor.slice(64, SECONDS)
  await reference.slice(1)
  const ratios = { 64: [] as number[], 256: [] as number[] }
  for (let round = 1; round <= ROUNDS; round++) {
    const tps = await reference.slice(SECONDS)
    for (const callers of [64, 256] as const) {
      const { perSecond, p50, p99, cpuUs } = await acceptor.slice(callers, SECONDS)
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
  await acceptor.close()
  await reference.close()
  await checkInvariants(postgres.superUrl, { except: ['T8'] })
} finally {
  await postgres.stop()
}
