import { type Alerts, startAlerts } from '../alerts/index.ts'
import { type Automatic, startAutomatic } from '../automatic/index.ts'
import type { Config } from '../config/config.ts'
import { inviteFirst, joinUrl } from '../desk/index.ts'
import type { PasswordCost } from '../identity/index.ts'
import { type BalancePush, openBalancePush } from '../ledger/index.ts'
import { recordedStrategies } from '../own-strategies/index.ts'
import type { HealthParts } from '../platform/observe/health.ts'
import { startMonitor } from '../platform/observe/monitor.ts'
import { openTracer, type Tracer } from '../platform/observe/tracing.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Loop } from '../platform/process/loop.ts'
import type { Feed } from '../prices/index.ts'
import { openLaneRooms, startRisk } from '../risk/index.ts'
import { type Signals, startSignals } from '../signals/index.ts'
import { STRATEGIES } from '../strategies/index.ts'
import { ACCEPTANCE_LANES, type LaneRooms, startTrading, type Trading } from '../trading/index.ts'
import { startWaiting, type Waiting } from '../waiting/index.ts'
import { type Base, openBase } from './base.ts'
import { startEngine, startProof } from './engine.ts'
import { engineMetrics } from './engine-metrics.ts'
import { healthNotes, healthParts } from './health.ts'
import { nodeMetrics, tradeMetrics } from './metrics.ts'
import { openScreens, type Screens } from './screens.ts'
import { both, tradeTraces } from './traces.ts'
import { startWeb } from './web/web.ts'

interface App {
  /** Where it listens; 0 without the role `web`. */
  port: number
  /** Where monitoring reads; undefined without `METRICS_PORT`. */
  metricsPort: number | undefined
  /** The first operator's invitation link and e-mail address; undefined once there is an operator. */
  firstOperator(): Promise<{ url: string; email: string } | undefined>
  stop(): Promise<void>
}

interface AppOptions {
  config: Config
  log: Log
  /** The server's login to a database with the newest schema. */
  urls: { app: string }
  /** Tests: custom prices, tape time that a test advances, and every response checked against the contract. */
  feed?: Feed
  clock?: Clock
  checkReplies?: boolean
  /** Tests: passwords that cost less to hash. */
  passwordCost?: PasswordCost
  /** Benchmarks: another way to accept trades, for comparison. */
  queue?: Parameters<typeof startTrading>[0]['queue']
}

const LIVE = 0

/**
 * Starts one node with the roles of `ROLES`: assembles the rooms, from the bottom to the top. What a room needs from one
 * above it is passed in as a function.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log, urls, feed, clock, checkReplies, passwordCost } = options
  const isEngine = config.ROLES.includes('engine')
  const base = await openBase({ config, log, urls, ...(feed ? { feed } : {}), ...(clock ? { clock } : {}) })
  const screens = config.ROLES.includes('web')
    ? await openScreens(base, checkReplies === undefined ? {} : { checkReplies })
    : undefined
  const balances = openBalancePush(base.bus)
  const tracer = openTracing(base)
  const rooms = await openLaneRooms({ ...base, instruments: base.prices.instruments, count: ACCEPTANCE_LANES })
  const trading = await openTrading(base, { screens, balances, tracer, rooms, queue: options.queue })
  const followers = startFollowers(base, trading, screens)

  const engine = isEngine ? startEngine(base) : undefined
  const proof = isEngine ? startProof(base) : undefined
  const risk = isEngine ? riskOf(base, trading) : undefined
  const parts = healthParts(base)
  const web = screens && (await startWeb({ base, screens, trading, ...followers, balances, parts, passwordCost }))
  nodeMetrics(base.metrics, { base, parts, trading, sockets: screens?.sockets })
  if (proof) engineMetrics(base.metrics, { base, ...proof })
  const monitor = await openMonitor(base, parts, screens)

  base.eventLoop.forget()
  return {
    port: web?.port ?? 0,
    metricsPort: monitor?.port,
    async firstOperator() {
      if (!web) return undefined
      const email = `operator@${config.SUPPORT_EMAIL.split('@').at(-1)}`
      const invitation = await inviteFirst(base.db, email)
      return invitation && { email, url: joinUrl(base.publicUrl(), invitation.token) }
    },
    async stop() {
      // Stop accepting requests, finish those under way, report settled trades, stop the tape, close the database.
      base.announceStop()
      await screens?.stop()
      await followers.alerts.stop()
      await followers.waiting.stop()
      await followers.signals.stop()
      await followers.automatic.stop()
      await trading.stop()
      await risk?.stop()
      await rooms.stop()
      await tracer?.stop()
      await web?.stop()
      await proof?.stop()
      await engine?.stop()
      await monitor?.close()
      await base.stop()
    },
  }
}

/** Opens the tracer; undefined without a collector. */
function openTracing({ config, log, metrics }: Base): Tracer | undefined {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  const tracer = openTracer({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    service: `${config.OTEL_SERVICE_NAME}-${config.ROLES.join('+')}`,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  })
  metrics.total('cleartick_spans_dropped_total', 'Spans that the collector did not take', (set) =>
    set(tracer.dropped()),
  )
  return tracer
}

