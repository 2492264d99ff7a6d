import { CompiledQuery } from 'kysely'
import type { StrategyId } from '#contract/terms.ts'
import type { Tx } from '../../platform/database/db.ts'
import { CANCEL_SQL } from './reserve.sql.ts'

/**
 * Switches strategies off: from the commit on, accounts no longer follow their signals, and reservations that are not
 * accepted yet are cancelled. A strategy that is already off keeps its first reason.
 */
export async function switchOff(tx: Tx, strategies: readonly StrategyId[], why: string): Promise<void> {
  await tx
    .insertInto('strategy_switches')
    .values(strategies.map((strategy) => ({ strategy, why: why.toWellFormed() })))
    .onConflict((conflict) => conflict.column('strategy').doNothing())
    .execute()
  await tx.executeQuery(CompiledQuery.raw(CANCEL_SQL, [strategies]))
}

/** Switches a strategy on. The database demands a restart that two operators approved in this transaction. */
export async function switchOn(tx: Tx, strategy: StrategyId): Promise<void> {
  await tx.deleteFrom('strategy_switches').where('strategy', '=', strategy).execute()
}

/** Returns whether operators have switched this strategy off. */
export const isSwitchedOff = async (tx: Tx, strategy: StrategyId): Promise<boolean> =>
  (await tx.selectFrom('strategy_switches').select('strategy').where('strategy', '=', strategy).executeTakeFirst()) !==
  undefined
