import type { RawBuilder } from 'kysely'
import type { z } from 'zod/mini'
import { Problem } from '#contract/problem.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { first, must } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { type Decision, decideProposal, findProposal, insertProposal, lockProposal } from '../../proposals/index.ts'
import { type AuditEntry, audited } from '../audit/audited.ts'
import type { DeskDeps } from '../deps.ts'
import {
  filtered,
  hasStatus,
  inOrder,
  isoOf,
  type List,
  type Page,
  type QueueFilter,
  readList,
  where,
} from '../lists/read.ts'
import { isOwn, notFound, refuseOwn } from './items.ts'

/** A proposal as its kind sees it. `payload` comes from its details where it has any. */
interface Proposed<Payload> {
  id: bigint
  subject: string | null
  payload: Payload
  reason: string
  proposed_by: bigint
}

/** The person whom a proposal concerns, who can't decide it. */
interface About {
  email: string
  userId?: bigint
}

/** The decisions that the calls of every kind make. */
export type ProposalDecision =
  | { status: 'Approved'; acknowledged?: string | undefined }
  | Extract<Decision, { status: 'Rejected' }>
type Change = Pick<AuditEntry, 'before' | 'after'>

interface CommonRow {
  id: string
  subject: string | null
  payload: unknown
  reason: string
  status: string
  proposer: string
  proposer_email: string
  proposed_at: string
  decider: string | null
  decider_email: string | null
  decided_at: string | null
  decision_reason: string | null
}
type CommonField = keyof ReturnType<typeof commonFields> | 'own'

type ProposalSchema = z.ZodMiniType<{ id: string }> & { shape: Record<string, unknown> }

/** What a kind of proposal consists of. `Columns` are the list's columns in addition to those of every kind. */
interface ProposalTerms<Kind extends string, Schema extends ProposalSchema, Payload, Columns> {
  /** Its name in paths, in the table and in the audit log. */
  kind: Kind
  /** Its singular name. */
  of: string
  /** The schema of an item. Its fields are the columns of the CSV file. */
  schema: Schema
  /** Why a second proposal about the same subject is rejected while one is pending. */
  waiting?(subject: string): string
  /** Where what is proposed is stored, if it isn't the proposal's JSON: always for money. */
  details?: {
    insert(tx: Tx, id: bigint, payload: Payload): Promise<unknown>
    read(tx: Tx, id: bigint): Promise<Payload>
  }
  /** The roles that may decide it, if not everyone who acts in its queue. */
  roles?(payload: Payload): readonly OperatorRole[]
  /** Locks what the decision changes, from the outside in, and returns the person whom it concerns. */
  lock?(tx: Tx, proposal: Proposed<Payload>): Promise<About | undefined>
  /** Carries out an approved proposal. `acknowledged`: what its second person says about it. Returns more for the audit row. */
  apply(
    deps: DeskDeps,
    tx: Tx,
    proposal: Proposed<Payload> & { acknowledged?: string | undefined },
    who: WhoOperates,
  ): Promise<object | undefined> | Promise<void>
  /** Returns what the audit log says about it. */
  facts(proposal: Pick<Proposed<Payload>, 'subject' | 'payload'>): object
  /** Returns what the audit row of a decision says instead, read before the decision takes effect. */
  change?(deps: DeskDeps, tx: Tx, proposal: Proposed<Payload>, decision: ProposalDecision): Promise<Change>
  /** More columns of its list, and what to join for them; `r` is the proposal. */
  list?: {
    columns: RawBuilder<unknown>
    joins?: RawBuilder<unknown>
    /** The column of the account whose proposals `?user=` selects. */
    user?: string
    /** The amount in cents, for the overview. */
    amount?: RawBuilder<unknown>
    /** Its status, where it changes after the decision. */
    status?: RawBuilder<unknown>
    /** Selects rows of the list that needed no second person, with the columns of `proposals` in their order. */
    others?: RawBuilder<unknown>
  }
  /** Returns an item's own fields. */
  view(
    row: CommonRow & Columns & { payload: Payload },
    who: WhoOperates,
  ): Omit<z.output<Schema>, CommonField> & { email?: string }
}

