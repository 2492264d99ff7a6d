import type { statementsCalls } from '#contract/money/statements.ts'
import { FileReply, type Handlers } from '../platform/http/index.ts'
import { accountData } from './account-data.ts'
import type { StatementsDeps } from './deps.ts'
import { statementReply } from './statement.ts'

/** The routes of `contract/money/statements.ts`. */
export const statementsRoutes = (deps: StatementsDeps): Handlers<keyof typeof statementsCalls> => ({
  'GET /statement': async ({ who, query, reads }) => statementReply({ ...deps, db: reads }, who.userId, query),
  'POST /users/export': async ({ who, body, request }) => {
    await deps.confirmOwner(who, body.password, request)
    const at = new Date().toISOString()
    const stream = await deps.slots(who.userId, async () => accountData(deps, who.userId, { brand: deps.brand, at }))
    // Not JSON to the client: what is saved is the text as it came.
    return new FileReply(stream, 'text/plain; charset=utf-8', {
      'content-disposition': `attachment; filename="account-data-${at.slice(0, 10)}.json"`,
    })
  },
})
