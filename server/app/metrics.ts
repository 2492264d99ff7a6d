import type { FastifyInstance } from 'fastify'
import { payoutHalt } from '../cashier/index.ts'
import { overdueComplaints } from '../complaints/index.ts'
import { deskBacklog } from '../desk/index.ts'
import type { Reconciliation } from '../invariants/index.ts'
import { lastRuns } from '../platform/database/maintenance.ts'
import { readReplicas } from '../platform/database/replicas.ts'
import type { Responded } from '../platform/http/index.ts'
import { mailBacklog } from '../platform/mail/index.ts'
import { examineParts, type HealthParts } from '../platform/observe/health.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { mayRead } from '../platform/observe/monitor.ts'
import { keptFor } from '../platform/process/kept-for.ts'
import type { Sockets } from '../platform/sockets/sockets.ts'
import { type Trading, type TradingObserver, tradeBacklog } from '../trading/index.ts'
import type { Base } from './base.ts'
import type { NodeReads } from './reads.ts'

/** The database is read at most this often, however often metrics are requested. */
const READ_EVERY_MS = 5_000
const MEASURE_EVERY_MS = 60_000

const SECONDS = {
  request: [0.005, 0.025, 0.1, 0.5, 2, 10],
  acceptance: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  lateness: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60],
}

/** Serves metrics at `GET /metrics` of the web, as Prometheus text; 404 for anyone without access. */
export function serveMetrics(app: FastifyInstance, metrics: Metrics, token: string | undefined): void {
  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request.raw, token)) return reply.callNotFound()
    return reply.header('content-type', metrics.contentType).send(await metrics.text())
  })
}

/** Counts requests by route and class of status (`2xx`). Both are bounded: routes are rows of the contract. */
export function requestMetrics(metrics: Metrics): (response: Responded) => void {
  const observe = metrics.histogram('cleartick_http_request_duration_seconds', 'Time to respond to a request', {
    buckets: SECONDS.request,
    labels: ['route', 'status'],
  })
  return ({ route, status, tookMs }) => observe(tookMs / 1000, { route, status: `${Math.floor(status / 100)}xx` })
}

/** Counts trades as this node accepts and settles them. */
export function tradeMetrics(metrics: Metrics, now: () => number): TradingObserver {
  const accepted = metrics.counter('cleartick_trades_accepted_total', 'Accepted trades')
  const rejected = metrics.counter('cleartick_orders_rejected_total', 'Rejected orders, by error code', ['code'])
  const duration = metrics.histogram(
    'cleartick_acceptance_duration_seconds',
    'Time from an order to the commit of its trade',
    { buckets: SECONDS.acceptance },
  )
  const settled = metrics.counter('cleartick_trades_settled_total', 'Settled trades')
  const lateness = metrics.histogram(
    'cleartick_settlement_lateness_seconds',
    'Time from the end of a trade to the commit of its settlement',
    { buckets: SECONDS.lateness },
  )
  return {
    accepted({ tookMs }) {
      accepted()
      duration(tookMs / 1000)
    },
    rejected: (code) => rejected({ code }),
    settled(trades) {
      settled(undefined, trades.length)
      const at = now()
      for (const { endTime } of trades) lateness(Math.max(0, at - endTime) / 1000)
    },
  }
}

