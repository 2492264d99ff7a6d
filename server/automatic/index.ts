import { MINUTE_MS } from '#kernel/time.ts'
import { modeOf, userOf } from '../ledger/index.ts'
import type { StopFollowers } from '../own-strategies/index.ts'
import { startLoop } from '../platform/process/loop.ts'
import type { AutomaticDeps } from './deps.ts'
import { stopFollowers, stopOutdated } from './outdated.ts'
import { startFollower } from './reservations/follow.ts'
import { automaticRoutes } from './routes.ts'
import { sendSummaries } from './summary.ts'

export { stopAutomatic } from './automation.ts'
export type { AutomaticTopics } from './deps.ts'
export { isSwitchedOff, switchOff, switchOn } from './reservations/switches.ts'
export { checkSettings, requirePlatforms } from './save-settings.ts'

export interface Automatic {
  routes: ReturnType<typeof automaticRoutes>
  /** Signals were recorded. */
  wake(): void
  /** Stops all who follow a trader's strategy. */
  stopFollowers: StopFollowers
  stop(): Promise<void>
}

/** Runs the automatic trades of all accounts. */
export function startAutomatic(deps: AutomaticDeps): Automatic {
  if (deps.works) {
    stopOutdated(deps).catch((error: unknown) =>
      deps.log.error({ error: String(error) }, 'could not stop followers of older strategies'),
    )
  }
  const { sockets } = deps
  if (sockets) {
    deps.bus.subscribe('automatic-changed', ({ accountIds }) => {
      const accounts = accountIds.map(BigInt)
      const listening = new Set(sockets.listening([...new Set(accounts.map(userOf))]))
      for (const accountId of accounts) {
        const userId = userOf(accountId)
        if (listening.has(userId)) sockets.sendToUser(userId, { op: 'automatic', data: { mode: modeOf(accountId) } })
      }
    })
  }
  const follower = deps.works ? startFollower(deps) : undefined
  const summaries = deps.works
    ? startLoop('automatic summaries', MINUTE_MS, deps.log, async () => {
        while ((await sendSummaries(deps)) > 0);
      })
    : undefined
  return {
    routes: automaticRoutes(deps),
    wake: () => follower?.wake(),
    stopFollowers: (tx, strategy, why) => stopFollowers(deps, tx, strategy, why),
    async stop() {
      await Promise.all([follower?.stop(), summaries?.stop()])
    },
  }
}
