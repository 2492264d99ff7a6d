import type { TradingType } from '#contract/prices/prices.ts'
import { Problem } from '#contract/problem.ts'
import type { Ms } from '#kernel/time.ts'
import { sql, sqlState, type Tx } from '../../platform/database/db.ts'
import { OLDEST_MS } from '../tape/gate.ts'
import { SLOTS_MAX } from './instruments.ts'

/** The terms of an instrument that operators can change. */
export interface ChangeableTerms {
  min_sources: number
  depth_usd: number
  largest_spread_bps: number
  largest_deviation_bps: number
  stale_after_ms: number
  /** Ids of the venues to take prices from; null for all that list it. */
  venues: string[] | null
  /** Real trades are refused. */
  demo_only: boolean
}

/** An instrument to be added. Its symbol is the base followed by the quote. */
export interface NewInstrument extends ChangeableTerms {
  base: string
  quote: string
  trading_type: TradingType
  scale: number
}

/**
 * Adds an instrument; every node takes it over within seconds. `withdrawn`: how many were ever withdrawn, because a node
 * that runs since then keeps their slots. Throws `wrong_state` if the symbol or every slot is taken.
 */
export async function addInstrument(tx: Tx, added: NewInstrument, withdrawn: number): Promise<void> {
  const symbol = added.base + added.quote
  // Of two that are added at the same time, the second counts the first.
  await sql`select pg_advisory_xact_lock(hashtextextended('instruments', 0))`.execute(tx)
  const { count } = await tx
    .selectFrom('instruments')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) + withdrawn >= SLOTS_MAX)
    throw new Problem('wrong_state', `There have been ${SLOTS_MAX} instruments, and there can't be more.`)
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('instruments')
    .values({ symbol, ...added })
    .onConflict((conflict) => conflict.column('symbol').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw new Problem('wrong_state', `${symbol} exists already.`)
}

/**
 * Changes what an instrument's price must satisfy, as a proposal that was approved in this transaction says. It counts
 * once the tape has passed `lastEnd`, the end of the last trade that it waits for, and at once without one; that only
 * demo trades are allowed counts at once. Every node takes it over within seconds. Throws `wrong_state`.
 */
export async function changeTerms(
  tx: Tx,
  { id, symbol, terms, lastEnd }: { id: bigint; symbol: string; terms: ChangeableTerms; lastEnd: Ms | null },
): Promise<void> {
  // The exit of that trade may still come in a later frame. Changes of a symbol count one after the other.
  await sql`
    insert into terms_changes (id, symbol, before, effective_from)
    select ${id}, i.symbol, ${BEFORE}, greatest(
      coalesce(${lastEnd === null ? null : lastEnd + OLDEST_MS + 1}::bigint, (select t from tape_head)),
      (select max(c.effective_from) from terms_changes c where c.symbol = i.symbol))
    from instruments i where i.symbol = ${symbol}`.execute(tx)
  const { numUpdatedRows } = await tx
    .updateTable('instruments')
    .set(terms)
    .where('symbol', '=', symbol)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Problem('wrong_state', `${symbol} was withdrawn.`)
}

/** The terms that make a price, as they are stored until a change counts. */
const BEFORE = sql`jsonb_build_object('min_sources', i.min_sources, 'depth_usd', i.depth_usd, 'largest_spread_bps', i.largest_spread_bps,
  'largest_deviation_bps', i.largest_deviation_bps, 'stale_after_ms', i.stale_after_ms, 'venues', i.venues)`

/**
 * Withdraws an instrument that was added by mistake. Throws `wrong_state` if it has had a price, or anything else refers
 * to it: then it can only be closed.
 */
export async function withdrawInstrument(tx: Tx, symbol: string): Promise<void> {
  const deleted = await tx
    .deleteFrom('instruments')
    .where('symbol', '=', symbol)
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw sqlState(error) === '23503' ? inUse(symbol) : error
    })
  if (deleted.numDeletedRows !== 1n) throw new Problem('wrong_state', `${symbol} was withdrawn already.`)
}

const inUse = (symbol: string) =>
  new Problem('wrong_state', `${symbol} has had a price, a limit or followers, so it can't be withdrawn. Close it.`)

/**
 * Closes an instrument for new trades with a reason for traders, or reopens it with null. Its prices continue, and open
 * trades settle. Throws `wrong_state` if it is closed, or open, already.
 */
export async function setClosedReason(tx: Tx, symbol: string, reason: string | null): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('instruments')
    .set({ closed_reason: reason })
    .where('symbol', '=', symbol)
    .where('closed_reason', reason === null ? 'is not' : 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n)
    throw new Problem('wrong_state', reason === null ? `${symbol} is open.` : `${symbol} is closed already.`)
}

interface StoredInstrument extends ChangeableTerms {
  id: number
  closed_reason: string | null
  /** Whether the tape has ever had a price of it. */
  has_had_price: boolean
}

/** Returns an instrument as stored now; undefined if there is none. */
export const findInstrument = (tx: Tx, symbol: string): Promise<StoredInstrument | undefined> =>
  tx
    .selectFrom('instruments as i')
    .select(['i.id', 'closed_reason', 'min_sources', 'depth_usd', 'largest_spread_bps', 'largest_deviation_bps'])
    .select(['stale_after_ms', 'venues', 'demo_only'])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('tape_kinds as k').select(sql.lit(1).as('one')).whereRef('k.symbol_id', '=', 'i.id'))
        .$castTo<boolean>()
        .as('has_had_price'),
    )
    .where('symbol', '=', symbol)
    .executeTakeFirst()
