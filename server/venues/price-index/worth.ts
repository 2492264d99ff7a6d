import { FINE_SCALE, type FinePrice } from './fine-price.ts'

/** What is meant to be worth a dollar. Only depths are converted by it, never prices. */
const DOLLARS = new Set(['USD', 'USDT', 'USDC'])

/** Whether a market in this currency needs no other price to say what its sizes are worth. */
export const isDollar = (currency: string): boolean => DOLLARS.has(currency)

/** What currencies are worth in USD, by the index's own prices: exact enough to say how deep a book is. */
interface Worth {
  /** Returns the newest known worth; undefined as long as no price has said it. */
  usd(currency: string): number | undefined
  /** Takes over a currency's worth from the index's newest prices, if they say it. */
  update(currency: string): void
}

const VIA = 'BTC'

/** `priceOf` returns a pair's price by its name. */
export function createWorth(priceOf: (pair: string) => FinePrice | undefined): Worth {
  const known = new Map<string, number>()
  const number = (pair: string): number | undefined => {
    const price = priceOf(pair)
    return price === undefined ? undefined : Number(price) / 10 ** FINE_SCALE
  }

  function inDollars(currency: string): number | undefined {
    for (const dollar of DOLLARS) {
      const direct = number(`${currency}/${dollar}`)
      if (direct !== undefined) return direct
      const inverse = number(`${dollar}/${currency}`)
      if (inverse !== undefined) return 1 / inverse
    }
    return undefined
  }

  return {
    usd: (currency) => (isDollar(currency) ? 1 : known.get(currency)),
    update(currency) {
      if (isDollar(currency)) return
      const direct = inDollars(currency)
      const [via, each] = direct === undefined ? [inDollars(VIA), number(`${VIA}/${currency}`)] : []
      const worth = direct ?? (via !== undefined && each !== undefined ? via / each : undefined)
      if (worth !== undefined && Number.isFinite(worth) && worth > 0) known.set(currency, worth)
    },
  }
}
