import { create } from 'zustand'
import type { Mode, Trade } from '#contract/trading.ts'

/** The trades of one mode of one user, newest first, as far as they are known here. */
export interface TradeState {
  /** Whose they are: the user's id. */
  owner: string
  /** Follows the cached mode; demo until it was asked. */
  mode: Mode
  list: readonly Trade[]
  /** False until the list was read once. */
  initialised: boolean
  /** Why it could not be read; the list may still hold what is known. */
  error: string | undefined
  /** Another try comes by itself. */
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

/** How far a trade has come: accepted, entered, settled. It never goes back. */
const progressOf = (trade: Trade): number => (trade.status !== 'Pending' ? 2 : trade.start_price !== undefined ? 1 : 0)

/**
 * Both lists as one, newest first, each trade once. Answers and messages overtake each other, so of two versions of a
 * trade the one that has come further counts; ids are time-ordered and give the order.
 */
export function mergeTrades(known: readonly Trade[], news: readonly Trade[]): readonly Trade[] {
  if (news.length === 0) return known
  const byId = new Map(known.map((trade) => [trade.trade_id, trade]))
  for (const trade of news) {
    const other = byId.get(trade.trade_id)
    if (!other || progressOf(trade) >= progressOf(other)) byId.set(trade.trade_id, trade)
  }
  return [...byId.values()].sort((a, b) => (a.trade_id < b.trade_id ? 1 : -1))
}

/** Turns to another user's or mode's trades: what was shown is forgotten. */
export function followTrades(owner: string, mode: Mode): void {
  const state = useTradeStore.getState()
  if (state.owner === owner && state.mode === mode) return
  useTradeStore.setState({ owner, mode, list: [], initialised: false, error: undefined, isRetrying: false })
}

/** Sets what was read, merged with what came by message meanwhile. Nothing where the mode or user has changed since. */
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

/** Adds one trade, or what became of it. One of the other mode changes nothing here. */
export function takeTrade(trade: Trade): void {
  const { mode, list } = useTradeStore.getState()
  if (trade.mode === mode) useTradeStore.setState({ list: mergeTrades(list, [trade]) })
}
