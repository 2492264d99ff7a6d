import type { DeskOperator } from '#contract/desk/office/operators.ts'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { endClaimsOf } from '../actions/claims.ts'
import { notFound, refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { Page } from '../lists/read.ts'

interface Row {
  id: bigint
  email: string
  roles: OperatorRole[]
  status: DeskOperator['status']
  created_at: Date
  last_seen_at: Date | null
  ended_at: Date | null
}

/**
 * Lists operators and pending invitations, newest first. An invited person has no operator number yet, so they are
 * numbered by their invitation, above every operator.
 */
export async function operators(
  db: Db | Tx,
  who: WhoOperates,
  filter: { status?: string | undefined; id?: bigint },
  page: Page,
): Promise<DeskOperator[]> {
  const { rows } = await sql<Row>`
    select * from (
      select o.id, o.email, o.roles, case when o.ended_at is null then 'Active' else 'Ended' end as status, o.created_at,
        (select max(s.last_seen_at) from operator_sessions s where s.operator_id = o.id) as last_seen_at, o.ended_at
      from operators o
      union all
      select ${INVITED_FROM} + i.id, i.email, i.roles, 'Invited', i.created_at, null, null
      from operator_invitations i
      where i.used_at is null and i.expires_at > clock_timestamp()
        and not exists (select from operators o where lower(o.email) = lower(i.email) and o.ended_at is null)
        and not exists (
          select from operator_invitations l where lower(l.email) = lower(i.email) and l.id > i.id and l.used_at is null
        )
    ) everyone
    where (${filter.status ?? null}::text is null or status = ${filter.status ?? null})
      and (${filter.id ?? null}::bigint is null or id = ${filter.id ?? null})
      and (${page.after ?? null}::bigint is null or id < ${page.after ?? null})
    order by id desc limit ${page.limit}`.execute(db)
  return rows.map((row) => ({
    id: String(row.id),
    email: row.email,
    roles: row.roles,
    status: row.status,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    own: row.id === who.operatorId,
  }))
}

const INVITED_FROM = 1_000_000_000_000n

/** Locks an active operator's row. Throws `not_found`, `own_item`, and `wrong_state` when their access has ended. */
export async function lockOperator(
  tx: Tx,
  who: WhoOperates,
  id: bigint,
): Promise<{ id: bigint; email: string; roles: OperatorRole[] }> {
  const operator = await tx
    .selectFrom('operators')
    .select(['id', 'email', 'roles', 'ended_at'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!operator) throw notFound()
  // The requesting admin can't remove themselves, so one admin always remains.
  refuseOwn(who, operator.email)
  if (operator.ended_at)
    throw new Problem('wrong_state', "This operator's access was ended. Invite them again instead.")
  return operator
}

/** Changes an operator's roles and ends their sessions and claims. The database checks that two admins agreed. */
export async function applyRoles(tx: Tx, operatorId: bigint, roles: readonly OperatorRole[]): Promise<void> {
  await tx
    .updateTable('operators')
    .set({ roles: [...roles] })
    .where('id', '=', operatorId)
    .execute()
  await endOperatorSessions(tx, operatorId)
  await endClaimsOf(tx, operatorId)
}

/** Ends an operator's access at once, with their sessions and claims. The database requires two admins for an admin. */
export async function applyEnd(tx: Tx, operatorId: bigint): Promise<void> {
  await tx
    .updateTable('operators')
    .set({ ended_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', operatorId)
    .execute()
  await endOperatorSessions(tx, operatorId)
  await endClaimsOf(tx, operatorId)
}

/** Whether an operator is an admin, whom one admin can't end alone. */
export const isAdmin = async (db: Db, id: bigint): Promise<boolean> =>
  (await db.selectFrom('operators').select('roles').where('id', '=', id).executeTakeFirst())?.roles.includes(
    'admin',
  ) === true

/** Ends the access of an operator who is no admin. Throws as `lockOperator`. */
export function endOperator(db: Db, who: WhoOperates, { id, reason }: { id: bigint; reason: string }): Promise<void> {
  return audited(db, who, async (tx) => {
    const operator = await lockOperator(tx, who, id)
    if (operator.roles.includes('admin')) throw new Problem('wrong_state', 'They are an admin now. Try again.')
    await applyEnd(tx, operator.id)
    return {
      answer: undefined,
      entry: {
        action: 'end',
        item: { kind: 'operators', id: String(id) },
        before: { roles: operator.roles, ended: false },
        after: { ended: true },
        why: reason,
      },
    }
  })
}

const endOperatorSessions = (tx: Tx, operatorId: bigint) =>
  tx
    .updateTable('operator_sessions')
    .set({ ended_at: sql<Date>`clock_timestamp()` })
    .where('operator_id', '=', operatorId)
    .where('ended_at', 'is', null)
    .execute()
