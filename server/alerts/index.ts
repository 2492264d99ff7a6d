import type { FrameEvent } from '../prices/index.ts'
import type { AlertsDeps } from './deps.ts'
import { alertsRoutes } from './routes.ts'
import { TradeNotices } from './trade-notices.ts'
import { watchAlerts } from './watch-alerts.ts'

export { currentPrice, levelOf, removeAlerts } from './arm.ts'
export type { AlertsDeps, AlertsTopics } from './deps.ts'
export { type ReadArmed, TapeWatch } from './engine.ts'
export { tickProblem, verifyAlerts } from './replay.ts'
export type { Fire, PriceWatch, TimeWatch } from './terms.ts'
export { priceText, timeText } from './words.ts'

export interface Alerts {
  routes: ReturnType<typeof alertsRoutes>
  /** The tape has a new frame. */
  frame(event: FrameEvent): void
  stop(): Promise<void>
}

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
  return {
    routes: alertsRoutes(deps),
    frame: (event) => engine?.frame(event),
    async stop() {
      await Promise.all([engine?.stop(), trades?.stop()])
    },
  }
}
