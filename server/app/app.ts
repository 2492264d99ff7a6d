import { type Automatic, startAutomatic } from '../automatic/index.ts'
import type { Config } from '../config/config.ts'
import { inviteFirst, joinUrl } from '../desk/index.ts'
import type { PasswordCost } from '../identity/index.ts'
import { startReconciliation } from '../invariants/index.ts'
import { openBalancePush } from '../ledger/index.ts'
import { startMonitor } from '../platform/observe/monitor.ts'
import { openTracer } from '../platform/observe/tracing.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Feed } from '../prices/index.ts'
import { openProofKey, startCheckpoints, startSolvency, startTimestamps } from '../proof/index.ts'
import { startSignals } from '../signals/index.ts'
import { STRATEGIES } from '../strategies/index.ts'
import { startTrading } from '../trading/index.ts'
import { openBase } from './base.ts'
import { startEngine } from './engine.ts'
import { healthNotes, healthParts } from './health.ts'
import { engineMetrics, nodeMetrics, tradeMetrics } from './metrics.ts'
import { openScreens } from './screens.ts'
import { both, tradeTraces } from './traces.ts'
import { startWeb } from './web.ts'

export interface App {
  /** Where it listens; 0 without the role `web`. */
  port: number
  /** Where monitoring reads; undefined without `METRICS_PORT`. */
  metricsPort: number | undefined
  /** The first operator's invitation link and e-mail address; undefined once there is an operator. */
  firstOperator(): Promise<{ url: string; email: string } | undefined>
  stop(): Promise<void>
}

export interface AppOptions {
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
export async function startApp({
  config,
  log,
  urls,
  feed,
  clock: ownClock,
  checkReplies,
  passwordCost,
  queue,
}: AppOptions): Promise<App> {
  const isEngine = config.ROLES.includes('engine')
  const base = await openBase({
    config,
    log,
    urls,
    ...(feed ? { feed } : {}),
    ...(ownClock ? { clock: ownClock } : {}),
  })
  const { db, clock, bus, prices } = base
  const screens = config.ROLES.includes('web')
    ? await openScreens(base, checkReplies === undefined ? {} : { checkReplies })
    : undefined
  const balances = openBalancePush(bus)

  const measured = tradeMetrics(base.metrics, clock.now)
  const tracer =
    config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
      ? undefined
      : openTracer({
          endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: config.OTEL_EXPORTER_OTLP_HEADERS,
          service: `${config.OTEL_SERVICE_NAME}-${config.ROLES.join('+')}`,
          ratio: config.OTEL_TRACES_SAMPLER_ARG,
          log,
        })
  if (tracer)
    base.metrics.total('cleartick_spans_dropped_total', 'Spans that the collector did not take', (set) =>
      set(tracer.dropped()),
    )
  const trading = await startTrading({
    db,
    databaseUrl: urls.app,
    clock,
    tape: prices.tape,
    instruments: prices.instruments,
    log,
    newId: base.newId,
    rateLimits: base.rateLimits,
    realTradesOn: (kind) => kind === LIVE || config.realTradesOnTestPrices,
    needsDeepSources: !config.realTradesOnTestPrices,
    leadsPrices: prices.leads,
    bus,
    screens,
    balances,
    keys: base.keys,
    settles: isEngine,
    leads: prices.leads,
    tradesBegin: prices.endQuiet,
    observer: tracer ? both(measured, tradeTraces(tracer, clock)) : measured,
    ...(queue ? { queue } : {}),
  })
  base.needs(trading)

  // Start signals before automatic trades, which follow them.
  let automatic: Automatic | undefined
  const signals = startSignals({
    db,
    clock,
    tape: prices.tape,
    instruments: prices.instruments,
    strategies: STRATEGIES,
    log,
    works: isEngine,
    recorded: () => automatic?.wake(),
  })
  base.onFrame((event) => {
    trading.frame(event)
    signals.frame()
  })
  automatic = startAutomatic({
    db,
    clock,
    tape: prices.tape,
    instruments: prices.instruments,
    trading,
    notices: base.notices,
    bus,
    sockets: screens?.sockets,
    log,
    rateLimits: base.rateLimits,
    works: isEngine,
  })

  const engine = isEngine ? startEngine(base) : undefined
  const proofKey = isEngine ? openProofKey(config.dataDir, config.PROOF_KEY) : undefined
  const checkpoints = proofKey
    ? startCheckpoints({
        db,
        log,
        key: proofKey,
        instruments: prices.instruments,
        leads: prices.leads,
        everyMs: config.CHECKPOINT_SECONDS * 1_000,
      })
    : undefined
  const timestamps =
    isEngine && config.TIMESTAMP_URL !== undefined
      ? startTimestamps({ db, log, url: config.TIMESTAMP_URL, leads: prices.leads })
      : undefined
  const solvency = proofKey ? startSolvency({ db, log, key: proofKey, leads: prices.leads }) : undefined
  const reconciliation = isEngine
    ? startReconciliation({ db, log, leads: prices.leads, everyMs: config.RECONCILE_SECONDS * 1_000 })
    : undefined
  const parts = healthParts(base)
  const web = screens && (await startWeb({ base, screens, trading, signals, automatic, balances, parts, passwordCost }))
  nodeMetrics(base.metrics, { base, parts, trading, sockets: screens?.sockets })
  if (isEngine) engineMetrics(base.metrics, { base, reconciliation })
  const monitor =
    config.METRICS_PORT === undefined
      ? undefined
      : await startMonitor({
          host: config.METRICS_HOST,
          port: config.METRICS_PORT,
          token: config.METRICS_TOKEN,
          metrics: base.metrics,
          parts,
          notes: () => healthNotes(screens?.reads),
        })

  base.eventLoop.forget()
  return {
    port: web?.port ?? 0,
    metricsPort: monitor?.port,
    async firstOperator() {
      if (!web) return undefined
      const email = `operator@${config.SUPPORT_EMAIL.split('@').at(-1)}`
      const invitation = await inviteFirst(db, email)
      return invitation && { email, url: joinUrl(base.publicUrl(), invitation.token) }
    },
    async stop() {
      // Stop accepting requests, finish those under way, report settled trades, stop the tape, close the database.
      base.announceStop()
      await screens?.stop()
      await signals.stop()
      await automatic?.stop()
      await trading.stop()
      await tracer?.stop()
      await web?.stop()
      await checkpoints?.stop()
      await timestamps?.stop()
      await solvency?.stop()
      await reconciliation?.stop()
      await engine?.stop()
      await monitor?.close()
      await base.stop()
    },
  }
}
