import type { TradeSide } from '#contract/trading/trading.ts'

/** The lanes of a node, and what limits the profits of the real trades that they accept. The room `risk` opens them. */
export interface LaneRooms {
  lanes: readonly number[]
  /** Returns the rooms that a trade takes its profit from. */
  roomsOf(symbolId: number, side: TradeSide): readonly number[]
  /** Asks for room for an order: soon there is some, or the lane knows that there isn't. In cents. */
  ask(lane: number, room: number, profit: bigint): void
}

/** The rooms of one lane. */
export interface LaneRoom extends Pick<LaneRooms, 'roomsOf' | 'ask'> {
  lane: number
}
