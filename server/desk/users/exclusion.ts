import type { z } from 'zod/mini'
import type { DeskUserPicture, ExclusionBody } from '#contract/desk/people/users.ts'
import { excludeIn } from '../../guardrails/index.ts'
import { sql } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { refuseOwn } from '../actions/items.ts'
import { audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import { isoOf, type List } from '../lists/read.ts'
import { lockUserOf } from './user-of.ts'

/**
 * Records a time-out or self-exclusion that a trader asked for by phone or chat. It takes effect at once, and nobody can
 * remove or shorten it. Throws `not_found`, `own_item`.
 */
export function excludeUser(
  deps: Pick<DeskDeps, 'db' | 'guardrails'>,
  who: WhoOperates,
  userId: bigint,
  { reason, ...length }: z.output<typeof ExclusionBody>,
): Promise<void> {
  return audited(deps.db, who, async (tx) => {
    const user = await lockUserOf(tx, userId)
    refuseOwn(who, user.email)
    const excluded = await excludeIn(deps.guardrails, tx, user.id, length, { operatorId: who.operatorId, reason })
    return {
      answer: undefined,
      entry: {
        action: length.kind === 'time_out' ? 'time-out' : 'exclude',
        item: { kind: 'users', id: String(userId) },
        userId: user.id,
        after: { ...length, users: excluded.map(String) },
        why: reason,
      },
    }
  })
}

interface ExclusionRow {
  id: string
  kind: 'time_out' | 'exclusion'
  starts_at: string
  ends_at: string | null
  return_at: string | null
  operator: string | null
  reason: string | null
  carried_from: string | null
  lifted_at: string | null
}

/** Selects a user's time-outs and exclusions, newest first, with who recorded them. */
export const exclusionRows = (userId: bigint): List<ExclusionRow> => sql`
  select e.id::text, e.kind, e.starts_at, e.ends_at, e.return_at, o.email as operator, e.reason, f.user_id::text as carried_from, e.lifted_at
  from exclusions e left join operators o on o.id = e.operator_id left join exclusions f on f.id = e.carried_from
  where e.user_id = ${userId} order by e.id desc limit 20`

export const toExclusion = (row: ExclusionRow): DeskUserPicture['exclusions'][number] => ({
  ...row,
  starts_at: isoOf(row.starts_at),
  ends_at: row.ends_at === null ? null : isoOf(row.ends_at),
  return_at: row.return_at === null ? null : isoOf(row.return_at),
  lifted_at: row.lifted_at === null ? null : isoOf(row.lifted_at),
})