/** A new proposal: what is stored, and what its audit row says in addition. */
interface NewProposal<Payload> extends Pick<AuditEntry, 'userId' | 'before' | 'after'> {
  subject: string | null
  payload: Payload
  reason: string
}

/** A kind of proposal: how operators make, list and decide them. */
export interface ProposalKind<Kind extends string, Item, Row, Payload> {
  name: Kind
  schema: { shape: Record<string, unknown> }
  /** Selects pending proposals for overview and inbox, as every queue does. */
  pending: RawBuilder<unknown>
  /** Selects pending and decided proposals, newest first. */
  rows(filter: QueueFilter, page: Page): List<Row>
  view(row: Row, who: WhoOperates): Item
  list(db: Db | Tx, who: WhoOperates, filter: QueueFilter, page: Page): Promise<Item[]>
  /**
   * Stores what `prepare` returns and audits it. `check` runs after the insert, which waits for a decision about the
   * same subject. Throws `wrong_state` while another proposal about it is pending.
   */
  propose(
    deps: Pick<DeskDeps, 'db'>,
    who: WhoOperates,
    prepare: (tx: Tx) => Promise<NewProposal<Payload>>,
    check?: (tx: Tx) => Promise<unknown>,
  ): Promise<Item>
  /**
   * Approves or rejects a proposal of another operator, and audits it. Throws `not_found`, `own_item`, `wrong_state`
   * once it is decided, `second_person_required`, and the errors of carrying it out.
   */
  decide(deps: DeskDeps, who: WhoOperates, id: bigint, decision: ProposalDecision): Promise<Item>
}

/** Defines a kind of proposal: one operator makes it, another decides. The database sees to the second person. */
export function defineProposal<const Kind extends string, Schema extends ProposalSchema, Payload, Columns = unknown>(
  terms: ProposalTerms<Kind, Schema, Payload, Columns>,
): ProposalKind<Kind, z.output<Schema>, CommonRow & Columns, Payload> {
  type Item = z.output<Schema>
  type Row = CommonRow & Columns
  const { kind, details } = terms

  function view(row: Row, who: WhoOperates): Item {
    const fields = terms.view(row as Row & { payload: Payload }, who)
    const own = isOwn(who, row.proposer_email) || (fields.email !== undefined && isOwn(who, fields.email))
    return { ...fields, ...commonFields(row), own } as Item
  }
  const rows = listOf(kind, terms.list)
  const list = async (db: Db | Tx, who: WhoOperates, filter: QueueFilter, page: Page) =>
    (await readList(db, rows(filter, page) as List<Row>)).map((row) => view(row, who))
  const one = async (tx: Tx, who: WhoOperates, id: bigint) =>
    first(await list(tx, who, { id }, { after: undefined, limit: 1 }))

  return {
    name: kind,
    schema: terms.schema,
    pending: pendingOf(kind, terms.list),
    rows: rows as (filter: QueueFilter, page: Page) => List<Row>,
    view,
    list,
    propose: ({ db }, who, prepare, check) =>
      audited(db, who, async (tx) => {
        const { subject, payload, reason, ...entry } = await prepare(tx)
        const stored = { kind, subject, reason, operatorId: who.operatorId }
        const id = await insertProposal(tx, details ? stored : { ...stored, payload: payload as object })
        if (id === undefined) throw new Problem('wrong_state', must(terms.waiting)(must(subject)))
        await details?.insert(tx, id, payload)
        await check?.(tx)
        const after = { status: 'Pending', ...terms.facts({ subject, payload }) }
        return {
          answer: await one(tx, who, id),
          entry: { action: 'propose', item: { kind, id: String(id) }, after, why: reason, ...entry },
        }
      }),
    decide: (deps, who, id, decision) =>
      audited(deps.db, who, async (tx) => {
        const { proposal, about } = await lockFor(tx, terms, who, id)
        const change = await terms.change?.(deps, tx, proposal, decision)
        await decideProposal(tx, { kind, id }, decision, who.operatorId)
        const more =
          decision.status === 'Approved'
            ? await terms.apply(deps, tx, { ...proposal, acknowledged: decision.acknowledged }, who)
            : undefined
        const after = { status: decision.status, ...terms.facts(proposal), ...more }
        return {
          answer: await one(tx, who, id),
          entry: {
            action: decision.status === 'Approved' ? 'approve' : 'reject',
            item: { kind, id: String(id) },
            ...(about?.userId === undefined ? {} : { userId: about.userId }),
            ...(change ?? { before: { status: 'Pending' }, after }),
            why: decision.status === 'Rejected' ? decision.reason : proposal.reason,
          },
        }
      }),
  }
}

