import { last } from '#kernel/must.ts'
import { type Db, inTransaction } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { GuardrailsDeps } from './deps.ts'
import { excludedUsers, excludeOtherAccounts } from './exclusion.ts'

const POLL_MS = 10 * 60_000
const BATCH = 100

/** Compares all accounts with the exclusions in force again. Each excluded user is a transaction. */
async function sweepExclusions(deps: GuardrailsDeps): Promise<void> {
  let after = 0n
  for (;;) {
    const users = await excludedUsers(deps.db, after, BATCH)
    for (const userId of users) await inTransaction(deps.db, (tx) => excludeOtherAccounts(deps, tx, userId))
    if (users.length < BATCH) return
    after = last(users)
  }
}

/** Starts the loop that sweeps once a night. Two nodes that sweep at once find nothing twice. */
export const startSweeps = (deps: GuardrailsDeps, log: Log): Loop =>
  startLoop('exclusion sweeps', POLL_MS, log, async () => {
    const night = new Date(deps.clock.now()).toISOString().slice(0, 10)
    if (await isSwept(deps.db, night)) return
    await sweepExclusions(deps)
    await deps.db
      .insertInto('exclusion_sweeps')
      .values({ night: night })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })

const isSwept = async (db: Db, night: string): Promise<boolean> =>
  (await db.selectFrom('exclusion_sweeps').select('night').where('night', '=', night).executeTakeFirst()) !== undefined