/** Starts trading, and settlement if this node is an engine. */
async function openTrading(
  base: Base,
  parts: {
    screens: Screens | undefined
    balances: BalancePush
    tracer: Tracer | undefined
    rooms: LaneRooms
    queue: AppOptions['queue'] | undefined
  },
): Promise<Trading> {
  const { config, clock, prices } = base
  const measured = tradeMetrics(base.metrics, clock.now)
  const trading = await startTrading({
    db: base.db,
    databaseUrl: base.urls.app,
    clock,
    tape: prices.tape,
    instruments: prices.instruments,
    log: base.log,
    newId: base.newId,
    realStop: base.levers.realStop,
    priceLists: base.priceLists,
    realTradesOn: (kind) => kind === LIVE || config.realTradesOnTestPrices,
    needsDeepSources: !config.realTradesOnTestPrices,
    leadsPrices: prices.leads,
    bus: base.bus,
    screens: parts.screens,
    balances: parts.balances,
    rooms: parts.rooms,
    keys: base.keys,
    settles: config.ROLES.includes('engine'),
    leads: prices.leads,
    tradesBegin: prices.endQuiet,
    observer: parts.tracer ? both(measured, tradeTraces(parts.tracer, clock)) : measured,
    ...(parts.queue ? { queue: parts.queue } : {}),
  })
  base.needs(trading)
  return trading
}

/** Starts what grants the lanes of all nodes their room for real trades. */
const riskOf = ({ config, db, log, bus, prices }: Base, { mayHaveOpenTrades }: Trading): Loop =>
  startRisk({ ...prices, ...{ db, log, bus, mayHaveOpenTrades }, production: config.production })

/** Starts what follows the tape: alerts, waiting orders, signals, and the automatic trades that follow those. */
function startFollowers(
  base: Base,
  trading: Trading,
  screens: Screens | undefined,
): { alerts: Alerts; waiting: Waiting; signals: Signals; automatic: Automatic } {
  const { db, clock, log, config, bus, notices, priceLists } = base
  const { tape, instruments, candles } = base.prices
  const works = config.ROLES.includes('engine')
  // Start signals before automatic trades, which follow them.
  let automatic: Automatic | undefined
  const signals = startSignals({
    ...{ db, clock, tape, instruments, log, works },
    strategies: STRATEGIES,
    traders: recordedStrategies(db, log),
    onReceived: (listener) => bus.subscribe('wake', (what) => what === 'signals' && listener()),
    recorded: () => automatic?.wake(),
  })
  const alerts = startAlerts({ db, tape, candles, instruments, notices, bus, log, works })
  const waiting = startWaiting({
    db,
    clock,
    tape,
    instruments,
    priceLists,
    trading,
    notices,
    keys: base.keys,
    bus,
    log,
    works,
  })
  base.onFrame((event) => {
    trading.frame(event)
    waiting.frame(event)
    signals.frame()
    alerts.frame(event)
  })
  automatic = startAutomatic({
    ...{ db, clock, tape, instruments, priceLists, trading, log, works },
    notices,
    bus,
    sockets: screens?.sockets,
  })
  return { alerts, waiting, signals, automatic }
}

/** Opens the port for monitoring; undefined without `METRICS_PORT`. */
async function openMonitor({ config, metrics }: Base, parts: HealthParts, screens: Screens | undefined) {
  if (config.METRICS_PORT === undefined) return undefined
  return startMonitor({
    host: config.METRICS_HOST,
    port: config.METRICS_PORT,
    token: config.METRICS_TOKEN,
    metrics,
    parts,
    notes: () => healthNotes(screens?.reads),
  })
}
