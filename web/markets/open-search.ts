import { create } from 'zustand'
import type { MarketTab } from './markets.ts'

interface OpenSearch {
  /** The list of markets that it opens with; undefined while it's closed. */
  tab: MarketTab | undefined
  /** How often it was opened. */
  times: number
}

export const useOpenSearch = create<OpenSearch>(() => ({ tab: undefined, times: 0 }))

/** Opens the search from anywhere. */
export const openSearch = (tab: MarketTab = 'favourites'): void =>
  useOpenSearch.setState(({ times }) => ({ tab, times: times + 1 }))
export const closeSearch = (): void => useOpenSearch.setState({ tab: undefined })
