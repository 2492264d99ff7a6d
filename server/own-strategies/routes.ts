import type { ownStrategiesCalls } from '#contract/trading/own-strategies.ts'
import type { Handlers } from '../platform/http/index.ts'
import { publishStrategy, switchSignals, withdrawStrategy } from './publish.ts'
import { archiveStrategy, changeStrategy, createStrategy } from './save.ts'
import { strategiesOf, toOwnStrategy } from './store.ts'
import type { OwnStrategiesDeps } from './versions.ts'

/** The routes of `contract/trading/own-strategies.ts`. */
export function ownStrategiesRoutes(deps: OwnStrategiesDeps): Handlers<keyof typeof ownStrategiesCalls> {
  return {
    'GET /strategies': async ({ who }) => ({
      status: true,
      data: (await strategiesOf(deps.db, who.userId)).map((row) => toOwnStrategy(deps.instruments, row)),
    }),
    'POST /strategies': async ({ who, body }) => ({
      status: true,
      message: 'Strategy saved.',
      data: await createStrategy(deps, who.userId, body),
    }),
    'PUT /strategies/:id': async ({ who, params, body }) => ({
      status: true,
      message: 'Strategy saved.',
      data: await changeStrategy(deps, who.userId, params.id, body),
    }),
    'PUT /strategies/:id/signals': async ({ who, params, body }) => {
      await switchSignals(deps, who.userId, params.id, body.on)
      return { status: true, message: body.on ? 'Signals on.' : 'Signals off.' }
    },
    'POST /strategies/:id/publish': async ({ who, params, body }) => {
      await publishStrategy(deps, who.userId, params.id, body.name)
      return { status: true, message: 'Strategy published.' }
    },
    'DELETE /strategies/:id/publish': async ({ who, params }) => {
      await withdrawStrategy(deps, who.userId, params.id)
      return { status: true, message: 'Strategy withdrawn.' }
    },
    'DELETE /strategies/:id': async ({ who, params }) => {
      await archiveStrategy(deps, who.userId, params.id)
      return { status: true, message: 'Strategy archived.' }
    },
  }
}
