import { Problem } from '#contract/problem.ts'
import type { ComplaintItem } from '#contract/terms.ts'
import { COMPLAINT_DAYS, COMPLAINTS_A_DAY, COMPLAINTS_AN_ITEM } from '#contract/trading/complaints.ts'
import { first } from '#kernel/must.ts'
import { DAY_MS, type Ms } from '#kernel/time.ts'
import { depositById, withdrawalById } from '../cashier/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { tradeOf } from '../trading/index.ts'
import { countComplaints } from './store.ts'

export interface About {
  item: ComplaintItem
  itemId: bigint
}

/** Returns why a trader can't complain about an item (again). Throws `not_found` if it isn't theirs. */
export async function refusal(db: Db | Tx, userId: bigint, about: About, now: Ms): Promise<Problem | undefined> {
  const state = await stateOf(db, userId, about)
  if (!state) throw new Problem('not_found', `${first(about.item).toUpperCase()}${about.item.slice(1)} not found.`)
  if (state === 'open trade')
    return new Problem('wrong_state', 'This trade is still open. You can complain once it has a result.')
  if (state.endedAt !== null && now - state.endedAt.getTime() > COMPLAINT_DAYS * DAY_MS)
    return new Problem('wrong_state', `This was more than ${COMPLAINT_DAYS} days ago. Contact us instead.`)
  const { about: already, today } = await countComplaints(db, userId, about)
  if (already >= COMPLAINTS_AN_ITEM)
    return new Problem('wrong_state', 'We have decided about this twice. Contact us if you disagree.')
  if (today >= COMPLAINTS_A_DAY)
    return new Problem('limit_reached', `You can file ${COMPLAINTS_A_DAY} complaints within 24 hours. Try again later.`)
  return undefined
}

/** Returns when a user's item ended; null while it is open. */
async function stateOf(
  db: Db | Tx,
  userId: bigint,
  { item, itemId }: About,
): Promise<{ endedAt: Date | null } | 'open trade' | undefined> {
  switch (item) {
    case 'trade': {
      const trade = await tradeOf(db, userId, itemId)
      if (!trade) return undefined
      return trade.settled_at === null ? 'open trade' : { endedAt: trade.settled_at }
    }
    case 'deposit': {
      const deposit = await depositById(db, itemId)
      return deposit?.user_id === userId ? { endedAt: deposit.decided_at } : undefined
    }
    case 'withdrawal': {
      const withdrawal = await withdrawalById(db, itemId)
      return withdrawal?.user_id === userId ? { endedAt: withdrawal.ended_at } : undefined
    }
  }
}
