import type { Instrument } from '#contract/prices/prices.ts'
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

type Pair = Pick<Instrument, 'symbol' | 'base' | 'quote'>

export const baseName = ({ base }: Pick<Instrument, 'base'>): string => NAMES[base] ?? base
const quoteName = ({ quote }: Pick<Instrument, 'quote'>): string => NAMES[quote] ?? quote

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

/** Finds instruments of both trading types by code or name, best first: `btc`, `ETH/USD`, `xrp eur`, `bitcoin`. */
export function searchMarkets(instruments: readonly Instrument[], typed: string): Instrument[] {
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
        a.rank - b.rank || Number(a.instrument.trading_type === null) - Number(b.instrument.trading_type === null),
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
