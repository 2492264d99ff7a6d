import { type Db, sql, type Tx } from '../platform/db.ts'

/**
 * What of a user deserves a second look, in words: signs that one person has several accounts. Hints for people; nothing
 * is refused because of them.
 */
export async function flagsOfUsers(db: Db | Tx, userIds: readonly bigint[]): Promise<Map<bigint, string[]>> {
  const flags = new Map<bigint, string[]>()
  if (userIds.length === 0) return flags
  const { rows } = await sql<{ id: bigint; twin: string | null; phone: string | null }>`
    select u.id,
      (select t.email from users t where t.id <> u.id and t.ended_at is null and lower(t.firstname) = lower(u.firstname)
        and lower(t.lastname) = lower(u.lastname) and t.date_of_birth = u.date_of_birth order by t.id limit 1) as twin,
      (select t.email from users t where t.id <> u.id and t.ended_at is null and u.phone <> '' and t.phone = u.phone
        order by t.id limit 1) as phone
    from users u where u.id = any(${[...new Set(userIds)]}::bigint[])`.execute(db)
  for (const { id, twin, phone } of rows) {
    const list = [
      ...(twin === null ? [] : [`Same name and date of birth as ${twin}`]),
      ...(phone === null ? [] : [`Same phone as ${phone}`]),
    ]
    flags.set(id, list)
  }
  return flags
}
