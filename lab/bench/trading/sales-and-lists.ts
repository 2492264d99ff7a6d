/**
 * What orders to sell and many price lists cost acceptance: trades accepted a second, p99 and CPU a trade (of this process
 * and PostgreSQL), without HTTP, with 64 callers. Slices are interleaved on one PostgreSQL with 50,000 accounts; the results
 * are the medians of the ratios.
 *
 * Sales: while trades are accepted, a steady stream of orders to sell older trades arrives, and the node that settles
 * decides them by prices that come four times a second. CPU a trade includes theirs.
 * Lists: the largest document that operators can approve (20 lists, 50 rules, none but the last of which fits), compared
 * with the one list of the start. Each order looks up what is offered.
 *
 *   node lab/bench/trading/sales-and-lists.ts [rounds] [seconds a slice] [sales a second]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { EVERY_DAY, LISTS_MAX, offerAt, type PriceListDocument, RULES_MAX } from '#contract/trading/offers.ts'
import { assert } from '#kernel/assert.ts'
import { usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { userOf } from '#server/ledger/index.ts'
import { openConnection } from '#server/platform/database/connection.ts'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { newestVersions } from '#server/price-lists/price-lists.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { encodeBody } from '#server/prices/tape/frames/frame.ts'
import { orderSale } from '#server/trading/sales/order-sale.ts'
import { startSelling } from '#server/trading/sales/sell-trades.ts'
import { openAcceptor } from '../support/acceptor.ts'
import { databaseCpu } from '../support/cpu.ts'
import { checkInvariants } from '../support/invariants.ts'
import { benchPostgres, median, traders } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 9)
const SECONDS = Number(process.argv[3] ?? 2)
const SALES_A_SECOND = Number(process.argv[4] ?? 50)
const ACCOUNTS = 50_000
const CALLERS = 64
const HELD_SECONDS = 3_600
const FRAME_MS = 250
/** About two basis points a minute, in billionths squared. */
const VARIANCE = 40_000_000_000
const log = createLog('error')

