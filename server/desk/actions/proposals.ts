import type { PROPOSAL_STATUSES } from '#contract/desk/terms.ts'
import { Problem } from '#contract/problem.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { WhoOperates } from '../../platform/http/index.ts'
import { type AuditEntry, audited, type Done } from '../audit/audited.ts'
import { isoOf } from '../lists/read.ts'
import { lockUserOf } from '../users/user-of.ts'
import { notFound, refuseOwn } from './items.ts'

/** A proposal that one operator made and another decides. */
export interface Proposal {
  id: bigint
  status: string
  reason: string
  proposed_by: bigint
  /** The person it concerns, who can't decide it. */
  about?: { email: string; userId?: bigint }
}

export type Decision = { status: 'Approved' } | { status: 'Rejected'; reason: string }

/** How proposals of one kind are locked, decided and shown. */
export interface ProposalKind<P extends Proposal, Shown> {
  /** Their name in the audit log. */
  name: string
  /** Their singular name. */
  of: string
  /** Locks what the decision changes, from the outside in, and reads the proposal under these locks. */
  lock(tx: Tx, id: bigint): Promise<P | undefined>
  /** Stores the decision in the proposal's row. */
  store(tx: Tx, proposal: P, decision: Decision, who: WhoOperates): Promise<unknown>
  /** Carries out an approved proposal. Returns more for the audit row. */
  carryOut(tx: Tx, proposal: P, who: WhoOperates): Promise<object | undefined>
  /** Returns what the audit row says about the proposal. */
  facts(proposal: P): object
  /** Returns what the audit row says instead of `facts`, read before the decision takes effect. */
  change?(tx: Tx, proposal: P, decision: Decision): Promise<Pick<AuditEntry, 'before' | 'after'>>
  show(tx: Tx, who: WhoOperates, id: bigint): Promise<Shown>
}

/**
 * Approves or rejects a proposal of another operator, and audits it. Throws `not_found`, `own_item`, `wrong_state` once
 * it is decided, `second_person_required`, and the errors of carrying it out.
 */
export function decide<P extends Proposal, Shown>(
  db: Db,
  who: WhoOperates,
  kind: ProposalKind<P, Shown>,
  { id, decision }: { id: bigint; decision: Decision },
): Promise<Shown> {
  return audited(db, who, async (tx) => {
    const proposal = await kind.lock(tx, id)
    if (!proposal) throw notFound()
    if (proposal.about) refuseOwn(who, proposal.about.email)
    if (proposal.status !== 'Pending') throw new Problem('wrong_state', `This ${kind.of} has already been decided.`)
    if (proposal.proposed_by === who.operatorId)
      throw new Problem('second_person_required', "You can't decide your own proposal. Ask another operator.")
    const change = await kind.change?.(tx, proposal, decision)
    await kind.store(tx, proposal, decision, who)
    const more = decision.status === 'Approved' ? await kind.carryOut(tx, proposal, who) : undefined
    return {
      answer: await kind.show(tx, who, id),
      entry: {
        action: decision.status === 'Approved' ? 'approve' : 'reject',
        item: { kind: kind.name, id: String(id) },
        ...(proposal.about?.userId === undefined ? {} : { userId: proposal.about.userId }),
        ...(change ?? {
          before: { status: 'Pending' },
          after: { status: decision.status, ...kind.facts(proposal), ...more },
        }),
        why: decision.status === 'Rejected' ? decision.reason : proposal.reason,
      },
    }
  })
}

/** Returns the new proposal `id` as the API shows it, with its audit row. */
export const proposed = async <Shown>(
  tx: Tx,
  who: WhoOperates,
  kind: Pick<ProposalKind<never, Shown>, 'name' | 'show'>,
  id: bigint,
  entry: Pick<AuditEntry, 'userId' | 'before' | 'after' | 'why'>,
): Promise<Done<Shown>> => ({
  answer: await kind.show(tx, who, id),
  entry: { action: 'propose', item: { kind: kind.name, id: String(id) }, ...entry },
})

/** Returns the columns that store a decision in a proposal's row. */
export const decided = (decision: Decision, { operatorId }: WhoOperates) => ({
  status: decision.status,
  decided_by: operatorId,
  decided_at: sql<Date>`clock_timestamp()`,
  decision_reason: decision.status === 'Rejected' ? decision.reason.toWellFormed() : null,
})

/** Locks the owner's row first, as everywhere, then reads the proposal again under that lock. */
export async function lockWithOwner<P extends { user_id: bigint }>(
  tx: Tx,
  find: () => Promise<P | undefined>,
): Promise<(P & Required<Pick<Proposal, 'about'>>) | undefined> {
  const seen = await find()
  if (!seen) return undefined
  const { id, email } = await lockUserOf(tx, seen.user_id)
  return { ...(await find())!, about: { email, userId: id } }
}

/** The columns of a proposal in every list. */
export interface ProposalColumns<Status = (typeof PROPOSAL_STATUSES)[number]> {
  reason: string
  status: Status
  proposer: string
  proposer_email: string
  proposed_at: string
  decider: string | null
  decider_email: string | null
  decided_at: string | null
  decision_reason: string | null
}

/** Selects the columns of the proposal with this alias, together with `proposalJoins`. */
export const proposalColumns = (alias: string) => {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql`${column('reason')}, ${column('status')}, p.id::text as proposer, p.email as proposer_email,
    ${column('proposed_at')}, d.id::text as decider, d.email as decider_email, ${column('decided_at')}, ${column('decision_reason')}`
}

export const proposalJoins = (alias: string) => sql`
  join operators p on p.id = ${sql.ref(`${alias}.proposed_by`)}
  left join operators d on d.id = ${sql.ref(`${alias}.decided_by`)}`

/** Returns the fields that every proposal has in the API. */
export const proposalFields = <Status>(row: ProposalColumns<Status>) => ({
  reason: row.reason,
  status: row.status,
  proposed_by: { operator_id: row.proposer, email: row.proposer_email },
  created_at: isoOf(row.proposed_at),
  decided_by: row.decider === null ? null : { operator_id: row.decider, email: row.decider_email! },
  ...(row.decided_at === null ? {} : { decided_at: isoOf(row.decided_at) }),
  ...(row.decision_reason === null ? {} : { decision_reason: row.decision_reason }),
})
