import type { Instrument, TradingType } from '#contract/prices/prices.ts'
import { first, must } from '#kernel/must.ts'

/** Names of coins and currencies, for the search and for people who don't know the codes. */
const NAMES: Record<string, string> = {
  BCH: 'Bitcoin Cash',
  BTC: 'Bitcoin',
  EOS: 'EOS',
  ETC: 'Ethereum Classic',
  ETH: 'Ethereum',
  EUR: 'Euro',
  GBP: 'British Pound',
  LTC: 'Litecoin',
  MKR: 'Maker',
  NDX: 'Nasdaq 100',
  PCP: 'PCP',
  REP: 'Augur',
  SHIB: 'Shiba Inu',
  SPX: 'S&P 500',
  TRX: 'TRON',
  TXR: 'TXR',
  USD: 'US Dollar',
  USDT: 'Tether',
  XLM: 'Stellar',
  XRP: 'XRP',
  ZEC: 'Zcash',
  ZRX: '0x',
}

/** Shown with a star until the trader chooses their own. */
export const FAMILIAR: readonly string[] = ['BTCUSDT', 'ETHUSDT', 'XRPUSDT', 'LTCUSDT', 'BCHBTC']

/** The lists of markets, in the panel and in the sheet. */
export type MarketTab = 'favourites' | 'movers' | 'all'

/** The most moved next to the favourites; their tab has twice as many. */
const MOST_MOVED = 12
const MOST_RECENT = 4

type Pair = Pick<Instrument, 'symbol' | 'base' | 'quote'>

export const baseName = ({ base }: Pick<Instrument, 'base'>): string => NAMES[base] ?? base
const quoteName = ({ quote }: Pick<Instrument, 'quote'>): string => NAMES[quote] ?? quote

/** Returns a market's full name: `Bitcoin Cash / Bitcoin`. */
export const pairName = (pair: Pick<Instrument, 'base' | 'quote'>): string => `${baseName(pair)} / ${quoteName(pair)}`

/** Why an instrument can't be traded at all; `undefined` if it can, now or when it has a price again. */
export function notTradable({ trading_type, status, reason }: Instrument): string | undefined {
  if (trading_type === null) return 'Display only'
  return status === 'unavailable' ? (reason ?? 'Unavailable') : undefined
}

/** How well a word describes an instrument, 0 is best; `undefined` if it doesn't. */
function rankOf(word: string, pair: Pair): number | undefined {
  const names = [baseName(pair), quoteName(pair)].map((name) => name.toUpperCase())
  if (pair.symbol === word || names[0] === word) return 0
  if (pair.base === word || first(names).startsWith(word)) return 1
  if (
    pair.symbol.startsWith(word) ||
    first(names)
      .split(' ')
      .some((part) => part.startsWith(word))
  )
    return 2
  if (pair.quote.startsWith(word) || must(names[1]).startsWith(word)) return 3
  return pair.symbol.includes(word) ? 4 : undefined
}

/**
 * Finds instruments of both trading types by code or name, best first: `btc`, `ETH/USD`, `xrp eur`, `bitcoin`. Of equal
 * ones, favourites come first.
 */
export function searchMarkets(
  instruments: readonly Instrument[],
  typed: string,
  favourites: readonly string[] = [],
): Instrument[] {
  const words = typed
    .toUpperCase()
    .split(/[\s/–-]+/)
    .filter(Boolean)
  const found = instruments.flatMap((instrument) => {
    const ranks = words.map((word) => rankOf(word, instrument))
    return ranks.includes(undefined)
      ? []
      : [{ instrument, rank: (ranks as number[]).reduce((sum, rank) => sum + rank, 0) }]
  })
  return found
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        Number(a.instrument.trading_type === null) - Number(b.instrument.trading_type === null) ||
        Number(favourites.includes(b.instrument.symbol)) - Number(favourites.includes(a.instrument.symbol)),
    )
    .map(({ instrument }) => instrument)
}

/** Returns the change since a day ago, in percent. */
const changeOf = ({ price, price_before }: Instrument): number =>
  price === undefined || price_before === undefined ? 0 : Number(price) / Number(price_before) - 1

/** The instruments that can be traded, the most moved first. */
export const movers = (instruments: readonly Instrument[]): Instrument[] =>
  instruments
    .filter((one) => notTradable(one) === undefined)
    .sort((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)))

/** Returns the instruments with these symbols, in their order; unknown ones are left out. */
export const named = (instruments: readonly Instrument[], symbols: readonly string[]): Instrument[] =>
  symbols.flatMap((symbol) => instruments.find((one) => one.symbol === symbol) ?? [])

interface MarketGroup {
  title: string
  rows: readonly Instrument[]
}

/** Returns the groups of a tab that aren't empty. A market is in one of them. */
export function groupsOf(
  tab: MarketTab,
  instruments: readonly Instrument[],
  { favourites, recents }: { favourites: readonly string[]; recents: readonly string[] },
): MarketGroup[] {
  const starred = named(instruments, favourites)
  const opened = named(instruments, recents)
    .filter((one) => !favourites.includes(one.symbol))
    .slice(0, MOST_RECENT)
  const moved = movers(instruments)
  const groups = {
    all: [{ title: 'All', rows: instruments.filter((one) => one.trading_type !== null) }],
    movers: [{ title: MOVED, rows: moved.slice(0, 2 * MOST_MOVED) }],
    favourites: [
      { title: 'Favourites', rows: starred },
      { title: 'Recent', rows: opened },
      {
        title: MOVED,
        rows: moved.filter((one) => !starred.includes(one) && !opened.includes(one)).slice(0, MOST_MOVED),
      },
    ],
  }[tab]
  return groups.filter(({ rows }) => rows.length > 0)
}
const MOVED = 'Most moved, 24 h'

/** Returns the tabs as choices, with how many markets there are. */
export function tabChoices(instruments: readonly Instrument[]): { value: MarketTab; label: string }[] {
  const tradable = instruments.filter((one) => one.trading_type !== null).length
  return [
    { value: 'favourites', label: 'Favourites' },
    { value: 'movers', label: 'Movers' },
    { value: 'all', label: `All ${tradable || ''}` },
  ]
}

/** Says why a market's price isn't live; undefined while it is. */
export const pausedWord = ({ status }: Instrument): 'Closed' | 'Stale' | undefined =>
  status === 'closed' ? 'Closed' : status === 'stale' ? 'Stale' : undefined

/**
 * Returns the symbol to show when the trading type changes: the same base if available, preferably in dollars, else
 * any.
 */
export function symbolFor(type: TradingType, current: string, instruments: readonly Instrument[]): string {
  const base = instruments.find(({ symbol }) => symbol === current)?.base
  const ofType = instruments.filter((instrument) => instrument.trading_type === type)
  const open = ofType.filter(({ status }) => status === 'open')
  const sameBase = open.filter((one) => one.base === base)
  const chosen = sameBase.find((one) => one.quote === 'USD') ?? sameBase[0] ?? open[0] ?? ofType[0]
  return chosen?.symbol ?? current
}

/** Returns the change over one day, in percent; `undefined` if that price is unknown. */
export function changePercent(price: string | undefined, before: string | undefined): number | undefined {
  if (price === undefined || before === undefined || Number(before) === 0) return undefined
  return (Number(price) / Number(before) - 1) * 100
}
