import {
  DeskComplaint,
  type DeskRuling,
  type deskComplaintCalls,
  type RemedyPreview,
} from '#contract/desk/people/complaints.ts'
import { Problem } from '#contract/problem.ts'
import { type ComplaintItem, FINDINGS, type OperatorRole } from '#contract/terms.ts'
import { publicId } from '#kernel/id.ts'
import { usdToNumber } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { approveRuling, previewRemedy, proposeRuling, type Ruler, sendBackRuling } from '../../../complaints/index.ts'
import { type Db, sql, type Tx } from '../../../platform/database/db.ts'
import type { WhoOperates } from '../../../platform/http/index.ts'
import { type ClaimColumns, claimJoin, itemFields, notFound, type Owner, withOwners } from '../../actions/items.ts'
import type { DeskDeps } from '../../deps.ts'
import { personFlags } from '../../lists/flags.ts'
import { dollars, filtered, inOrder, isoOf, type List, type Page, type QueueFilter } from '../../lists/read.ts'
import { adjustByRuling } from '../money/adjustments.ts'
import type { Claimed } from '../queue.ts'

interface RulingColumns {
  finding: DeskRuling['finding']
  tick: 'entry' | 'exit' | null
  trades: number | null
  total: number | null
  credit: number | null
  reason: string
  proposer: string
  proposer_email: string
  proposed_at: string
  decider: string | null
  decider_email: string | null
  decided_at: string | null
  decision_reason: string | null
  paid_at: string | null
}

interface ComplaintRow extends ClaimColumns {
  id: string
  user_id: string
  created_at: string
  about: ComplaintItem
  item_id: string
  complaint: DeskComplaint['complaint']
  text: string
  status: DeskComplaint['status']
  due_at: string
  evidence: Pick<NonNullable<DeskComplaint['evidence']>, 'facts' | 'steps'> | null
  verified: boolean | null
  checked_at: string | null
  ticks: DeskComplaint['ticks']
  ruling: RulingColumns | null
}

const NEWEST_RULING = sql`(
  select row_to_json(newest) from (
    select r.finding, r.tick, r.trades, r.total, r.credit, q.reason, q.proposed_at, q.decided_at, q.decision_reason, r.paid_at,
      p.id::text as proposer, p.email as proposer_email, d.id::text as decider, d.email as decider_email
    from complaint_rulings r join proposals q on q.kind = 'rulings' and q.id = r.id
    join operators p on p.id = q.proposed_by left join operators d on d.id = q.decided_by
    where r.complaint_id = item.id order by r.id desc limit 1
  ) newest
)`

/** Selects complaints, newest first. */
const complaintRows = (filter: QueueFilter, page: Page): List<ComplaintRow> => sql`
  select item.id::text, item.user_id::text, item.filed_at as created_at, item.item as about, item.item_id::text, item.reason as complaint,
    item.text, item.status, item.due_at, item.evidence, item.verified, item.checked_at, ${NEWEST_RULING} as ruling, claim.*,
    case when item.item = 'trade' then (
      select array_remove(array[case when t.entry_seq is not null then 'entry' end, case when t.exit_seq is not null then 'exit' end], null)
      from trades t where t.id = item.item_id
    ) end as ticks
  from complaints item ${claimJoin('complaints', 'item.id')}
  where ${filtered('item', filter, page)}
  ${inOrder('item.id', page)}`

const toRuling = (row: RulingColumns): DeskRuling => ({
  finding: row.finding,
  tick: row.tick === null ? null : { of: row.tick, trades: must(row.trades), total: dollars(must(row.total)) },
  credit: row.credit === null ? null : dollars(row.credit),
  reason: row.reason,
  proposed_by: { operator_id: row.proposer, email: row.proposer_email },
  proposed_at: isoOf(row.proposed_at),
  decided_by: row.decider === null ? null : { operator_id: row.decider, email: must(row.decider_email) },
  ...(row.decided_at === null ? {} : { decided_at: isoOf(row.decided_at) }),
  ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
  ...(row.paid_at === null ? {} : { paid_at: isoOf(row.paid_at) }),
})

