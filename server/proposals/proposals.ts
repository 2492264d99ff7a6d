import type { Selectable } from 'kysely'
import { must } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import type { DB } from '../platform/database/db-types.ts'

/** What one operator proposed and another decides. `payload` is what the kind stored with it. */
export interface Proposal<Payload = unknown> extends Omit<Selectable<DB['proposals']>, 'payload'> {
  payload: Payload
}

interface NewProposal {
  kind: string
  /** At most one proposal about it can be pending. Null: any number can. */
  subject: string | null
  payload?: object
  reason: string
  operatorId: bigint
}

/** `Withdrawn` has no effect, so it takes no second person; only some kinds can be. */
export type Decision =
  | { status: 'Approved' }
  | { status: 'Rejected'; reason: string }
  | { status: 'Withdrawn'; reason?: string }

/** Stores a proposal and returns its id; undefined while another one about its subject is pending. */
export async function insertProposal(
  tx: Tx,
  { kind, subject, payload = {}, reason, operatorId }: NewProposal,
): Promise<bigint | undefined> {
  const row = await tx
    .insertInto('proposals')
    .values({
      kind,
      subject,
      payload: JSON.stringify(payload),
      reason: reason.toWellFormed(),
      proposed_by: operatorId,
    })
    // A literal: with a parameter, a prepared statement does not find the partial index.
    .onConflict((conflict) =>
      conflict.columns(['kind', 'subject']).where('status', '=', sql.lit('Pending')).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Stores the decision about a pending proposal, and returns when it was made. The database requires another person. */
export async function decideProposal(
  tx: Tx,
  { kind, id }: { kind: string; id: bigint },
  decision: Decision,
  operatorId: bigint,
): Promise<Date> {
  const { decided_at } = await tx
    .updateTable('proposals')
    .set({
      status: decision.status,
      decided_by: operatorId,
      decision_reason: 'reason' in decision ? must(decision.reason).toWellFormed() : null,
    })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .returning('decided_at')
    .executeTakeFirstOrThrow()
  return must(decided_at)
}

const withId = (db: Db | Tx, kind: string, id: bigint) =>
  db.selectFrom('proposals').selectAll().where('kind', '=', kind).where('id', '=', id)

export const findProposal = <Payload>(db: Db | Tx, kind: string, id: bigint) =>
  withId(db, kind, id).executeTakeFirst() as Promise<Proposal<Payload> | undefined>

/** Locks a proposal and returns it. */
export const lockProposal = <Payload>(tx: Tx, kind: string, id: bigint) =>
  withId(tx, kind, id).forUpdate().executeTakeFirst() as Promise<Proposal<Payload> | undefined>

/** Returns the pending proposal about a subject. */
export const pendingProposal = <Payload>(db: Db | Tx, kind: string, subject: string) =>
  db
    .selectFrom('proposals')
    .selectAll()
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('status', '=', sql.lit('Pending'))
    .executeTakeFirst() as Promise<Proposal<Payload> | undefined>

/** Returns all pending proposals of a kind. */
export const pendingProposals = <Payload>(db: Db | Tx, kind: string) =>
  db
    .selectFrom('proposals')
    .selectAll()
    .where('kind', '=', kind)
    .where('status', '=', sql.lit('Pending'))
    .execute() as Promise<Proposal<Payload>[]>