const postgres = await benchPostgres()
const database = openDatabase(postgres.urls.app, { max: 4, name: 'bench', log })
const { db } = database
const connection = openConnection(postgres.urls.app, 'sales', log)
try {
  await traders(postgres, ACCOUNTS)
  const instruments = await loadInstruments(db)
  const symbols = Array.from({ length: 79 }, (_, at) => must(instruments.byId(at + 1)))

  let versions = await newestVersions(db)
  const acceptor = openAcceptor(postgres.urls.app, {
    accounts: ACCOUNTS,
    offer(symbolId) {
      const { symbol, tradingType } = must(instruments.byId(symbolId))
      const { pairs, ...offer } = offerAt(
        versions,
        { symbol, tradingType: must(tradingType), duration: 60 },
        Date.now(),
      )
      assert(pairs.includes('75/3'), 'every list offers it')
      return offer
    },
  })

  // Prices of all symbols four times a second, and the variances of each minute, as the engine writes them.
  let frames = 0
  let stated = 0
  async function writeFrame(): Promise<void> {
    const t: Ms = Date.now()
    const n = ++frames
    const minute = Math.floor((t - 3 * SECOND_MS - 1) / MINUTE_MS)
    const variances =
      minute === stated
        ? []
        : symbols.map(({ symbol }) => ({ symbol, value: VARIANCE })).sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
    stated = minute
    await connection.run('frame', 'insert into frames (n, t, hash, body) values ($1, $2, $3, $4)', [
      ...[n, t, Buffer.alloc(32, 1), encodeBody(t, [], { variances })],
    ])
    await connection.run(
      'ticks',
      `insert into ticks (symbol_id, source_ms, seq, price, kind, frame)
       select id, $2::bigint, $1::bigint, 1000000 + ($1::bigint * id) % 100, 2, $1::bigint from unnest($3::smallint[]) id`,
      [n, t, `{${symbols.map(({ id }) => id).join(',')}}`],
    )
    selling.frame()
  }
  const sellingConnection = openConnection(postgres.urls.app, 'selling', log)
  const selling = startSelling({
    ...{ db, connection: sellingConnection, instruments, log, changed: () => undefined },
    tape: { provenUntil: () => Date.now() - 3 * SECOND_MS },
  })
  let isRunning = true
  const writing = (async () => {
    for (; isRunning; await sleep(FRAME_MS)) await writeFrame()
  })()

  const held: { id: bigint; userId: bigint }[] = []
  const older = openAcceptor(postgres.urls.app, {
    accounts: ACCOUNTS,
    durationSeconds: HELD_SECONDS,
    accepted: ({ id, accountId }) => held.push({ id, userId: userOf(accountId) }),
  })
  while (held.length < 1.5 * ROUNDS * SECONDS * SALES_A_SECOND) await older.slice(CALLERS, 1)
  await older.close()
  await sleep(11 * SECOND_MS)
  // As autovacuum does on an installation that has run for a while.
  await postgres.run('analyze trades; analyze ticks; analyze frames')

  let ordered = 0
  async function sellSteadily(until: number): Promise<void> {
    const began = performance.now()
    const orders: Promise<unknown>[] = []
    for (let n = 0; performance.now() < until; n++) {
      await sleep(Math.max(0, began + (n * 1_000) / SALES_A_SECOND - performance.now()))
      const trade = held.pop()
      if (!trade) throw new Error('no trade is left to sell')
      orders.push(
        orderSale(
          {
            ...{ db, instruments, clock: { now: Date.now } },
            keys: undefined as never,
            tape: { status: () => ({ status: 'open' }) as never },
            ordered: (tx) => tx.afterCommit(() => selling.ordered()),
          },
          {
            ...{ userId: trade.userId, tradeId: trade.id, minimum: usd(1n), pressedAt: undefined, key: undefined },
            arrivedAt: performance.now(),
          },
        ),
      )
    }
    ordered += orders.length
    await Promise.all(orders)
  }

  interface Slice {
    perSecond: number
    p99: number
    cpuUs: number
  }
  async function measured(beside: () => Promise<unknown> = async () => undefined): Promise<Slice> {
    const before = databaseCpu(postgres)
    const [slice] = await Promise.all([acceptor.slice(CALLERS, SECONDS), beside()])
    const cpuUs = slice.cpuUs + (databaseCpu(postgres) - before) / (slice.perSecond * SECONDS)
    return { ...slice, cpuUs }
  }
  async function listsAre(document: PriceListDocument): Promise<void> {
    const { version } = must(versions.at(-1))
    await postgres.run(`begin; set local session_replication_role = replica;
      insert into price_list_versions (version, document, from_ms, made_at, proposal_id)
      values (${version + 1}, '${JSON.stringify(document)}', ${Date.now()}, now(), ${version + 1}); commit`)
    versions = await newestVersions(db)
    await sleep(50)
  }
  const one = must(versions[0]).document
  const always = { group: null, days: [...EVERY_DAY], from_hour: 0, to_hour: 24, durations: [60] }
  const many: PriceListDocument = {
    lists: Array.from({ length: LISTS_MAX }, (_, at) => ({ name: `List ${at + 1}`, pairs: must(one.lists[0]).pairs })),
    rules: Array.from({ length: RULES_MAX }, (_, at) =>
      at === RULES_MAX - 1
        ? { ...always, symbols: [], list: LISTS_MAX }
        : { ...always, symbols: [must(symbols[at]).symbol], durations: [120], list: 1 + (at % LISTS_MAX) },
    ),
  }

  const parts = {
    sales: {
      name: `${SALES_A_SECOND} orders to sell a second`,
      with: () => measured(() => sellSteadily(performance.now() + SECONDS * 1_000)),
      without: () => measured(),
    },
    lists: {
      name: `${LISTS_MAX} price lists with ${RULES_MAX} rules`,
      async with() {
        await listsAre(many)
        return measured()
      },
      async without() {
        await listsAre(one)
        return measured()
      },
    },
  }
  await parts.sales.with()
  const results: Record<keyof typeof parts, Slice[]> = { sales: [], lists: [] }
  for (let round = 1; round <= ROUNDS; round++)
    for (const which of ['sales', 'lists'] as const) {
      const part = parts[which]
      const first = round % 2 === 0 ? await part.with() : undefined
      const without = await part.without()
      const withThem = first ?? (await part.with())
      results[which].push({
        perSecond: withThem.perSecond / without.perSecond,
        p99: withThem.p99 / without.p99,
        cpuUs: withThem.cpuUs / without.cpuUs,
      })
      console.log(
        `round ${round}, ${part.name}: ${withThem.perSecond.toFixed(0)} trades/s with, ${without.perSecond.toFixed(0)} without; p99 ${withThem.p99.toFixed(1)} and ${without.p99.toFixed(1)} ms; CPU ${withThem.cpuUs.toFixed(1)} and ${without.cpuUs.toFixed(1)} us a trade`,
      )
    }
  for (const which of ['sales', 'lists'] as const) {
    const of = (figure: keyof Slice) => median(results[which].map((ratio) => ratio[figure])).toFixed(3)
    console.log(
      `${parts[which].name}: ${of('perSecond')} of the trades without, at least 0.95 wanted; p99 x${of('p99')}, CPU x${of('cpuUs')}`,
    )
  }
  // The last orders are decided by the next prices.
  await sleep(2 * SECOND_MS)
  const { rows } = await sql<{ outcome: string | null; says: string | null; n: number }>`
    select outcome, says, count(*)::int as n from sale_orders group by 1, 2`.execute(db)
  assert(
    rows.length === 1 && rows[0]?.outcome === 'sold' && rows[0].n === ordered,
    `all were sold: ${JSON.stringify(rows)}`,
  )
  console.log(`${ordered} trades were sold`)
  isRunning = false
  await writing
  await selling.stop()
  await sellingConnection.close()
  await acceptor.close()
  // The versions of the price lists are the bench's own.
  await checkInvariants(postgres.superUrl, { except: ['T8', 'T10', 'T13'] })
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await connection.close()
  await database.close()
  await postgres.stop()
}
