import type { Level } from '../venue.ts'
import type { FinePrice } from './fine-price.ts'

/** More levels of a side are never read: what isn't found within them isn't near the price. */
const LEVELS_MAX = 50

const PARTS = 1e12
const PARTS_FINE = BigInt(PARTS)

/**
 * Returns the mean price of the first `depth` of a book's side, in the quote currency; undefined if the side holds less.
 * An order of a hundredth of the depth moves it by a hundredth of its distance, so moving it takes money.
 *
 * `best` is the exact price of the first level. Only the distance from it is computed in floating point, by operations
 * that give the same bits on every machine, and rounded to 1e-12 of the price.
 */
export function priceAtDepth(best: FinePrice, side: readonly Level[], depth: number): FinePrice | undefined {
  const first = Number(side[0]?.[0])
  let left = depth
  let away = 0
  for (const [price, size] of side) {
    const level = Number(price)
    const value = Math.min(left, level * size)
    if (!(value >= 0)) return undefined
    away += value * (level / first - 1)
    left -= value
    if (left === 0) return (best + (best * BigInt(Math.round((away / depth) * PARTS))) / PARTS_FINE) as FinePrice
  }
  return undefined
}

/** Copies the best levels of a side, up to the first that isn't one. Its rows may change later. */
export function bestLevels(side: readonly unknown[]): Level[] {
  const levels: Level[] = []
  const count = Math.min(side.length, LEVELS_MAX)
  for (let at = 0; at < count; at++) {
    const row = side[at]
    if (!Array.isArray(row)) break
    levels.push([String(row[0]), Number(row[1])])
  }
  return levels
}
