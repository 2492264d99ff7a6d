import { Problem } from '#contract/problem.ts'
import type { RequestKey } from '../../ledger/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'

/** Who acts: an operator, or an administrator with shell access to the host. */
interface Actor {
  operatorId: bigint | null
  email: string
  /** The action's Idempotency-Key (`keyed.ts`). */
  key?: RequestKey
}

export const HOST: Actor = { operatorId: null, email: 'host' }

/** An action as the audit log stores it. */
export interface AuditEntry {
  action: string
  item: { kind: string; id: string }
  /** The account that the action concerns. */
  userId?: bigint | null
  before?: object | null
  after?: object | null
  why?: string
}

export interface Done<T> {
  /** Several where it acts on several items. */
  entry: AuditEntry | readonly AuditEntry[]
  answer: T
}

/**
 * Runs a use case and writes its audit rows in the same transaction. Every action of the desk goes through here.
 */
export async function audited<T>(db: Db, actor: Actor, work: (tx: Tx) => Promise<Done<T>>): Promise<T> {
  return inTransaction(db, async (tx) => {
    if (actor.key && actor.operatorId !== null) await takeKey(tx, actor.operatorId, actor.key)
    const result = await work(tx)
    for (const entry of [result.entry].flat()) await record(tx, actor, entry)
    return result.answer
  }).catch((error: unknown) => {
    throw violatesTwoPeople(error) ? sameAddress() : error
  })
}

/** Stores the key in the transaction of the action, so both commit or neither does. */
async function takeKey(tx: Tx, operatorId: bigint, { text, fingerprint }: RequestKey): Promise<void> {
  const { numInsertedOrUpdatedRows: taken } = await tx
    .insertInto('operator_request_keys')
    .values({ operator_id: operatorId, key: text, fingerprint })
    .onConflict((conflict) => conflict.columns(['operator_id', 'key']).doNothing())
    .executeTakeFirst()
  if (taken !== 1n) throw new Problem('wrong_state', 'This has already been done. Reload to see the result.')
}

/**
 * Whether the database rejected a second approval by the same e-mail address, possibly under an earlier or later
 * operator account.
 */
const violatesTwoPeople = (error: unknown): boolean => (error as { constraint?: unknown }).constraint === 'two_people'

const sameAddress = () =>
  new Problem('second_person_required', "You can't approve your own request. Ask another operator.")

/** Records a failed operator sign-in. Nobody is signed in, so the actor is the visitor. */
export const recordFailedSignIn = (
  db: Db,
  operatorId: bigint,
  from: { device: string; address: string },
): Promise<void> =>
  inTransaction(db, (tx) =>
    record(tx, VISITOR, { action: 'sign-in-failed', item: { kind: 'operators', id: String(operatorId) }, after: from }),
  )

/** Writes and commits without a record, for an address that no operator has: it takes as long as recording. */
export const imitateFailedSignIn = async (db: Db): Promise<void> => {
  await inTransaction(db, (tx) =>
    sql`select pg_logical_emit_message(true, 'sign-in-failed', repeat('x', 200))`.execute(tx),
  )
}

/** Records that an operator viewed a trader's page: once every 15 minutes, because the page refreshes itself. */
export const recordView = (db: Db, who: Actor, userId: bigint): Promise<void> =>
  inTransaction(db, async (tx) => {
    const { rows } = await sql`
      select from audit where item_kind = 'users' and item_id = ${String(userId)} and action = 'view'
        and operator_id = ${who.operatorId} and at > clock_timestamp() - interval '15 minutes' limit 1`.execute(tx)
    if (rows.length === 0)
      await record(tx, who, { action: 'view', item: { kind: 'users', id: String(userId) }, userId })
  })

const VISITOR: Actor = { operatorId: null, email: 'visitor' }
/** A trader acting on their own account. */
const TRADER: Actor = { operatorId: null, email: 'trader' }
/** The server acting on a deadline. */
const SERVER: Actor = { operatorId: null, email: 'server' }

/** Records the outcome of a second factor reset after the desk's decision: the trader stopped it, or it took effect. */
export const recordFactorReset = (
  tx: Tx,
  { userId, id, action }: { userId: bigint; id: bigint; action: 'stop' | 'done' },
): Promise<void> =>
  record(tx, action === 'stop' ? TRADER : SERVER, {
    action,
    item: { kind: 'factor-resets', id: String(id) },
    userId,
    before: { status: 'Approved' },
    after: { status: action === 'stop' ? 'Stopped' : 'Done' },
  })

/** Records that an e-mail was dropped: its recipient got too many of a kind that strangers can cause. */
export const recordDroppedMail = (tx: Tx, { id, subject, budget }: { id: bigint; subject: string; budget: string }) =>
  record(tx, SERVER, { action: 'e-mail-dropped', item: { kind: 'mails', id: String(id) }, after: { subject, budget } })

/**
 * Inserts the audit row. At commit the database appends it to the chain: it numbers and dates it, and links it to the
 * row before.
 */
async function record(tx: Tx, actor: Actor, entry: AuditEntry): Promise<void> {
  await sql`
    insert into operator_actions (operator_id, operator, action, item_kind, item_id, user_id, before, after, why)
    values (${actor.operatorId}, ${actor.email}, ${entry.action}, ${entry.item.kind}, ${entry.item.id}, ${entry.userId ?? null},
      ${asJson(entry.before)}::jsonb, ${asJson(entry.after)}::jsonb, ${entry.why ?? ''})`.execute(tx)
}

/**
 * Returns JSON that PostgreSQL accepts whatever text people typed: no lone surrogates, no NUL, 64-bit numbers as text.
 */
function asJson(value: object | null | undefined): string | null {
  if (value === null || value === undefined) return null
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return String(part)
    return typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '') : part
  })
}
