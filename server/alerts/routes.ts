import type { alertsCalls } from '#contract/trading/alerts.ts'
import type { Handlers } from '../platform/http/index.ts'
import { armAgain, changeAlert, makeAlert, removeAlert } from './arm.ts'
import type { AlertsDeps } from './deps.ts'
import { alertsOf, toAlert } from './store.ts'

/** The routes of `contract/trading/alerts.ts`. */
export function alertsRoutes(deps: AlertsDeps): Handlers<keyof typeof alertsCalls> {
  const { db, instruments } = deps
  return {
    'GET /alerts': async ({ who }) => ({
      status: true,
      data: (await alertsOf(db, who.userId)).map((row) => toAlert(instruments, row)),
    }),
    'POST /alerts': async ({ who, body }) => ({
      status: true,
      message: 'Alert set.',
      data: await makeAlert(deps, who, body),
    }),
    'PUT /alerts/:id': async ({ who, params, body }) => ({
      status: true,
      message: 'Alert changed.',
      data: await changeAlert(deps, who, params.id, body),
    }),
    'POST /alerts/:id/arm': async ({ who, params }) => ({
      status: true,
      message: 'Alert armed.',
      data: await armAgain(deps, who, params.id),
    }),
    'DELETE /alerts/:id': async ({ who, params }) => {
      await removeAlert(deps, who, params.id)
      return { status: true, message: 'Alert deleted.' }
    },
  }
}
