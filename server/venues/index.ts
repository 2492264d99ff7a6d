export type { VenueOptions } from './ccxt/ccxt-venue.ts'
export { createVenueHour, type VenueMinuteReport } from './hour.ts'
export { type IndexedPair, type Listing, planListing, type Recipe, type VenueMarkets, type Wanted } from './listing.ts'
export { openVenue } from './open-venue.ts'
export { type MemberPreview, type Preview, previewPrice } from './preview.ts'
export { type Agreement, agree } from './price-index/agree.ts'
export { FINE_SCALE, type FinePrice, fineText, shortText, toScale } from './price-index/fine-price.ts'
export {
  createPriceIndex,
  type IndexPrice,
  isPrice,
  type PriceIndex,
  type Standing,
  type Unavailable,
} from './price-index/price-index.ts'
export {
  conditionOf,
  deepSourcesOf,
  type MemberReport,
  type PairReport,
  reportSymbol,
  reportVenues,
  type SymbolReport,
  sourcesOf,
  spreadOf,
  symbolsLostWithout,
  symbolsOfVenue,
  type VenueCondition,
  type VenueReport,
} from './report.ts'
export { DEFAULT_TERMS, type IndexTerms } from './terms.ts'
export type { BookLevels, Level, Market, Venue, VenueListener, VenueMinute, VenueQuote } from './venue.ts'
export { DEFAULT_VENUES } from './venue-table.ts'
