import type { FastifyInstance } from 'fastify'
import type { Responded } from '../platform/http/index.ts'
import { examineParts, type HealthParts } from '../platform/observe/health.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { mayRead } from '../platform/observe/monitor.ts'
import type { Sockets } from '../platform/sockets/sockets.ts'
import type { Trading, TradingObserver } from '../trading/index.ts'
import type { Base } from './base.ts'
import type { NodeReads } from './reads.ts'
import { diskMetrics } from './surroundings-metrics.ts'

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
  poolMetrics(metrics, base.database.pool)
  diskMetrics(metrics, config.dataDir)
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

function poolMetrics(metrics: Metrics, pool: Base['database']['pool']): void {
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
