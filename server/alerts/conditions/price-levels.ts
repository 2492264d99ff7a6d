import type { JudgedTick, PriceWatch } from './terms.ts'

/** The prices of a symbol that are watched for. A tick costs two comparisons, and what it fires. */
export interface PriceLevels {
  add(alert: PriceWatch): void
  tick(tick: JudgedTick, fire: (alert: PriceWatch) => void): void
}

export function createPriceLevels(): PriceLevels {
  // The next ones to be reached are at the ends: the lowest that the price has to rise to, the highest that it has to fall to.
  const rising: PriceWatch[] = []
  const falling: PriceWatch[] = []
  return {
    add(alert) {
      if (alert.rises) insert(rising, alert, (one) => one.level > alert.level)
      else insert(falling, alert, (one) => one.level < alert.level)
    },
    tick({ units }, fire) {
      for (let next = rising.at(-1); next !== undefined && next.level <= units; next = rising.at(-1)) {
        rising.pop()
        if (!next.gone) fire(next)
      }
      for (let next = falling.at(-1); next !== undefined && next.level >= units; next = falling.at(-1)) {
        falling.pop()
        if (!next.gone) fire(next)
      }
    },
  }
}

/** Inserts into a list behind all entries that come before it. `isBefore` holds for a head of the list and for no other. */
export function insert<T>(list: T[], entry: T, isBefore: (one: T) => boolean): void {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = list[middle]
    if (at !== undefined && isBefore(at)) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, entry)
}
