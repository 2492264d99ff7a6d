import { SECOND_MS } from '#kernel/time.ts'
import { atMost } from '../platform/process/at-most.ts'
import type { FrameEvent } from '../prices/index.ts'
import type { AlertsDeps } from './deps.ts'
import { alertsRoutes } from './routes.ts'
import { TradeNotices } from './trade-notices.ts'
import { watchAlerts } from './watch-alerts.ts'

export { currentPrice, levelOf, removeAlerts } from './arm.ts'
export type { Fire, PriceWatch, TimeWatch } from './conditions/terms.ts'
export type { AlertsTopics } from './deps.ts'
export { type ReadArmed, TapeWatch } from './engine.ts'
export { tickProblem, verifyAlerts } from './replay.ts'
export { priceText, timeText } from './words.ts'

export interface Alerts {
  routes: ReturnType<typeof alertsRoutes>
  /** The tape has a new frame. */
  frame(event: FrameEvent): void
  stop(): Promise<void>
}

/** What traders ask for reads one symbol's candles at a time: they are costly, and the engine doesn't wait in this queue. */
const CANDLE_READS = { waiting: 40, patienceMs: 3 * SECOND_MS }

/** Serves the alerts of all accounts, and judges them if this node is an engine. */
export function startAlerts(deps: AlertsDeps): Alerts {
  const engine = deps.works ? watchAlerts(deps) : undefined
  const trades = deps.works ? new TradeNotices(deps) : undefined
  if (trades) deps.bus.subscribe('trades-changed', (changed) => trades.settled(changed))
  if (engine) {
    deps.bus.subscribe('alerts-changed', ({ deleted }) => {
      if (deleted === null) engine.wake()
      else engine.forget(BigInt(deleted))
    })
    deps.bus.onGap(() => engine.wake())
  }
  const reads = atMost(1, CANDLE_READS)
  return {
    routes: alertsRoutes({ ...deps, candles: (...asked) => reads(() => deps.candles(...asked)) }),
    frame: (event) => engine?.frame(event),
    async stop() {
      await Promise.all([engine?.stop(), trades?.stop()])
    },
  }
}
