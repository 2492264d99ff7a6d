import type { FrameEvent } from '../prices/index.ts'
import type { WaitingDeps } from './deps.ts'
import { OrdersEngine } from './orders-engine.ts'
import { waitingRoutes } from './routes.ts'

export type { WaitingTopics } from './deps.ts'
export { cancelOrders } from './place-order.ts'
export { verifyTriggers } from './replay.ts'

export interface Waiting {
  routes: ReturnType<typeof waitingRoutes>
  /** The tape has a new frame. */
  frame(event: FrameEvent): void
  stop(): Promise<void>
}

/** Serves the orders that wait, and triggers them if this node is an engine. */
export function startWaiting(deps: WaitingDeps): Waiting {
  const engine = deps.works ? new OrdersEngine(deps) : undefined
  if (engine) {
    deps.bus.subscribe('waiting-changed', ({ cancelled }) => {
      if (cancelled === null) engine.wake()
      else engine.forget(BigInt(cancelled))
    })
    deps.bus.onGap(() => engine.wake())
  }
  return {
    routes: waitingRoutes(deps),
    frame: (event) => engine?.frame(event),
    async stop() {
      await engine?.stop()
    },
  }
}
