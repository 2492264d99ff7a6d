import type { statementsCalls } from '#contract/statements.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { StatementsDeps } from './deps.ts'
import { statementReply } from './statement.ts'

/** The routes of `contract/statements.ts`. */
export const statementsRoutes = (deps: Omit<StatementsDeps, 'db'>): Handlers<keyof typeof statementsCalls> => ({
  'GET /statement': async ({ who, query, reads }) => statementReply({ ...deps, db: reads }, who.userId, query),
})
