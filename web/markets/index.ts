export {
  baseName,
  changePercent,
  groupsOf,
  type MarketTab,
  named,
  notTradable,
  pairName,
  pausedWord,
  searchMarkets,
  symbolFor,
  tabChoices,
} from './markets.ts'
export { closeSearch, openSearch, useOpenSearch } from './open-search.ts'
export { Sparkline, useSparklines } from './sparkline.tsx'
export { StarButton } from './star-button.tsx'
export { useFavourites } from './use-favourites.ts'
