import { userOf } from '../../../ledger/index.ts'
import type { Connection } from '../../../platform/database/connection.ts'
import { isRetryable } from '../../../platform/database/db.ts'
import type { TradesChanged } from '../../notices/push-trades.ts'
import type { TradingObserver } from '../../observer.ts'
import type { BusyRow, SettledRow } from '../settle.sql.ts'

/** Who is notified of settled trades. */
export interface SettledListeners {
  changed(event: TradesChanged): void
  observer?: TradingObserver | undefined
}

/** Runs a settling statement, and reports what it settled. Returns how much that was, and what it left alone. */
export async function settle(
  deps: SettledListeners,
  connection: Connection,
  name: string,
  text: string,
  values: unknown[],
): Promise<{ settled: number; busy: BusyRow[] }> {
  const began = performance.now()
  const rows = await retried(() => connection.run<(SettledRow | BusyRow) & Record<string, unknown>>(name, text, values))
  const settled: SettledRow[] = []
  const left: BusyRow[] = []
  for (const row of rows) {
    if (row.id === null) left.push(row)
    else settled.push(row)
  }
  report(deps, settled, performance.now() - began)
  return { settled: settled.length, busy: left }
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= 5 || !isRetryable(error)) throw error
    }
  }
}

function report(deps: SettledListeners, rows: SettledRow[], tookMs: number): void {
  if (rows.length === 0) return
  deps.observer?.settled(
    rows.map(({ id, trade_time, entry_time, end_time }) => ({
      id,
      tradeTime: Number(trade_time),
      entryTime: entry_time === null ? undefined : Number(entry_time),
      endTime: Number(end_time),
    })),
    tookMs,
  )
  deps.changed({
    tradeIds: rows.map((row) => row.id),
    userIds: [...new Set(rows.map((row) => userOf(row.account_id)))],
  })
}
