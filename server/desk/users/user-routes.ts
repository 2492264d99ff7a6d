import { DeskMovement, DeskUser, type userCalls } from '#contract/desk/people/users.ts'
import { readGuardrails } from '../../guardrails/index.ts'
import type { Handlers } from '../../platform/http/index.ts'
import { recordView } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList } from '../lists/lists.ts'
import { needsSecond, proposeExclusion } from '../queues/people/account-changes.ts'
import { excludeUser } from './exclusion.ts'
import { setLocks } from './locks.ts'
import { writeNote } from './notes.ts'
import { findUserOf } from './user-of.ts'
import { movementsOf, userPicture } from './user-picture.ts'
import { users } from './users.ts'

/** The routes for users, their notes and locks. */
export function userRoutes(deps: DeskDeps): Handlers<keyof typeof userCalls> {
  const { db } = deps
  return {
    'GET /desk/users': ({ query, reads }) => answerList('users', DeskUser, query, (page) => users(reads, query, page)),
    'GET /desk/users/:id': async ({ who, params, reads }) => {
      const data = await userPicture({ ...deps, db: reads }, who, params.id)
      await recordView(db, who, BigInt(data.id))
      return { status: true, data }
    },
    'GET /desk/users/:id/ledger': async ({ params, query, reads }) => {
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
    'POST /desk/users/:id/exclusion': async ({ who, params, body }) => {
      if (needsSecond(who, body)) await proposeExclusion(deps, who, params.id, body.reason)
      else await excludeUser(deps, who, params.id, body)
      return { status: true, data: await readGuardrails(deps.guardrails, db, params.id) }
    },
  }
}
