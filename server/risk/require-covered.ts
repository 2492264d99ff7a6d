import { Problem } from '#contract/problem.ts'
import { dollars, type Usd, usd } from '#kernel/money.ts'
import { houseResult } from '../ledger/index.ts'
import { sql, type Tx } from '../platform/database/db.ts'
import { type CountedPrices, countBook } from './count-book.ts'
import { readBounds } from './figures.ts'
import { worstLoss } from './worst-loss.ts'

/** As long as this, at most, the rooms of all lanes are locked: well under the time in which an order expires. */
const LOCK_TIMEOUT = '200ms'
const STATEMENT_TIMEOUT = '500ms'

/**
 * Throws `wrong_state` if what the house may lose on its open trades would pass the bound without this much capital. From
 * here to the commit no lane has room, so orders wait; the engine's next count grants it again. If a lane is stuck or the
 * count takes too long, it fails (503) instead of holding up all others, and the operator tries again.
 */
export async function requireBookCovered(
  tx: Tx,
  prices: CountedPrices,
  { production, takenOut }: { production: boolean; takenOut: Usd },
): Promise<void> {
  // This reads every real account, so it comes before orders wait. The engine's result is up to a minute old, too.
  const result = await houseResult(tx)
  // From here on orders wait for the rooms, so anything that takes longer fails.
  await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true), set_config('statement_timeout', ${STATEMENT_TIMEOUT}, true)`.execute(
    tx,
  )
  // A count that is under way grants nothing any more.
  await sql`update risk_count set round = round + 1`.execute(tx)
  await sql`update risk_rooms set granted = used where granted > used`.execute(tx)
  const { book, prices: priced } = await countBook(tx, prices)
  const { worst } = worstLoss(book, priced)
  if (worst === 0) return
  const bounds = await readBounds(tx, { production, result: usd(result - takenOut) })
  if (BigInt(Math.ceil(worst)) <= bounds.bound) return
  throw new Problem(
    'wrong_state',
    `The open trades may cost ${dollars(usd(BigInt(Math.ceil(worst))))}, and without this capital the house may lose only ${dollars(bounds.bound)}. Wait until trades have settled.`,
  )
}
