import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { emailKeyOf } from '#kernel/email-key.ts'
import type { Db } from '../../platform/database/db.ts'

/** Returns the people who have each role, by the key of their address. */
export async function roleHolders(db: Db): Promise<ReadonlyMap<OperatorRole, readonly string[]>> {
  const rows = await db.selectFrom('operators').select(['email', 'roles']).where('ended_at', 'is', null).execute()
  return new Map(
    OPERATOR_ROLES.map((role) => {
      const people = rows.filter(({ roles }) => roles.includes(role)).map(({ email }) => emailKeyOf(email))
      return [role, [...new Set(people)].sort()]
    }),
  )
}
