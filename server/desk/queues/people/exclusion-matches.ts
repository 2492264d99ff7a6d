import { DeskExclusionMatch, type exclusionMatchCalls } from '#contract/desk/people/exclusion-matches.ts'
import { must } from '#kernel/must.ts'
import { keepMatch } from '../../../guardrails/index.ts'
import { accountOfSql } from '../../../ledger/index.ts'
import { sql } from '../../../platform/database/db.ts'
import { type ClaimColumns, claimJoin, itemFields, type Owner, withOwners } from '../../actions/items.ts'
import { personFlags } from '../../lists/flags.ts'
import { dollars, filtered, inOrder, isoOf, type List, type Page, type QueueFilter } from '../../lists/read.ts'
import { lockUserOf } from '../../users/user-of.ts'
import type { Claimed } from '../queue.ts'

interface Decided {
  operator_id: string
  email: string
  reason: string
  at: string
}

interface MatchRow extends ClaimColumns {
  id: string
  user_id: string
  created_at: string
  status: DeskExclusionMatch['status']
  excluded_id: string
  excluded_email: string
  excluded_name: string
  until: string | null
  same_mailbox: boolean
  same_person: boolean
  identity: DeskExclusionMatch['identity']
  balance: number
  pending_deposits: number
  pending_amount: number
  lift: (Decided & { id: string }) | null
  kept: Decided | null
}

/** Selects exclusions that were carried to another account, with what became of them. */
const MATCHES = sql`
  select e.*, p.id as lift_id, case
      when e.lifted_at is not null then 'Lifted'
      when exclusion_until(e) <= clock_timestamp() then 'Over'
      when p.id is not null then 'Proposed'
      when k.exclusion_id is not null then 'Kept'
      else 'Open' end as status
  from exclusions e
  left join proposals p on p.kind = 'account-changes' and p.status = 'Pending' and p.subject = 'lift-match ' || e.user_id
    and p.payload ->> 'exclusion' = e.id::text
  left join kept_matches k on k.exclusion_id = e.id
  where e.carried_from is not null`

const by = (operator: string, { reason, at }: { reason: string; at: string }) =>
  sql.raw(`'operator_id', ${operator}.id::text, 'email', ${operator}.email, 'reason', ${reason}, 'at', ${at}`)

/** Selects accounts on hold, newest first. */
const matchRows = (filter: QueueFilter, page: Page): List<MatchRow> => sql`
  select item.id::text, item.user_id::text, item.starts_at as created_at, item.status,
    o.id::text as excluded_id, o.email as excluded_email, o.firstname || ' ' || o.lastname as excluded_name,
    coalesce(item.return_at, item.ends_at) as until,
    item.email_key = f.email_key as same_mailbox,
    coalesce(item.date_of_birth = f.date_of_birth and compare_names(item.name_key, f.name_key) = 'same', false) as same_person,
    (select i.status from identity_checks i where i.user_id = item.user_id and i.superseded_at is null and i.kind = 'identity') as identity,
    (select a.balance from accounts a where a.id = ${sql.raw(accountOfSql('item.user_id', 'real'))}) as balance,
    (select count(*)::int from deposits d where d.user_id = item.user_id and d.status = 'Pending') as pending_deposits,
    (select coalesce(sum(d.submitted), 0)::bigint from deposits d where d.user_id = item.user_id and d.status = 'Pending') as pending_amount,
    (select json_build_object('id', p.id::text, ${by('x', { reason: 'p.reason', at: 'p.proposed_at' })})
      from proposals p join operators x on x.id = p.proposed_by where p.kind = 'account-changes' and p.id = item.lift_id) as lift,
    (select json_build_object(${by('x', { reason: 'k.reason', at: 'k.at' })})
      from kept_matches k join operators x on x.id = k.operator_id where k.exclusion_id = item.id) as kept,
    claim.*
  from (${MATCHES}) item join exclusions f on f.id = item.carried_from join users o on o.id = f.user_id
  ${claimJoin('exclusion-matches', 'item.id')}
  where ${filtered('item', filter, page)}
  ${inOrder('item.id', page)}`

const whyOf = ({ same_mailbox, same_person }: MatchRow): string[] => [
  ...(same_mailbox ? ['Same e-mail address, without what a mailbox ignores'] : []),
  ...(same_person ? ['Same birth date and the same name, in whatever order and script'] : []),
  ...(same_mailbox || same_person ? [] : ['An address that one of them had before']),
]

const decided = <Row extends Decided>(row: Row) => ({ ...row, at: isoOf(row.at) })

/** Accounts that look like those of self-excluded traders: compliance keeps them on hold, or two of them lift it. */
export const exclusionMatches: Claimed<'exclusion-matches', keyof typeof exclusionMatchCalls, MatchRow & Owner> = {
  name: 'exclusion-matches',
  schema: DeskExclusionMatch,
  find: (id) => sql`
    select u.id as "userId", u.email, m.status in ('Open', 'Proposed') as open
    from (${MATCHES}) m join users u on u.id = m.user_id where m.id = ${id}`,
  // A proposal to lift one waits among the changes of accounts.
  pending: sql`
    select m.id, m.starts_at, a.balance, m.user_id, false, 'looks like self-excluded user ' || f.user_id
    from (${MATCHES}) m join exclusions f on f.id = m.carried_from
    join accounts a on a.id = ${sql.raw(accountOfSql('m.user_id', 'real'))} where m.status = 'Open'`,
  rows: (filter, page) => withOwners(matchRows(filter, page), page),
  view: (row, who) => ({
    ...itemFields(who, row, row.id),
    flags: personFlags(row),
    status: row.status,
    excluded: {
      user_id: row.excluded_id,
      email: row.excluded_email,
      name: row.excluded_name,
      until: row.until === null ? null : isoOf(row.until),
    },
    why: whyOf(row),
    identity: row.identity,
    balance: dollars(row.balance),
    pending_deposits: row.pending_deposits,
    pending_amount: dollars(row.pending_amount),
    lift: row.lift && decided(row.lift),
    kept: row.kept && decided(row.kept),
  }),
  actions: {
    keep: {
      async step(tx, { id, userId }, { deps, who, body: { reason } }) {
        await lockUserOf(tx, must(userId))
        await keepMatch(deps.guardrails, tx, must(userId), { exclusionId: id, operatorId: who.operatorId, reason })
        return { before: { status: 'Open' }, after: { status: 'Kept' }, why: reason }
      },
    },
  },
}