/** Locks a pending proposal that an operator may decide, after what the decision changes. */
async function lockFor<Payload>(
  tx: Tx,
  { kind, of, details, roles, lock }: ProposalTerms<string, ProposalSchema, Payload, never>,
  who: WhoOperates,
  id: bigint,
): Promise<{ proposal: Proposed<Payload>; about: About | undefined }> {
  const seen = await findProposal<Payload>(tx, kind, id)
  if (!seen) throw notFound()
  const payload = details ? await details.read(tx, id) : seen.payload
  if (roles && !roles(payload).some((role) => who.roles.includes(role)))
    throw new Problem('forbidden', `This takes one of these roles: ${roles(payload).join(', ')}.`)
  const about = await lock?.(tx, { ...seen, payload })
  if (about) refuseOwn(who, about.email)
  const proposal = { ...must(await lockProposal<Payload>(tx, kind, id)), payload }
  if (proposal.status !== 'Pending') throw new Problem('wrong_state', `This ${of} has already been decided.`)
  if (proposal.proposed_by === who.operatorId)
    throw new Problem('second_person_required', "You can't decide your own proposal. Ask another operator.")
  return { proposal, about }
}

const PROPOSALS = sql`
  select kind, id, subject, payload, reason, status::text, proposed_by, proposed_at, decided_by, decided_at, decision_reason from proposals`

type ListTerms = ProposalTerms<string, ProposalSchema, unknown, never>['list']

/** Selects the pending proposals of a kind. */
const pendingOf = (kind: string, list: ListTerms) => sql`
  select r.id, r.proposed_at, ${list?.amount ?? sql`0`}, null, true, r.reason from proposals r ${(list?.amount && list.joins) ?? sql``}
  where r.kind = ${sql.lit(kind)} and r.status = 'Pending'`

/** Returns the list of a kind: pending and decided proposals, newest first. */
const listOf =
  (kind: string, list: ListTerms) =>
  ({ status: wanted, ...filter }: QueueFilter, page: Page): List<unknown> => {
    const status = list?.status ?? sql`r.status`
    return sql`
      select r.id::text, r.subject, r.payload, r.reason, ${status} as status, p.id::text as proposer, p.email as proposer_email,
        r.proposed_at, d.id::text as decider, d.email as decider_email, r.decided_at, r.decision_reason
        ${list?.columns ? sql`, ${list.columns}` : sql``}
      ${list?.others ? sql`from (${PROPOSALS} union all ${list.others}) r` : sql`from proposals r`}
      join operators p on p.id = r.proposed_by left join operators d on d.id = r.decided_by and r.status <> 'Withdrawn'
      ${list?.joins ?? sql``}
      where r.kind = ${sql.lit(kind)} and ${filtered('r', filter, page, list?.user)}
        and ${where(hasStatus(status, wanted))}
      ${inOrder('r.id', page)}`
  }

/** The subject as a number, for joins. PostgreSQL may evaluate it for proposals of other kinds, before it selects them. */
export const subjectId = (kind: string) => sql`case r.kind when ${sql.lit(kind)} then r.subject::bigint end`

/** Returns the fields that every proposal has in the API. */
const commonFields = (row: CommonRow) => ({
  id: row.id,
  reason: row.reason,
  status: row.status,
  proposed_by: { operator_id: row.proposer, email: row.proposer_email },
  created_at: isoOf(row.proposed_at),
  // Who withdrew it decided nothing.
  decided_by: row.decider === null ? null : { operator_id: row.decider, email: must(row.decider_email) },
  ...(row.decider === null ? {} : { decided_at: isoOf(must(row.decided_at)) }),
  ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
})
