export { createVenueHour, type VenueMinuteReport } from './hour.ts'
export { type Listing, planListing, type Wanted } from './listing.ts'
export { openVenue } from './open-venue.ts'
export { type MemberPreview, type Preview, previewPrice } from './preview.ts'
export { agree } from './price-index/agree.ts'
export { type FinePrice, shortText, toScale } from './price-index/fine-price.ts'
export {
  createPriceIndex,
  isPrice,
  type PriceIndex,
} from './price-index/price-index.ts'
export {
  conditionOf,
  deepSourcesOf,
  type MemberReport,
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
export type { Market, Venue, VenueMinute } from './venue.ts'
export { DEFAULT_VENUES } from './venue-table.ts'
