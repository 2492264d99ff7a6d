import { draws } from '../random.ts'
import type { Made, Message } from './latency.ts'

/** Network delay on top of any lag: 20 to 40 ms. */
const TRANSPORT_MS = 20
const HEARTBEAT_MS = 500

/**
 * Two venues whose messages all arrive late. With `stamped`, messages have the time at which they were made; otherwise
 * the time at which they arrive, which hides the lag.
 */
export function lateFeed(made: readonly Made[], lagMs: number, stamped: boolean): Message[] {
  const { below } = draws(lagMs)
  return made.flatMap(({ madeMs, price }) =>
    ['x', 'y'].map((venue) => {
      const receivedMs = madeMs + lagMs + TRANSPORT_MS + below(TRANSPORT_MS)
      return { venue, price, receivedMs, venueMs: stamped ? madeMs : receivedMs }
    }),
  )
}

/**
 * One venue leads the market; two others follow after `reactsMs` (one of them after half of that), each with a small
 * price offset and with only a `share` of the leader's trades. All send heartbeats. Our connection to the leader may be
 * `lateMs` late.
 */
export function oneVenueLeads(made: readonly Made[], reactsMs: number, share: number, lateMs = 0): Message[] {
  const { below, chance, normal } = draws(reactsMs + Math.round(share * 1e6))
  const transported = (time: number) => time + TRANSPORT_MS + below(TRANSPORT_MS)
  const messages: Message[] = made.map(({ madeMs, price }) => ({
    venue: 'leader',
    price,
    venueMs: madeMs,
    receivedMs: transported(madeMs) + lateMs,
  }))
  for (const [venue, after] of [
    ['follower', reactsMs / 2],
    ['last', reactsMs],
  ] as const) {
    const dearer = normal() * 0.0001
    for (const { madeMs, price } of made) {
      if (!chance(share)) continue
      const venueMs = Math.floor(madeMs + after)
      const ownPrice = price * (1 + dearer + normal() * 0.00003)
      messages.push({ venue, price: ownPrice, venueMs, receivedMs: transported(venueMs) })
    }
    for (let time = made[0]!.madeMs; time < made.at(-1)!.madeMs; time += HEARTBEAT_MS) {
      messages.push({ venue, price: undefined, venueMs: time, receivedMs: transported(time) })
    }
  }
  return messages
}
