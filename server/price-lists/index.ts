export { followPriceLists, type PriceLists, type PriceListTopics } from './follow-price-lists.ts'
export { addVersion, newestVersions } from './price-lists.ts'
export { requireListed } from './require-listed.ts'
export { priceListRoutes } from './routes.ts'
