import { create } from 'zustand'
import type { Mode } from '#contract/trading/trading.ts'
import type { Trade } from '#web/client/index.ts'

/** The known trades of one user and mode, newest first. */
export interface TradeState {
  /** The id of the user who owns them. */
  owner: string
  /** Follows the cached mode; demo until that is known. */
  mode: Mode
  list: readonly Trade[]
  /** False until the list has been loaded once. */
  initialised: boolean
  /** Why the list couldn't be loaded; it may still hold known trades. */
  error: string | undefined
  /** A retry is scheduled. */
  isRetrying: boolean
}

export const useTradeStore = create<TradeState>(() => ({
  owner: '',
  mode: 'demo',
  list: [],
  initialised: false,
  error: undefined,
  isRetrying: false,
}))

/** How far a trade has progressed: accepted, entered, settled. Never goes back. */
const progressOf = (trade: Trade): number => (trade.status !== 'Pending' ? 2 : trade.entry_price !== undefined ? 1 : 0)

/**
 * Merges both lists, newest first, each trade once. Responses and messages overtake each other, so of two versions of a
 * trade the more advanced one wins. Ids are time-ordered and give the order.
 */
export function mergeTrades(known: readonly Trade[], news: readonly Trade[]): readonly Trade[] {
  if (news.length === 0) return known
  const byId = new Map(known.map((trade) => [trade.trade_id, trade]))
  for (const trade of news) {
    const other = byId.get(trade.trade_id)
    if (!other || progressOf(trade) >= progressOf(other))
      byId.set(trade.trade_id, other ? withNote(trade, other) : trade)
  }
  return [...byId.values()].sort((a, b) => (a.trade_id < b.trade_id ? 1 : -1))
}

/** Keeps what the trader wrote about a trade: only lists know it. */
const withNote = (trade: Trade, { note, tags }: Trade): Trade =>
  trade.tags === undefined && tags !== undefined ? { ...trade, note, tags } : trade

/** Switches to another user's or mode's trades and clears the list. */
export function followTrades(owner: string, mode: Mode): void {
  const state = useTradeStore.getState()
  if (state.owner === owner && state.mode === mode) return
  useTradeStore.setState({ owner, mode, list: [], initialised: false, error: undefined, isRetrying: false })
}

/**
 * Stores what was loaded, merged with messages received meanwhile. Does nothing if the mode or user has changed since.
 */
export function setTrades(owner: string, mode: Mode, trades: readonly Trade[]): void {
  const state = useTradeStore.getState()
  if (state.owner !== owner || state.mode !== mode) return
  useTradeStore.setState({
    list: mergeTrades(state.list, trades),
    initialised: true,
    error: undefined,
    isRetrying: false,
  })
}

/** Adds or updates a trade. Ignores trades of the other mode. */
export function takeTrade(trade: Trade): void {
  const { mode, list } = useTradeStore.getState()
  if (trade.mode === mode) useTradeStore.setState({ list: mergeTrades(list, [trade]) })
}

/** Takes what the trader wrote about a trade, if it's listed. */
export function noteTrade(tradeId: string, { note, tags }: { note: string; tags: string[] }): void {
  const { list } = useTradeStore.getState()
  useTradeStore.setState({ list: list.map((trade) => (trade.trade_id === tradeId ? { ...trade, note, tags } : trade)) })
}
