import { DeskFactorReset } from '#contract/desk/people/factor-resets.ts'
import { QUEUES } from '#contract/desk/terms.ts'
import { must } from '#kernel/must.ts'
import { approveFactorReset, checkFactorReset } from '../../../identity/index.ts'
import { sql } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { defineProposal, subjectId } from '../../actions/define-proposal.ts'
import { refuseOwn } from '../../actions/items.ts'
import type { DeskDeps } from '../../deps.ts'
import { isoOf } from '../../lists/read.ts'
import { findUserOf, lockUserOf } from '../../users/user-of.ts'

interface FactorResetColumns {
  user_id: string
  email: string
  name: string
  due_at: string | null
  ended_at: string | null
  status: DeskFactorReset['status']
}

/**
 * Second factor resets: proposed by one compliance operator on a user's page. The subject is the user. An approved one
 * takes effect later, unless the trader stops it.
 */
export const factorResets = defineProposal({
  kind: 'factor-resets',
  of: QUEUES['factor-resets'].of,
  schema: DeskFactorReset,
  waiting: () => 'A second factor reset is already open for this trader.',
  async lock(tx, { subject }) {
    const { id, email } = await lockUserOf(tx, BigInt(must(subject)))
    return { email, userId: id }
  },
  async apply({ identity }, tx, { id, subject }) {
    const { dueAt } = await approveFactorReset(identity, tx, { id, userId: BigInt(must(subject)) })
    return { due_at: dueAt.toISOString() }
  },
  facts: () => ({}),
  list: {
    columns: sql`u.id::text as user_id, u.email, u.firstname || ' ' || u.lastname as name, f.due_at, f.ended_at`,
    joins: sql`join users u on u.id = ${subjectId('factor-resets')} left join factor_resets f on f.id = r.id`,
    user: 'u.id',
    status: sql`coalesce(f.outcome::text, r.status::text)`,
  },
  view: (row: FactorResetColumns) => ({
    user_id: row.user_id,
    email: row.email,
    name: row.name,
    ...(row.due_at === null ? {} : { due_at: isoOf(row.due_at) }),
    ...(row.ended_at === null ? {} : { ended_at: isoOf(row.ended_at) }),
  }),
})

/** Proposes removing a trader's second factor. Throws `not_found`, `own_item`, `wrong_state`. */
export const requestFactorReset = (deps: DeskDeps, who: WhoOperates, userId: bigint, reason: string) =>
  factorResets.propose(deps, who, async (tx) => {
    const user = await findUserOf(tx, userId)
    refuseOwn(who, user.email)
    await checkFactorReset(tx, user.id)
    return { subject: String(user.id), payload: {}, reason, userId: user.id }
  })
