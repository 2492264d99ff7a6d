import { Problem } from '#contract/problem.ts'
import type { RequestKey } from '../ledger/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../platform/db.ts'

/** Who does something: an operator, or whoever has the host. */
export interface Actor {
  operatorId: bigint | null
  email: string
  /** The Idempotency-Key that it's done under (`keyed.ts`). */
  key?: RequestKey
}

export const HOST: Actor = { operatorId: null, email: 'host' }

/** What was done, as the audit log keeps it. */
export interface Deed {
  action: string
  item: { kind: string; id: string }
  /** Whose account it is about. */
  userId?: bigint | null
  before?: object | null
  after?: object | null
  why?: string
}

export interface Done<T> {
  deed: Deed
  answer: T
  /** Told after the commit: pushes, letters. */
  committed?(): void
}

/**
 * Runs a use case and writes its one row of the audit log in the same transaction, both or neither; what is to be told
 * is told after the commit. Every action of the desk goes through here.
 */
export async function audited<T>(db: Db, actor: Actor, work: (tx: Tx) => Promise<Done<T>>): Promise<T> {
  const done = await inTransaction(db, async (tx) => {
    if (actor.key && actor.operatorId !== null) await takeKey(tx, actor.operatorId, actor.key)
    const result = await work(tx)
    await record(tx, actor, result.deed)
    return result
  }).catch((error: unknown) => {
    throw violatesTwoPeople(error) ? sameAddress() : error
  })
  done.committed?.()
  return done.answer
}

/** Writes the key with what is done under it: both commit or neither. */
async function takeKey(tx: Tx, operatorId: bigint, { text, fingerprint }: RequestKey): Promise<void> {
  const { numInsertedOrUpdatedRows: taken } = await tx
    .insertInto('operator_request_keys')
    .values({ operator_id: operatorId, key: text, fingerprint })
    .onConflict((conflict) => conflict.columns(['operator_id', 'key']).doNothing())
    .executeTakeFirst()
  if (taken !== 1n) throw new Problem('wrong_state', 'This was done already. Reload to see the result.')
}

/** The database refused a second approval by the same address, under an account from before or after. */
const violatesTwoPeople = (error: unknown): boolean => (error as { constraint?: unknown }).constraint === 'two_people'

const sameAddress = () =>
  new Problem('second_person_required', "You can't approve your own request. Ask another operator.")

/** Records a failed sign-in as an operator: nobody is signed in, so it is the visitor's. */
export const recordFailedSignIn = (
  db: Db,
  operatorId: bigint,
  from: { device: string; address: string },
): Promise<void> =>
  inTransaction(db, (tx) =>
    record(tx, VISITOR, { action: 'sign-in-failed', item: { kind: 'operators', id: String(operatorId) }, after: from }),
  )

/** Records that an operator looked at a trader's page: once in 15 minutes, since the page refreshes itself. */
export const recordView = (db: Db, who: Actor, userId: bigint): Promise<void> =>
  inTransaction(db, async (tx) => {
    const { rows } = await sql`
      select from audit where item_kind = 'users' and item_id = ${String(userId)} and action = 'view'
        and operator_id = ${who.operatorId} and at > clock_timestamp() - interval '15 minutes' limit 1`.execute(tx)
    if (rows.length === 0)
      await record(tx, who, { action: 'view', item: { kind: 'users', id: String(userId) }, userId })
  })

const VISITOR: Actor = { operatorId: null, email: 'visitor' }
/** The trader whose account it is. */
const TRADER: Actor = { operatorId: null, email: 'trader' }
/** A deadline that passed. */
const SERVER: Actor = { operatorId: null, email: 'server' }

/** Records what became of a second factor reset after the desk's part: the trader stopped it, or it took effect. */
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

/** The database carries it into the chain as it commits: numbered, dated, and bound to the row before. */
async function record(tx: Tx, actor: Actor, deed: Deed): Promise<void> {
  await sql`
    insert into deeds (operator_id, operator, action, item_kind, item_id, user_id, before, after, why)
    values (${actor.operatorId}, ${actor.email}, ${deed.action}, ${deed.item.kind}, ${deed.item.id}, ${deed.userId ?? null},
      ${asJson(deed.before)}::jsonb, ${asJson(deed.after)}::jsonb, ${deed.why ?? ''})`.execute(tx)
}

/** JSON that PostgreSQL takes whatever words people typed: no half characters, no NUL, numbers of 64 bits as text. */
function asJson(value: object | null | undefined): string | null {
  if (value === null || value === undefined) return null
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return String(part)
    return typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '') : part
  })
}
