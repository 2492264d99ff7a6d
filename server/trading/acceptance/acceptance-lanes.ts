import { first } from '#kernel/must.ts'
import { userOf } from '../../ledger/index.ts'
import { overloaded } from '../refusals.ts'
import type { AcceptanceLane, AcceptanceQueue } from './acceptance.ts'

/** Maximum connections that accept in parallel. */
export const ACCEPTANCE_LANES = 2
/**
 * Orders that wait in a lane before the next one is used as well. A statement costs nearly a millisecond whatever its
 * size, so half as many orders in each of two statements cost more than all of them in one.
 */
const LANE_FULL = 128
/**
 * Orders that may wait in each lane, about as many as it accepts in a second on two cores. Beyond them, an answer at once
 * is better than one that comes too late.
 */
const LANE_WAITING_MAX = 4_000

/**
 * Spreads orders over several queues, each on a separate connection: the first one that isn't full. While a trader has
 * orders in flight, their next ones use the same queue, and orders on limited symbols prefer the first: a batch leaves
 * accounts and symbols that another one has locked to a later one. When all are overloaded, rejects orders until they
 * aren't.
 */
export function acceptanceLanes(lanes: readonly AcceptanceLane[], waitingMax = LANE_WAITING_MAX): AcceptanceQueue {
  const inFlight = new Map<bigint, { lane: AcceptanceLane; orders: number }>()
  const freeLane = () =>
    lanes.find((lane) => lane.waiting() < LANE_FULL) ??
    lanes.reduce((least, lane) => (lane.waiting() < least.waiting() ? lane : least))

  return {
    async submit(order) {
      const userId = userOf(order.accountId)
      const current = inFlight.get(userId) ?? { lane: order.limited ? first(lanes) : freeLane(), orders: 0 }
      if (current.lane.waiting() >= waitingMax) throw overloaded()
      inFlight.set(userId, current)
      current.orders++
      try {
        return await current.lane.submit(order)
      } finally {
        if (--current.orders === 0) inFlight.delete(userId)
      }
    },
    async drain() {
      await Promise.all(lanes.map((lane) => lane.drain()))
    },
  }
}
