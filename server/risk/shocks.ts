/** What moves prices: a coin, all other coins together, or a currency. Every symbol is one over another. */
export type Factor = 'BTC' | 'ETH' | 'COINS' | 'USD' | 'EUR' | 'GBP' | 'JPY' | 'CHF'

export type Direction = 'up' | 'down'

/** How far a factor moves in one shock, as a share of its price, and when it did. */
interface Shock {
  up: number
  upSource: string
  down: number
  downSource: string
}

/**
 * The shocks that the worst case is computed for: of each factor, about the largest move within a day. Traders' entries
 * are close to the price, so a larger shock costs hardly more; what counts is on which side they are.
 */
export const SHOCKS: Readonly<Record<Factor, Shock>> = {
  BTC: {
    up: 0.42,
    upSource: '25 and 26 October 2019: from about 7,400 to 10,500 dollars in a day',
    down: 0.5,
    downSource: '12 and 13 March 2020: from about 7,900 to 3,900 dollars in a day',
  },
  ETH: {
    up: 0.5,
    upSource: '19 and 20 May 2021: from about 1,900 to above 2,900 dollars in a day',
    down: 0.55,
    downSource: '12 and 13 March 2020: from about 195 to 90 dollars in a day',
  },
  COINS: {
    up: 1,
    upSource: '13 July 2023: XRP from about 0.47 to 0.93 dollars after a ruling',
    down: 0.8,
    downSource: '10 October 2025: many smaller coins lost 60 to 80% on large exchanges within an hour',
  },
  USD: {
    up: 0.05,
    upSource: '24 June 2016: the dollar rose by up to 4.5% against the euro after the vote on Brexit',
    down: 0.08,
    downSource: '15 October 2018: Tether, which counts as a dollar here, fell to about 0.92 dollars',
  },
  EUR: {
    up: 0.04,
    upSource: '18 March 2009: from about 1.30 to 1.35 dollars when the Federal Reserve began to buy bonds',
    down: 0.05,
    downSource: '24 June 2016: from about 1.143 to 1.091 dollars after the vote on Brexit',
  },
  GBP: {
    up: 0.05,
    upSource: '26 September 2022: from about 1.035 to 1.09 dollars after the crash of the same morning',
    down: 0.12,
    downSource: '24 June 2016: from about 1.50 to 1.32 dollars after the vote on Brexit',
  },
  JPY: {
    up: 0.1,
    upSource: '7 and 8 October 1998: from about 131 to 118 yen for a dollar',
    down: 0.06,
    downSource: '31 October 2011: from about 75.5 to 79.5 yen for a dollar when Japan intervened',
  },
  CHF: {
    up: 0.42,
    upSource: '15 January 2015: from 1.20 to about 0.85 francs for a euro when the floor was given up',
    down: 0.09,
    downSource: '6 September 2011: from about 1.11 to 1.21 francs for a euro when the floor was set',
  },
}

export const FACTORS = Object.keys(SHOCKS) as Factor[]

/** Returns the factor that a coin or a currency belongs to. One that the table doesn't name moves with the smaller coins. */
export function factorOf(asset: string): Factor {
  if (asset === 'USDT') return 'USD'
  return asset !== 'COINS' && asset in SHOCKS ? (asset as Factor) : 'COINS'
}

/** The prices that a factor reaches in its shocks, from the lowest to the highest, as multiples of its price now. */
export const bandOf = (factor: Factor): [low: number, high: number] => [1 - SHOCKS[factor].down, 1 + SHOCKS[factor].up]
