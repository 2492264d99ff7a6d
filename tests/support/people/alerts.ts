import type { Notice } from '#contract/messages/notices.ts'
import type { Alert, AlertBody } from '#contract/trading/alerts.ts'
import { makeAlert } from '#server/alerts/arm.ts'
import type { AlertsDeps } from '#server/alerts/deps.ts'
import { alertsRoutes } from '#server/alerts/routes.ts'
import { watchAlerts } from '#server/alerts/watch-alerts.ts'
import { createLog } from '#server/platform/process/log.ts'
import { startTestPrices } from '../prices/prices.ts'
import type { TestDatabase } from '../servers/database.ts'
import { openTestNotices } from './notices.ts'

type Engine = ReturnType<typeof watchAlerts>

/** Opens alerts on a tape that the test writes, frame by frame. Engines look only when the test says so. */
export async function openTestAlerts(database: TestDatabase) {
  const engines = new Set<Engine>()
  const prices = await startTestPrices(database, {
    onFrame: (event) => {
      for (const engine of engines) engine.frame(event)
    },
  })
  const notified: Notice[] = []
  const deps: AlertsDeps = {
    db: database.db,
    tape: prices.tape,
    candles: prices.candles,
    instruments: prices.instruments,
    notices: openTestNotices(notified),
    bus: { publish: () => undefined, subscribe: () => () => undefined, onGap: () => undefined },
    log: createLog('silent'),
    works: true,
  }
  const routes = alertsRoutes(deps)
  const who = (userId: bigint, isGuest = false) => ({ userId, sessionId: 1n, isGuest })
  const make = (userId: bigint, body: Partial<AlertBody>, isGuest = false): Promise<Alert> =>
    makeAlert(deps, who(userId, isGuest), { kind: 'price', symbol: 'BTCUSDT', direction: 'either', ...body })

  return {
    prices,
    deps,
    routes,
    notified,
    who,
    make,
    /** Starts an engine that sees the frames from now on. */
    engine(more: Partial<AlertsDeps> = {}): Engine {
      const engine = watchAlerts({ ...deps, ...more }, { byHand: true })
      engines.add(engine)
      return engine
    },
    /** An engine that sees no more frames: it died. */
    kill: (engine: Engine) => engines.delete(engine),
    /** Writes frames with these prices of BTCUSDT, one after the other. */
    async ticks(...texts: string[]) {
      for (const BTCUSDT of texts) await prices.tick({ BTCUSDT })
    },
    alerts: async (userId: bigint) => {
      const reply = await routes['GET /alerts']({ who: who(userId) } as never)
      return (reply as { data: Alert[] }).data
    },
  }
}
