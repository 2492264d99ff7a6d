import type { DeskOverview } from '#contract/desk/overview.ts'
import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { emailKeyOf } from '#kernel/email-key.ts'
import type { Db } from '../../platform/database/db.ts'

const operatorsOf = (db: Db) =>
  db.selectFrom('operators').select(['id', 'email', 'roles']).where('ended_at', 'is', null).orderBy('id').execute()

/** Returns the people who have each role, by the key of their address. */
export async function roleHolders(db: Db): Promise<ReadonlyMap<OperatorRole, readonly string[]>> {
  const rows = await operatorsOf(db)
  return new Map(
    OPERATOR_ROLES.map((role) => {
      const people = rows.filter(({ roles }) => roles.includes(role)).map(({ email }) => emailKeyOf(email))
      return [role, [...new Set(people)].sort()]
    }),
  )
}

/** Returns the people at the desk: the operators whose addresses have the same key, with all their roles. */
export async function deskPeople(db: Db): Promise<DeskOverview['people']> {
  const people = Map.groupBy(await operatorsOf(db), ({ email }) => emailKeyOf(email))
  return [...people.values()].map((operators) => ({
    operators: operators.map(({ id }) => String(id)),
    roles: OPERATOR_ROLES.filter((role) => operators.some(({ roles }) => roles.includes(role))),
  }))
}