/** Registers what every node measures. */
export function nodeMetrics(
  metrics: Metrics,
  { base, parts, trading, sockets }: { base: Base; parts: HealthParts; trading: Trading; sockets: Sockets | undefined },
): void {
  const { config, prices, clock, eventLoop, bus } = base
  const { pool } = base.database
  metrics.gauge('cleartick_node', 'Roles of this process', (set) => set(1, { roles: config.ROLES.join('+') }), [
    'roles',
  ])
  metrics.gauge(
    'cleartick_health',
    'Whether each part is well',
    async (set) => {
      for (const [part, wrong] of Object.entries(await examineParts(parts))) set(wrong === '' ? 1 : 0, { part })
    },
    ['part'],
  )
  metrics.gauge(
    'cleartick_event_loop_lag_seconds',
    'Upper bound of the delays of the event loop in the last 10 to 20 s',
    (set) => set(eventLoop.lagMs() / 1000),
  )
  metrics.gauge('cleartick_frame', 'Number of the newest frame', (set) => set(prices.tape.head().n))
  metrics.gauge('cleartick_frame_age_seconds', 'Time since the newest frame', (set) =>
    set((clock.now() - prices.tape.head().t) / 1000),
  )
  metrics.gauge('cleartick_bus_connected', 'Whether messages of other nodes arrive', (set) =>
    set(bus.state().lostForMs === undefined ? 1 : 0),
  )
  metrics.gauge('cleartick_bus_peers', 'Other nodes that were heard of lately', (set) => set(bus.state().peers))
  metrics.total('cleartick_bus_gaps_total', 'Times that messages of other nodes may have been missed', (set) =>
    set(bus.state().gaps),
  )
  metrics.total('cleartick_bus_lost_total', 'Messages to other nodes that were not sent', (set) =>
    set(bus.state().lost),
  )
  metrics.gauge(
    'cleartick_database_connections',
    'Connections of the pool',
    (set) => {
      set(pool.totalCount - pool.idleCount, { state: 'busy' })
      set(pool.idleCount, { state: 'idle' })
    },
    ['state'],
  )
  metrics.gauge('cleartick_database_connections_max', 'Most connections that the pool opens', (set) =>
    set(pool.options.max),
  )
  metrics.gauge('cleartick_database_waiting', 'Queries that wait for a connection of the pool', (set) =>
    // The pool gives an idle connection to a query in the next tick: queries of this very scrape don't wait.
    set(Math.max(0, pool.waitingCount - pool.idleCount)),
  )
  metrics.gauge('cleartick_orders_waiting', 'Orders that wait for the next accepting statement', (set) =>
    set(trading.queues().orders),
  )
  if (!sockets) return
  metrics.gauge('cleartick_sockets', 'Open sockets', (set) => set(sockets.count()))
  metrics.gauge('cleartick_entries_waiting', 'New trades whose entry this node has not seen yet', (set) => {
    const { entries } = trading.queues()
    if (entries !== undefined) set(entries)
  })
}

/** Registers where the calls of a web node read. */
export function readMetrics(metrics: Metrics, { counts, standby }: NodeReads): void {
  metrics.total(
    'cleartick_reads_total',
    'Calls whose answer may be a moment old, by where they read',
    (set) => {
      for (const [from, count] of Object.entries(counts())) set(count, { from })
    },
    ['from'],
  )
  if (!standby) return
  metrics.gauge('cleartick_read_standby_used', 'Whether reads go to the standby', (set) =>
    set(standby.problem() === '' ? 1 : 0),
  )
  metrics.gauge('cleartick_read_standby_behind_seconds', 'How far the standby may be behind at most', (set) => {
    const behind = standby.behindMs()
    if (behind !== undefined) set(behind / 1000)
  })
  metrics.total('cleartick_read_standby_refused_total', 'Statements that the primary answered instead', (set) =>
    set(standby.refused()),
  )
}

