import { sql } from '../../platform/database/db.ts'

/** Selects signs that another account belongs to the same person as the user `u` of a query. */
export const personColumns = sql`
  (select t.email from users t where t.id <> u.id and t.ended_at is null and lower(t.firstname) = lower(u.firstname)
    and lower(t.lastname) = lower(u.lastname) and t.date_of_birth = u.date_of_birth order by t.id limit 1) as twin,
  (select t.email from users t where t.id <> u.id and t.ended_at is null and u.phone <> '' and t.phone = u.phone
    order by t.id limit 1) as same_phone,
  (select e.user_id::text from exclusions e
    where e.kind = 'exclusion' and e.carried_from is null and e.user_id <> u.id and exclusion_until(e) > clock_timestamp()
      and (e.email_key = email_key_of(u.email)
        or e.date_of_birth = u.date_of_birth and compare_names(e.name_key, u.firstname || ' ' || u.lastname) is not null)
    order by e.id limit 1) as excluded`

export interface PersonColumns {
  twin: string | null
  same_phone: string | null
  /** A self-excluded user with the same address, or the same birth date and a similar name. */
  excluded: string | null
}

/**
 * Returns warnings about a user as text: signs that one person has several accounts. They are hints for operators;
 * nothing is rejected because of them.
 */
export const personFlags = ({ twin, same_phone, excluded }: PersonColumns): string[] => [
  ...(twin === null ? [] : [`Same name and date of birth as ${twin}`]),
  ...(same_phone === null ? [] : [`Same phone as ${same_phone}`]),
  ...(excluded === null ? [] : [`Like self-excluded user ${excluded}: same address, or birth date and a similar name`]),
]
