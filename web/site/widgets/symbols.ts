export const OVERVIEW_SYMBOLS = ['BTCUSD', 'ETHUSD', 'LTCUSD', 'XRPUSD', 'BCHUSD', 'EURUSD', 'SPX', 'NDX'] as const
export const CHART_SYMBOLS = ['BTCUSD', 'ETHUSD', 'LTCUSD', 'XRPUSD', 'EURUSD'] as const
const HEAT_BASES = 'BTC ETH XRP BCH LTC EOS ETC XLM TRX ZEC ZRX SHIB MKR REP TXR PCP'.split(' ')
export const HEAT_SYMBOLS: readonly string[] = HEAT_BASES.map((base) => `${base}USD`)

/** Returns the display name of a symbol. */
export const pairName = (symbol: string): string =>
  ({ SPX: 'S&P 500', NDX: 'Nasdaq 100' })[symbol] ?? `${symbol.slice(0, -3)}/${symbol.slice(-3)}`