/** Registers what the engine measures: its own work, and what the whole installation shares. */
export function engineMetrics(
  metrics: Metrics,
  { base, reconciliation }: { base: Base; reconciliation: Reconciliation | undefined },
): void {
  const { config, db, prices, clock } = base
  const { tape, instruments } = prices

  metrics.gauge('cleartick_leader', 'Whether this node writes the tape', (set) => set(prices.leads() ? 1 : 0))
  metrics.gauge(
    'cleartick_feed',
    'The source that prices come from',
    (set) => {
      for (const [kind, source] of ['live', 'replay', 'simulation'].entries())
        set(tape.kindNow() === kind ? 1 : 0, { source })
    },
    ['source'],
  )
  metrics.gauge(
    'cleartick_symbols',
    'Symbols that can be traded, by state of their price',
    (set) => {
      const states = instruments.list.flatMap(({ tradingType, symbol }) =>
        tradingType === null ? [] : [tape.status(symbol).status],
      )
      for (const state of ['open', 'stale', 'closed'] as const)
        set(states.filter((one) => one === state).length, { state })
    },
    ['state'],
  )
  const reports = keptFor(READ_EVERY_MS, () => prices.reports())
  metrics.gauge(
    'cleartick_exchange_markets',
    'Markets that are watched at each exchange',
    async (set) => {
      for (const { venue, markets } of (await reports()).venues) set(markets, { exchange: venue })
    },
    ['exchange'],
  )
  metrics.gauge(
    'cleartick_exchange_markets_counted',
    'Markets of each exchange whose price counts now',
    async (set) => {
      for (const { venue, counted } of (await reports()).venues) set(counted, { exchange: venue })
    },
    ['exchange'],
  )
  metrics.total(
    'cleartick_quotes_rejected_total',
    'Rejected quotes, by reason',
    (set) => {
      for (const [reason, count] of prices.refused()) set(count, { reason })
    },
    ['reason'],
  )
  const backlog = keptFor(READ_EVERY_MS, () => tradeBacklog(db, clock.now()))
  metrics.gauge('cleartick_trades_open', 'Open trades, counted up to 200,000', async (set) =>
    set((await backlog()).open),
  )
  metrics.gauge('cleartick_trades_due', 'Open trades whose end has passed', async (set) => set((await backlog()).due))
  metrics.gauge('cleartick_trades_due_age_seconds', 'Time since the end of the oldest due trade', async (set) =>
    set((await backlog()).oldestDueMs / 1000),
  )

  if (config.SMTP_URL) {
    const mails = keptFor(READ_EVERY_MS, () => mailBacklog(db))
    metrics.gauge('cleartick_mails_waiting', 'E-mails that wait to be sent', async (set) =>
      set((await mails()).waiting),
    )
    metrics.gauge('cleartick_mails_age_seconds', 'Age of the oldest e-mail that waits', async (set) =>
      set((await mails()).oldestSeconds),
    )
  }

  const desk = keptFor(READ_EVERY_MS, () => deskBacklog(db))
  metrics.gauge(
    'cleartick_desk_waiting',
    'Items that wait for an operator, by queue',
    async (set) => {
      for (const { queue, waiting } of await desk()) set(waiting, { queue })
    },
    ['queue'],
  )
  metrics.gauge(
    'cleartick_desk_age_seconds',
    'Age of the oldest item of each queue',
    async (set) => {
      for (const { queue, oldestSeconds } of await desk()) set(oldestSeconds, { queue })
    },
    ['queue'],
  )

  const overdue = keptFor(READ_EVERY_MS, () => overdueComplaints(db))
  metrics.gauge(
    'cleartick_complaints_overdue',
    'Open complaints after the day they had to be decided by',
    async (set) => set((await overdue()).complaints),
  )
  metrics.gauge(
    'cleartick_rulings_unpaid',
    "Approved rulings whose stakes haven't been returned after ten minutes",
    async (set) => set((await overdue()).rulings),
  )

  const runs = keptFor(READ_EVERY_MS, () => lastRuns(db))
  metrics.gauge(
    'cleartick_maintenance_succeeded',
    'Whether the last verify or backup succeeded',
    async (set) => {
      for (const { command, succeeded } of await runs()) set(succeeded ? 1 : 0, { command })
    },
    ['command'],
  )
  metrics.gauge(
    'cleartick_maintenance_last_run_timestamp_seconds',
    'When verify or backup last ran',
    async (set) => {
      for (const { command, finishedAt } of await runs()) set(finishedAt.getTime() / 1000, { command })
    },
    ['command'],
  )
  metrics.gauge(
    'cleartick_maintenance_last_success_timestamp_seconds',
    'When verify or backup last succeeded',
    async (set) => {
      for (const { command, succeededAt } of await runs())
        if (succeededAt) set(succeededAt.getTime() / 1000, { command })
    },
    ['command'],
  )

  const replicas = keptFor(READ_EVERY_MS, () => readReplicas(db))
  metrics.gauge('cleartick_replicas', 'Standbys and backups that read the log', async (set) =>
    set((await replicas()).length),
  )
  metrics.gauge(
    'cleartick_replica_lag_seconds',
    'How far each standby is behind. Needs pg_read_all_stats',
    async (set) => {
      for (const { name, lagSeconds } of await replicas())
        if (lagSeconds !== undefined) set(lagSeconds, { replica: name })
    },
    ['replica'],
  )

  const halt = keptFor(READ_EVERY_MS, () => payoutHalt(db))
  metrics.gauge('cleartick_payouts_halted', "Whether payouts are halted because the books don't agree", async (set) =>
    set((await halt()) ? 1 : 0),
  )
  metrics.gauge('cleartick_reconciliation_age_seconds', 'Time since the books were last known to agree', (set) => {
    const age = reconciliation?.ageSeconds()
    if (age !== undefined) set(age)
  })

  const size = keptFor(MEASURE_EVERY_MS, () => prices.measure())
  metrics.gauge(
    'cleartick_tape_bytes',
    'Bytes of the tape: one day of chain, one day of bodies, all retained bodies',
    async (set) => {
      const { chainBytesPerDay, bodyBytesPerDay, bodyBytes } = await size()
      set(chainBytesPerDay, { of: 'chain_per_day' })
      set(bodyBytesPerDay, { of: 'bodies_per_day' })
      set(bodyBytes, { of: 'bodies_kept' })
    },
    ['of'],
  )
}
