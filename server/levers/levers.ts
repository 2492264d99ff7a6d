import { Problem } from '#contract/problem.ts'
import type { LeverKind } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'

/** A lever as an operator pulls it. */
interface NewLever {
  kind: LeverKind
  /** Only for `symbol`. */
  symbol?: string | undefined
  /** What everyone reads; only for `maintenance`. */
  notice?: string | undefined
  reason: string
  operatorId: bigint
}

/** A lever that is pulled. */
export interface PulledLever {
  id: bigint
  kind: LeverKind
  symbol: string | null
  notice: string | null
  pulled_at: Date
}

/** Pulls a lever: from the commit on, the database obeys it, on every node. Throws `wrong_state` if it is pulled already. */
export async function pullLever(tx: Tx, { kind, symbol, notice, reason, operatorId }: NewLever): Promise<PulledLever> {
  const { rows } = await sql<PulledLever>`
    insert into levers (kind, symbol, notice, reason, pulled_by)
    values (${kind}, ${symbol ?? null}, ${notice?.toWellFormed() ?? null}, ${reason.toWellFormed()}, ${operatorId})
    on conflict (kind, coalesce(symbol, '')) where released_at is null do nothing
    returning id, kind, symbol, notice, pulled_at`.execute(tx)
  if (!rows[0]) throw new Problem('wrong_state', 'This is already stopped. Releasing it takes two operators.')
  return rows[0]
}

/** Releases a lever; the database accepts it only with an approved release in the same transaction. */
export async function releaseLever(tx: Tx, id: bigint): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('levers')
    .set({ released_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('released_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw alreadyReleased()
}

/** Throws `wrong_state` unless the lever is pulled. */
export async function requirePulled(tx: Tx, id: bigint): Promise<void> {
  const lever = await tx.selectFrom('levers').select('released_at').where('id', '=', id).executeTakeFirst()
  if (!lever) throw new Problem('not_found', 'Not found.')
  if (lever.released_at !== null) throw alreadyReleased()
}

const alreadyReleased = () => new Problem('wrong_state', 'This has already been released.')

/** Returns the levers that are pulled, oldest first. */
export const pulledLevers = (db: Db | Tx): Promise<PulledLever[]> =>
  db
    .selectFrom('levers')
    .select(['id', 'kind', 'symbol', 'notice', 'pulled_at'])
    .where('released_at', 'is', null)
    .orderBy('id')
    .execute()

/** Since when withdrawals are paused by a lever; null while they aren't. */
export const WITHDRAWALS_PAUSED_SQL =
  "(select v.pulled_at from levers v where v.kind = 'withdrawals' and v.released_at is null)"

/** `14:05 UTC on 26 November`. */
const since = ({ pulled_at }: PulledLever) =>
  `${pulled_at.toISOString().slice(11, 16)} UTC on ${must(DAY.format(pulled_at))}`
const DAY = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'long' })

/** What a trader reads about a lever that stops trades. */
export const stopText = (lever: PulledLever): string =>
  lever.kind === 'symbol'
    ? `Trading ${lever.symbol} is stopped since ${since(lever)}.`
    : `Real trading is stopped since ${since(lever)}. Open trades run on and settle. You can still trade on demo.`