/** Traders' complaints: one operator proposes a ruling, another approves it or sends it back. */
export const complaints: Claimed<
  'complaints',
  Exclude<keyof typeof deskComplaintCalls, 'GET /desk/complaints/:id/remedy'>,
  ComplaintRow & Owner
> = {
  name: 'complaints',
  schema: DeskComplaint,
  find: (id) => sql`
    select u.id as "userId", u.email, c.closed_at is null as open
    from complaints c join users u on u.id = c.user_id where c.id = ${id}`,
  pending: sql`select id, filed_at, 0, user_id, status = 'Proposed', item::text || ': ' || reason::text from complaints where closed_at is null`,
  rows: (filter, page) => withOwners(complaintRows(filter, page), page),
  view: (row, who) => ({
    ...itemFields(who, row, row.id),
    flags: [...(row.verified === false ? ["The records don't agree"] : []), ...personFlags(row)],
    about: row.about,
    about_id: publicId(BigInt(row.item_id)),
    complaint: row.complaint,
    text: row.text,
    status: row.status,
    due_by: isoOf(row.due_at),
    evidence:
      row.evidence === null
        ? null
        : { ...row.evidence, verified: must(row.verified), checked_at: isoOf(must(row.checked_at)) },
    ticks: row.ticks ?? [],
    ruling: row.ruling && toRuling(row.ruling),
  }),
  actions: {
    propose: {
      async step(tx, { id }, { who, body }) {
        const { finding, tick, credit, reason } = body
        await checkRole(tx, who, id)
        const after = await proposeRuling(tx, await rulerOf(tx, who), {
          complaintId: id,
          finding,
          tick,
          credit,
          reason,
        })
        return { before: { status: 'Open' }, after: { status: 'Proposed', ...after }, why: reason }
      },
    },
    approve: {
      async step(tx, { id }, { deps, who }) {
        await checkRole(tx, who, id)
        const after = await approveRuling(deps.complaints, tx, await rulerOf(tx, who), id, (credited) =>
          adjustByRuling(deps, tx, who, { ...credited, reason: `Complaint ${id}. ${FINDINGS[credited.finding].says}` }),
        )
        return { before: { status: 'Proposed' }, after }
      },
    },
    'send-back': {
      async step(tx, { id }, { who, body: { reason } }) {
        const after = await sendBackRuling(tx, await rulerOf(tx, who), id, reason)
        return { before: { status: 'Proposed' }, after, why: reason }
      },
    },
  },
}

/** Risk decides about prices, finance about payments. */
const DECIDES: Record<ComplaintItem, OperatorRole> = { trade: 'risk', deposit: 'finance', withdrawal: 'finance' }

async function checkRole(tx: Tx, who: WhoOperates, id: bigint): Promise<void> {
  const { item } = await tx.selectFrom('complaints').select('item').where('id', '=', id).executeTakeFirstOrThrow()
  if (!who.roles.includes(DECIDES[item]))
    throw new Problem('wrong_state', `Only a ${DECIDES[item]} operator can rule on a ${item}.`)
}

/** Returns the operator with the trading accounts of their own addresses. */
async function rulerOf(tx: Tx, who: WhoOperates): Promise<Ruler> {
  const { rows } = await sql<{ id: bigint }>`
    select id from users where email_key_of(email) = email_key_of(${who.email})`.execute(tx)
  return { operatorId: who.operatorId, userIds: rows.map(({ id }) => id) }
}

/** Counts the trades that lost on a price of the trade of a complaint. Throws `not_found`, `wrong_state`. */
export async function remedyPreview(
  { reads }: Pick<DeskDeps, 'reads'> & { reads: Db },
  id: bigint,
  tick: 'entry' | 'exit',
): Promise<RemedyPreview> {
  const row = await reads.selectFrom('complaints').select(['item', 'item_id']).where('id', '=', id).executeTakeFirst()
  if (row?.item !== 'trade') throw notFound()
  const { lost, total, open } = await previewRemedy(reads, row.item_id, tick)
  return { trades: lost, total: usdToNumber(total), open }
}
