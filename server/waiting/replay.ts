import { tickProblem } from '../alerts/index.ts'
import { type Db, sql } from '../platform/database/db.ts'
import { TicksDropped } from '../prices/index.ts'
import type { WaitingRow } from './store.ts'

interface TriggersVerdict {
  checked: number
  /** Their prices are no longer kept. */
  dropped: number
  broken: string | undefined
}

const PAGE = 500

/**
 * Checks that the tick that triggered each order is on the tape, fulfils its condition, and is the first of its minute that
 * does. That the trade follows it is checked by the invariants, and its entry with all trades. Returns the first that
 * differs.
 */
export async function verifyTriggers(db: Db): Promise<TriggersVerdict> {
  const verdict: TriggersVerdict = { checked: 0, dropped: 0, broken: undefined }
  for (let [account, after] = [0n, 0n]; ; ) {
    const { rows } = await sql<WaitingRow>`
      select * from waiting_orders where trigger_seq is not null and (account_id, id) > (${account}::bigint, ${after}::bigint)
      order by account_id, id limit ${PAGE}`.execute(db)
    for (const row of rows) {
      const trigger = { price: row.trigger_price, seq: Number(row.trigger_seq), sourceMs: Number(row.trigger_ms) }
      try {
        const says = fulfils(row, trigger)
          ? await tickProblem(db, row, trigger, (tick) => fulfils(row, tick))
          : 'fired by a price that does not fulfil it'
        verdict.checked++
        if (says !== undefined) return { ...verdict, broken: `order ${row.id} of account ${row.account_id} ${says}` }
      } catch (error) {
        if (!(error instanceof TicksDropped)) throw error
        verdict.dropped++
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return verdict
    ;[account, after] = [last.account_id, last.id]
  }
}

function fulfils(
  { condition, level, at_ms }: WaitingRow,
  { price, sourceMs }: { price: bigint | null; sourceMs: number },
): boolean {
  if (condition === 'at_time') return at_ms !== null && sourceMs >= Number(at_ms)
  if (level === null || price === null) return false
  return condition === 'at_or_above' ? price >= level : price <= level
}
