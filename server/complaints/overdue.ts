import { first } from '#kernel/must.ts'
import { type Db, sql } from '../platform/database/db.ts'

/** A ruling's stakes are returned within seconds; after this long, something is wrong. */
const PAID_WITHIN_MINUTES = 10

/** Overdue promises to traders. */
interface OverdueComplaints {
  /** Open complaints after the day by which two operators decide. */
  complaints: number
  /** Approved rulings whose stakes haven't been returned after ten minutes. */
  rulings: number
}

/** Counts overdue complaints and rulings. */
export async function overdueComplaints(db: Db): Promise<OverdueComplaints> {
  const { rows } = await sql<OverdueComplaints>`
    select (select count(*)::int from complaints where closed_at is null and due_at < clock_timestamp()) as complaints,
      (select count(*)::int from complaint_rulings
       where approved_at is not null and paid_at is null
         and approved_at < clock_timestamp() - make_interval(mins => ${PAID_WITHIN_MINUTES})) as rulings`.execute(db)
  return first(rows)
}
