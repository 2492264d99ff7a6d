import { type adjustmentCalls, DeskAdjustment } from '#contract/desk/adjustments.ts'
import { DeskFactorReset, type factorResetCalls } from '#contract/desk/factor-resets.ts'
import { DeskMovement, DeskUser, type userCalls } from '#contract/desk/users.ts'
import { assert } from '#kernel/assert.ts'
import { parseUsd, usd } from '#kernel/money.ts'
import type { Handlers } from '../../platform/http/index.ts'
import { recordView } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList } from '../lists/lists.ts'
import { adjustments, approveAdjustment, proposeAdjustment, rejectAdjustment } from '../queues/adjustments.ts'
import { decideFactorReset, factorResets, requestFactorReset } from '../queues/factor-resets.ts'
import { setLocks } from './locks.ts'
import { writeNote } from './notes.ts'
import { findUserOf } from './user-of.ts'
import { movementsOf, userPicture } from './user-picture.ts'
import { users } from './users.ts'

/** The routes for users, their locks and notes, and balance adjustments. */
export function userRoutes(
  deps: DeskDeps,
): Handlers<keyof typeof userCalls | keyof typeof adjustmentCalls | keyof typeof factorResetCalls> {
  const { db, reads } = deps
  return {
    'GET /desk/users': ({ query }) => answerList('users', DeskUser, query, (page) => users(reads, query, page)),
    'GET /desk/users/:id': async ({ who, params }) => {
      const data = await userPicture({ ...deps, db: reads }, who, params.id)
      await recordView(db, who, BigInt(data.id))
      return { status: true, data }
    },
    'GET /desk/users/:id/ledger': async ({ params, query }) => {
      const user = await findUserOf(reads, params.id)
      return answerList('ledger', DeskMovement, query, (page) => movementsOf(reads, user.id, query.book, page))
    },
    'POST /desk/users/:id/notes': async ({ who, params, body }) => ({
      status: true,
      data: await writeNote(db, who, params.id, body.text),
    }),
    'POST /desk/users/:id/locks': async ({ who, params, body }) => {
      const { reason, ...locks } = body
      return { status: true, data: await setLocks(deps, who, params.id, { locks, reason }) }
    },

    'GET /desk/factor-resets': ({ who, query }) =>
      answerList('factor-resets', DeskFactorReset, query, (page) => factorResets(reads, who, query, page)),
    'POST /desk/users/:id/factor-resets': async ({ who, params, body }) => ({
      status: true,
      data: await requestFactorReset(db, who, params.id, body.reason),
    }),
    'POST /desk/factor-resets/:id/approve': async ({ who, params }) => ({
      status: true,
      data: await decideFactorReset(deps, who, params.id, { status: 'Approved' }),
    }),
    'POST /desk/factor-resets/:id/reject': async ({ who, params, body }) => ({
      status: true,
      data: await decideFactorReset(deps, who, params.id, { status: 'Rejected', reason: body.reason }),
    }),

    'GET /desk/adjustments': ({ who, query }) =>
      answerList('adjustments', DeskAdjustment, query, (page) => adjustments(reads, who, query, page)),
    'POST /desk/users/:id/adjustments': async ({ who, params, body }) => {
      const { book, reason } = body
      const size = parseUsd(Math.abs(body.amount))
      assert(size !== undefined, 'the contract lets only amounts through')
      const amount = body.amount < 0 ? usd(-size) : size
      return { status: true, data: await proposeAdjustment(db, who, params.id, { book, amount, reason }) }
    },
    'POST /desk/adjustments/:id/approve': async ({ who, params }) => ({
      status: true,
      data: await approveAdjustment(deps, who, params.id),
    }),
    'POST /desk/adjustments/:id/reject': async ({ who, params, body }) => ({
      status: true,
      data: await rejectAdjustment(deps, who, params.id, body.reason),
    }),
  }
}
