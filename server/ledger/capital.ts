import { subtract, type Usd, usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { type Db, type Snapshot, sql, type Tx } from '../platform/database/db.ts'

/** The capital of a test installation. */
const PLAY_CAPITAL = usd(10_000_000_000n)

/** What the house owns, in cents. */
export interface Equity {
  /** What its owners paid in, without what they took out. */
  capital: Usd
  /** What it won and lost in real mode since the beginning. */
  result: Usd
  /** The capital is play money. */
  isPlay: boolean
}

export const totalOf = ({ capital, result }: Equity): Usd => usd(capital + result)

/** Gives a test installation its capital, unless it has any. */
export async function grantPlayCapital(db: Db): Promise<void> {
  await sql`
    insert into capital (move_id, amount) select null, ${PLAY_CAPITAL} where not exists (select from capital)
    on conflict do nothing`.execute(db)
}

/** Stores what a proposal of capital moves. */
export const storeCapitalMove = (tx: Tx, move: { id: bigint; amount: Usd; reference: string }) =>
  tx.insertInto('capital_moves').values(move).execute()

/** Moves capital in (above 0) or out. The database accepts it only with its approved proposal in the same transaction. */
export async function moveCapital(tx: Tx, moveId: bigint, amount: Usd): Promise<void> {
  await sql`insert into capital (move_id, amount) values (${moveId}, ${amount})`.execute(tx)
}

/** Returns the capital. In production, play money counts for nothing. */
export async function capitalOf(
  db: Db | Tx | Snapshot,
  { production }: { production: boolean },
): Promise<Pick<Equity, 'capital' | 'isPlay'>> {
  const { rows } = await sql<{ paid: Usd; play: Usd }>`
    select coalesce(sum(amount) filter (where move_id is not null), 0)::bigint as paid,
      coalesce(sum(amount) filter (where move_id is null), 0)::bigint as play
    from capital`.execute(db)
  const { paid, play } = first(rows)
  return production ? { capital: paid, isPlay: false } : { capital: usd(paid + play), isPlay: play !== 0n }
}

/**
 * Returns the house's result in real mode: what came in from outside without what went out, and without what
 * traders have. Reads every real account, so it's for once a minute at most.
 */
export async function houseResult(db: Db | Tx | Snapshot): Promise<Usd> {
  const { rows } = await sql<{ outside: Usd; traders: Usd }>`
    select
      (select coalesce(sum(case when credit = 'external_out' or credit = 'external_in' then -amount else amount end), 0)::bigint
        from transfers where cause in ('deposit_credit', 'deposit_reversal', 'deposit_reinstatement', 'withdraw_paid')) as outside,
      (select coalesce(sum(balance + escrow + hold + owed), 0)::bigint from accounts where mode = 'real') as traders`.execute(
    db,
  )
  const { outside, traders } = first(rows)
  return subtract(outside, traders)
}

/** Returns until when real trades need no capital, because the installation had some before; undefined if it hadn't. */
export async function graceUntil(db: Db | Tx | Snapshot): Promise<Date | undefined> {
  const row = await db.selectFrom('capital_grace').select('until').executeTakeFirst()
  return row?.until
}
