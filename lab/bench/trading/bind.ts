/**
 * What it costs that the tape binds each accepted order: throughput of accepting trades with and without, without HTTP.
 * With: the database lists the accepted orders, the answer has the order's hash, and every 400 ms a connection takes what
 * is listed, as the engine does. Slices are interleaved on one PostgreSQL with 200,000 accounts; the results are the medians
 * of the ratios, of trades a second and of CPU a trade (of this process and PostgreSQL, the engine's part included), which
 * other work on the machine changes less.
 *
 *   node lab/bench/trading/bind.ts [rounds] [seconds a slice] [list, hash or all: what is done] [folder of another version, to compare with]
 */
import { pathToFileURL } from 'node:url'
import { assert } from '#kernel/assert.ts'
import { openConnection } from '#server/platform/database/connection.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { startBinding } from '#server/trading/acceptance/bind-orders.ts'
import { acceptedReply } from '#server/trading/view.ts'
import { openAcceptor } from '../support/acceptor.ts'
import { databaseCpu } from '../support/cpu.ts'
import { checkInvariants } from '../support/invariants.ts'
import { benchPostgres, median, traders } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 9)
const SECONDS = Number(process.argv[3] ?? 2)
const PARTS = process.argv[4] ?? 'all'
const OTHER = process.argv[5]
const ACCOUNTS = 200_000
const log = createLog('error')

const postgres = await benchPostgres()
const database = openDatabase(postgres.urls.app, { max: 2, name: 'bench', log })
try {
  await traders(postgres, ACCOUNTS)
  const instruments = await loadInstruments(database.db)
  const binding = { is: false }
  const acceptor = openAcceptor(postgres.urls.app, {
    accounts: ACCOUNTS,
    accepted: (order) => {
      if (binding.is && PARTS !== 'list')
        assert(acceptedReply(instruments, { order, tradeTime: Date.now() }).order_hash, 'it has a hash')
    },
  })
  const other =
    OTHER === undefined
      ? acceptor
      : (
          (await import(`${pathToFileURL(OTHER)}/bench/support/acceptor.ts`)) as typeof import('../support/acceptor.ts')
        ).openAcceptor(postgres.urls.app, { accounts: ACCOUNTS })
  const connection = openConnection(postgres.urls.app, 'orders to bind', log)
  const orders = startBinding({
    connection,
    instruments,
    leads: () => binding.is && PARTS === 'all',
    mayHaveOpen: () => true,
    log,
  })
  let frame = 0
  const frames = setInterval(async () => {
    const next = orders.next()
    if (!next) return
    frame++
    await connection.run(
      'bind',
      'insert into frame_orders (frame, t, trade_ids, leaves, root) values ($1, $1, $2, $3, $4)',
      [frame, `{${next.tradeIds.join(',')}}`, next.leaves, next.root],
    )
    orders.ended(next)
  }, 250)

  const slices = {
    async with(callers: number) {
      await postgres.run('alter table trades enable trigger trades_await_frame')
      binding.is = true
      const slice = await acceptor.slice(callers, SECONDS)
      binding.is = false
      return slice
    },
    async without(callers: number) {
      await postgres.run('alter table trades disable trigger trades_await_frame')
      return other.slice(callers, SECONDS)
    },
  }
  await slices.with(64)
  const ratios = {
    64: { trades: [] as number[], cpu: [] as number[] },
    256: { trades: [] as number[], cpu: [] as number[] },
  }
  for (let round = 1; round <= ROUNDS; round++)
    for (const callers of [64, 256] as const) {
      const order = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)
      const perSecond = { with: 0, without: 0 }
      const cpuUs = { with: 0, without: 0 }
      for (const which of order) {
        const before = databaseCpu(postgres)
        const slice = await slices[which](callers)
        perSecond[which] = slice.perSecond
        cpuUs[which] = slice.cpuUs + (databaseCpu(postgres) - before) / (slice.perSecond * SECONDS)
      }
      ratios[callers].trades.push(perSecond.with / perSecond.without)
      ratios[callers].cpu.push(cpuUs.with / cpuUs.without)
      console.log(
        `round ${round}, ${callers} callers: ${perSecond.with.toFixed(0)} trades/s with, ${perSecond.without.toFixed(0)} without; CPU ${cpuUs.with.toFixed(1)} and ${cpuUs.without.toFixed(1)} us a trade`,
      )
    }
  for (const callers of [64, 256] as const)
    console.log(
      `${callers} callers: ${median(ratios[callers].trades).toFixed(3)} of the trades without, at least 0.95 wanted; CPU x${median(ratios[callers].cpu).toFixed(3)}`,
    )
  clearInterval(frames)
  await orders.stop()
  await acceptor.close()
  if (other !== acceptor) await other.close()
  await connection.close()
  await checkInvariants(postgres.superUrl, { except: ['T8', 'T10'] })
} finally {
  await database.close()
  await postgres.stop()
}
