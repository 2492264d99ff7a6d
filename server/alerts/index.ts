import type { FrameEvent } from '../prices/index.ts'
import type { AlertsDeps } from './deps.ts'
import { AlertsEngine } from './engine.ts'
import { alertsRoutes } from './routes.ts'
import { TradeNotices } from './trade-notices.ts'

export type { AlertsDeps, AlertsTopics } from './deps.ts'
export { verifyAlerts } from './replay.ts'

export interface Alerts {
  routes: ReturnType<typeof alertsRoutes>
  /** The tape has a new frame. */
  frame(event: FrameEvent): void
  stop(): Promise<void>
}

/** Serves the alerts of all accounts, and judges them if this node is an engine. */
export function startAlerts(deps: AlertsDeps): Alerts {
  const engine = deps.works ? new AlertsEngine(deps) : undefined
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
