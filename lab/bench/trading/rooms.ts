/**
 * What it costs that the profit of each real trade takes room from its lane: throughput of accepting real trades with and
 * without, without HTTP. With: the accepting statement takes room in its lane, and an engine counts the open trades and
 * grants room about every second. Slices are interleaved on one PostgreSQL with 50,000 accounts; the results are the
 * medians of the ratios, of trades a second and of CPU a trade (of this process and PostgreSQL, the count included),
 * which other work on the machine changes less.
 *
 *   node lab/bench/trading/rooms.ts [rounds] [seconds a slice]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '#server/platform/bus/index.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { openLaneRooms, type RiskTopics, startRisk } from '#server/risk/index.ts'
import { ACCEPTANCE_LANES } from '#server/trading/index.ts'
import { openAcceptor } from '../support/acceptor.ts'
import { databaseCpu } from '../support/cpu.ts'
import { checkInvariants } from '../support/invariants.ts'
import { benchPostgres, median, traders } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 9)
const SECONDS = Number(process.argv[3] ?? 2)
const ACCOUNTS = 50_000
const log = createLog('error')

const postgres = await benchPostgres()
const database = openDatabase(postgres.urls.app, { max: 4, name: 'bench', log })
try {
  await traders(postgres, ACCOUNTS, 'real')
  const instruments = await loadInstruments(database.db)
  let wake = () => {}
  const bus = {
    publish: () => wake(),
    subscribe: (_: string, call: () => void) => (wake = call),
  } as unknown as Bus<RiskTopics>
  const rooms = await openLaneRooms({ db: database.db, log, bus, instruments, count: ACCEPTANCE_LANES })
  const counting = { is: true }
  const risk = startRisk({
    ...{ db: database.db, log, bus, instruments, production: false },
    tape: { latest: () => undefined },
    leads: () => counting.is,
    mayHaveOpenTrades: () => true,
  })
  const acceptors = {
    with: openAcceptor(postgres.urls.app, { accounts: ACCOUNTS, mode: 'real', rooms }),
    without: openAcceptor(postgres.urls.app, { accounts: ACCOUNTS, mode: 'real' }),
  }
  await sleep(2_000)
  await acceptors.with.slice(64, SECONDS)
  const ratios = {
    64: { trades: [] as number[], cpu: [] as number[] },
    256: { trades: [] as number[], cpu: [] as number[] },
  }
  for (let round = 1; round <= ROUNDS; round++) {
    for (const callers of [64, 256] as const) {
      const order = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)
      const perSecond = { with: 0, without: 0 }
      const cpuUs = { with: 0, without: 0 }
      for (const which of order) {
        counting.is = which === 'with'
        const before = databaseCpu(postgres)
        const slice = await acceptors[which].slice(callers, SECONDS)
        perSecond[which] = slice.perSecond
        cpuUs[which] = slice.cpuUs + (databaseCpu(postgres) - before) / (slice.perSecond * SECONDS)
      }
      ratios[callers].trades.push(perSecond.with / perSecond.without)
      ratios[callers].cpu.push(cpuUs.with / cpuUs.without)
      console.log(
        `round ${round}, ${callers} callers: ${perSecond.with.toFixed(0)} trades/s with, ${perSecond.without.toFixed(0)} without; CPU ${cpuUs.with.toFixed(1)} and ${cpuUs.without.toFixed(1)} us a trade`,
      )
    }
  }
  for (const callers of [64, 256] as const)
    console.log(
      `${callers} callers: ${median(ratios[callers].trades).toFixed(3)} of the trades without, at least 0.95 wanted; CPU x${median(ratios[callers].cpu).toFixed(3)}`,
    )
  await risk.stop()
  for (const acceptor of Object.values(acceptors)) await acceptor.close()
  await rooms.stop()
  await checkInvariants(postgres.superUrl, {
    except: ['T8', 'T10'],
  })
} finally {
  await database.close()
  await postgres.stop()
}
