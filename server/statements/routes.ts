import type { statementsCalls } from '#contract/money/statements.ts'
import type { Handlers } from '../platform/http/index.ts'
import { accountDataReply } from './account-data-reply.ts'
import type { StatementsDeps } from './deps.ts'
import { statementReply } from './statement.ts'

/** The routes of `contract/money/statements.ts`. */
export const statementsRoutes = (deps: StatementsDeps): Handlers<keyof typeof statementsCalls> => ({
  'GET /statement': async ({ who, query, reads }) => statementReply({ ...deps, db: reads }, who.userId, query),
  'POST /users/export': async ({ who, body, request }) => {
    await deps.confirmOwner(who, body.password, request)
    return accountDataReply(deps, who.userId, body.format ?? 'json')
  },
})
