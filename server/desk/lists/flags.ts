import { sql } from '../../platform/database/db.ts'

/** Selects signs that another account belongs to the same person as the user `u` of a query. */
export const personColumns = sql`
  (select t.email from users t where t.id <> u.id and t.ended_at is null and lower(t.firstname) = lower(u.firstname)
    and lower(t.lastname) = lower(u.lastname) and t.date_of_birth = u.date_of_birth order by t.id limit 1) as twin,
  (select t.email from users t where t.id <> u.id and t.ended_at is null and u.phone <> '' and t.phone = u.phone
    order by t.id limit 1) as same_phone`

export interface PersonColumns {
  twin: string | null
  same_phone: string | null
}

/**
 * Returns warnings about a user as text: signs that one person has several accounts. They are hints for operators;
 * nothing is rejected because of them.
 */
export const personFlags = ({ twin, same_phone }: PersonColumns): string[] => [
  ...(twin === null ? [] : [`Same name and date of birth as ${twin}`]),
  ...(same_phone === null ? [] : [`Same phone as ${same_phone}`]),
]
