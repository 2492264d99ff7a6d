import { ownStrategyKey } from '#contract/terms.ts'
import type { ReceivedSignal } from '#contract/trading/webhooks.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { Page } from '../../platform/http/page.ts'
import type { Instruments } from '../../prices/index.ts'
import type { SignalRow } from '../record.ts'

/** Returns a page of a strategy's signals, newest first, and one row more if there are more. */
export async function signalsOf(db: Db, id: bigint, { after, limit }: Page): Promise<(SignalRow & { id: bigint })[]> {
  const { rows } = await sql<SignalRow & { id: bigint }>`
    select s.n as id, s.* from signals s
    where s.strategy = ${ownStrategyKey(id)} and (${after ?? null}::bigint is null or s.n < ${after ?? null}::bigint)
    order by s.n desc limit ${limit + 1}`.execute(db)
  return rows
}

interface ReceivedRow {
  id: bigint
  at: Date
  symbol_id: number | null
  side: ReceivedSignal['side'] | null
  signal: bigint | null
  void: NonNullable<ReceivedSignal['void']> | null
  reason: string | null
}

/** Returns a page of the messages that came for a strategy, newest first, and one row more if there are more. */
export async function receivedOf(db: Db, id: bigint, { after, limit }: Page): Promise<ReceivedRow[]> {
  const { rows } = await sql<ReceivedRow>`
    select id, at, symbol_id, side, signal, void, reason from received_signals
    where strategy_id = ${id} and (${after ?? null}::bigint is null or id < ${after ?? null}::bigint)
    order by id desc limit ${limit + 1}`.execute(db)
  return rows
}

export function toReceived(instruments: Instruments, row: ReceivedRow): ReceivedSignal {
  const symbol = row.symbol_id === null ? undefined : instruments.byId(row.symbol_id)?.symbol
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    ...(symbol !== undefined && { symbol }),
    ...(row.side !== null && { side: row.side }),
    ...(row.signal !== null && { signal: String(row.signal) }),
    ...(row.void !== null && { void: row.void }),
    ...(row.reason !== null && { reason: row.reason }),
  }
}
