import { must } from '#kernel/must.ts'
import { formatPrice, price as priceOf } from '#kernel/price.ts'
import { type MemberPreview, type Preview, shortText, toScale } from '../../venues/index.ts'
import { UNITS_MAX } from '../tape/frames/frame.ts'

/** The price that an instrument that doesn't exist yet would have now. Prices are decimal text. */
export interface PricePreview {
  /** At the instrument's scale, as it would be published. */
  price?: string
  /** Why there is no price, as text for the operator. */
  why?: string
  /** The currency that it is derived through. */
  via?: string
  pairs: {
    pair: string
    price?: string
    members: {
      venue: string
      market: string
      standing: MemberPreview['standing']
      price?: string
      from?: 'quote' | 'minute'
    }[]
  }[]
}

/** Returns a price as it would be published, or why it can't be. */
export function shownAt(units: bigint, scale: number): Pick<PricePreview, 'price' | 'why'> {
  if (units <= 0n) return { why: `With ${scale} decimal places the price is rounded to zero. Propose more.` }
  if (units > UNITS_MAX) return { why: `With ${scale} decimal places the price is too long. Propose fewer.` }
  return { price: formatPrice(priceOf(units), scale) }
}

/** Returns a preview as the API shows it, at a scale. */
export function previewOf({ recipe, price, pairs }: Preview, scale: number): PricePreview {
  if (recipe.is === 'missing') return { why: recipe.why, pairs: [] }
  return {
    ...(recipe.is === 'derived' ? { via: recipe.via } : {}),
    ...(price === undefined ? { why: whyNone(pairs) } : shownAt(toScale(price, scale), scale)),
    pairs: pairs.map(({ pair, price, members }) => ({
      pair,
      ...(price === undefined ? {} : { price: shortText(price) }),
      members: members.map(({ venue, market, standing, price, from }) => ({
        venue,
        market,
        standing,
        ...(price === undefined ? {} : { price: shortText(price) }),
        ...(from === undefined ? {} : { from }),
      })),
    })),
  }
}

function whyNone(pairs: Preview['pairs']): string {
  const { pair, why, minSources } = must(pairs.find(({ price }) => price === undefined))
  return why === 'disagree'
    ? `The exchanges disagree about ${pair}.`
    : `Fewer than ${minSources} exchanges have a price of ${pair} now.`
}
