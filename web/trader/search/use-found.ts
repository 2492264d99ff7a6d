import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Instrument, TradingType } from '#contract/prices/prices.ts'
import { parsePublicId } from '#kernel/id.ts'
import { isVisitor, queryOf, type Trade, timeZone, tradeOf, useMode } from '#web/api/index.ts'
import { groupsOf, type MarketTab, notTradable, searchMarkets, useFavourites } from '#web/markets/index.ts'
import { findPages, type SearchPage } from './find-pages.ts'

/** The trades on one symbol. */
export interface TradesOn {
  symbol: string
  trades: number
  open: number
  /** Of the settled ones, US dollars. */
  net: number
}

/** What the arrow keys reach. `off`: why it can't be opened. */
export type Option = { id: string; off?: string | undefined } & (
  | { is: 'market'; instrument: Instrument }
  | { is: 'search'; text: string }
  | { is: 'trades'; on: TradesOn }
  | { is: 'trade'; trade: Trade }
  | { is: 'page'; page: SearchPage }
)

export interface Section {
  title: string
  options: readonly Option[]
}

const marketOption = (instrument: Instrument): Option => ({
  is: 'market',
  id: instrument.symbol,
  instrument,
  off: notTradable(instrument) && `Not tradable: ${notTradable(instrument)}`,
})

const EVERY_BASE = 'All'
export const EVERY_KIND = 'All'
const KINDS = ['Markets', 'My trades', 'Pages'] as const
export type Kind = typeof EVERY_KIND | (typeof KINDS)[number]
/** How many markets are shown next to the other kinds. */
const FEW_MARKETS = 5

/** What is found for a typed text, of every kind or one of them, with the number of each. */
export function useFound(instruments: readonly Instrument[], pages: readonly SearchPage[], typed: string, kind: Kind) {
  const mode = useMode()
  const { favourites } = useFavourites()
  const markets = typed === '' ? [] : searchMarkets(instruments, typed, favourites)
  const mine = useMyTrades(typed !== '', markets)
  const one = useTradeById(typed)
  const found = findPages(pages, typed)
  const trades: Option[] = [
    ...(one ? [{ is: 'trade', id: one.trade_id, trade: one } as const] : []),
    ...mine.map((on) => ({ is: 'trades', id: `trades-${on.symbol}`, on }) as const),
  ]
  const all: Record<(typeof KINDS)[number], readonly Option[]> = {
    Markets: markets.slice(0, kind === EVERY_KIND ? FEW_MARKETS : undefined).map(marketOption),
    'My trades': trades,
    Pages: found.map((page) => ({
      is: 'page',
      id: page.to,
      page,
      off: page.realOnly && mode === 'demo' ? 'Live only' : undefined,
    })),
  }
  const counts = {
    Markets: markets.length,
    'My trades': mine.reduce((sum, on) => sum + on.trades, one ? 1 : 0),
    Pages: found.length,
  }
  return {
    sections: KINDS.filter((one) => kind === EVERY_KIND || kind === one)
      .map((title) => ({ title, options: all[title] }))
      .filter(({ options }) => options.length > 0),
    kinds: [EVERY_KIND, ...KINDS].map((value) => ({
      value: value as Kind,
      label: value === EVERY_KIND ? value : `${value} ${counts[value as keyof typeof counts]}`,
    })),
  }
}

/** The user's trades on these markets, most first. One read has them all, so that no key that is typed asks again. */
function useMyTrades(isOn: boolean, markets: readonly Instrument[]): TradesOn[] {
  const mode = useMode()
  const enabled = isOn && !isVisitor()
  const settled = useQuery({
    ...queryOf('GET /trading/statistics', { query: { mode, zone: timeZone() } }),
    enabled,
  }).data?.data.by.symbol
  const open = useQuery({ ...queryOf('GET /trading', { query: { mode, status: 'Pending', limit: '200' } }), enabled })
    .data?.data
  return markets
    .map(({ symbol }) => {
      const done = settled?.find(({ key }) => key === symbol)
      const running = open?.filter((trade) => trade.symbol === symbol).length ?? 0
      return { symbol, trades: (done?.trades ?? 0) + running, open: running, net: done?.net ?? 0 }
    })
    .filter(({ trades }) => trades > 0)
    .sort((a, b) => b.trades - a.trades)
}

/** The trade whose ID is typed. */
function useTradeById(typed: string): Trade | undefined {
  const id = typed.toUpperCase()
  const enabled = !isVisitor() && /\d/.test(id) && parsePublicId(id) !== undefined
  const { data } = useQuery({ ...queryOf('GET /trading/:trade_id', { params: { trade_id: id } }), enabled })
  return enabled && data ? tradeOf(data.data) : undefined
}

/** The markets before anything is typed: a list of groups, or those of a trading type by what they are quoted in. */
export function useMarketLists(instruments: readonly Instrument[], first: MarketTab, symbol: string) {
  const [tab, setTab] = useState(first)
  const [typeChosen, setType] = useState<TradingType>()
  const [baseChosen, setBase] = useState(EVERY_BASE)
  const { favourites, recents } = useFavourites()
  const shown = instruments.find((one) => one.symbol === symbol)
  const type = typeChosen ?? shown?.trading_type ?? 'Cryptocurrency'
  const ofType = instruments.filter((one) => one.trading_type === type)
  const bases = [EVERY_BASE, ...new Set(ofType.map((one) => one.base))]
  const base = bases.includes(baseChosen) ? baseChosen : EVERY_BASE
  const groups =
    tab === 'all'
      ? [
          ...Map.groupBy(base === EVERY_BASE ? ofType : ofType.filter((one) => one.base === base), (one) => one.quote),
        ].map(([quote, rows]) => ({ title: `Against ${quote}`, rows }))
      : groupsOf(tab, instruments, { favourites, recents })
  return {
    ...{ tab, setTab, type, setType, bases, base, setBase },
    sections: groups.map(({ title, rows }): Section => ({ title, options: rows.map(marketOption) })),
  }
}
