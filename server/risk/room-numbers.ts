import type { TradeSide } from '#contract/trading/trading.ts'
import { type Direction, FACTORS, type Factor, factorOf } from './shocks.ts'

/**
 * A room's number in the table: one for each factor and direction, and for each symbol that has a limit or whose two
 * coins are one factor.
 */
const SYMBOLS_FROM = 1_000
const DOWN = 1

export const factorRoom = (factor: Factor, direction: Direction): number =>
  2 * FACTORS.indexOf(factor) + (direction === 'down' ? DOWN : 0)
export const symbolRoom = (symbolId: number, direction: Direction): number =>
  SYMBOLS_FROM + 2 * symbolId + (direction === 'down' ? DOWN : 0)

/** Returns the rooms that a trade takes its profit from, at most three: those of the moves that it wins by. */
export function roomsOf(
  { id, base, quote }: { id: number; base: string; quote: string },
  side: TradeSide,
  isLimited: boolean,
): number[] {
  const [wins, loses]: [Direction, Direction] = side === 'Buy' ? ['up', 'down'] : ['down', 'up']
  const [over, under] = [factorOf(base), factorOf(quote)]
  return [
    ...(over === under ? [] : [factorRoom(over, wins), factorRoom(under, loses)]),
    ...(isLimited || over === under ? [symbolRoom(id, wins)] : []),
  ]
}

/** Whether no shock of a factor moves the symbol's price, so that only a room for the symbol limits its trades. */
export const isOfOneFactor = ({ base, quote }: { base: string; quote: string }): boolean =>
  factorOf(base) === factorOf(quote)
