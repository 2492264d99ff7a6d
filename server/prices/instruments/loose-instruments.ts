import { type Db, sql } from '../../platform/database/db.ts'

/** An instrument whose terms let its exchanges differ so much that an attacker could use it. */
export interface LooseInstrument {
  symbol: string
  largestSpreadBps: number
  largestDeviationBps: number
}

/** No pair that can be traded for real money needs more (basis points). */
const SPREAD_BPS = 100
const DEVIATION_BPS = 60

/** Returns the instruments whose terms operators have left, or made, that wide, by symbol. */
export async function looseInstruments(db: Db): Promise<LooseInstrument[]> {
  const { rows } = await sql<LooseInstrument>`
    select symbol, largest_spread_bps as "largestSpreadBps", largest_deviation_bps as "largestDeviationBps" from instruments
    where largest_spread_bps > ${SPREAD_BPS} or largest_deviation_bps > ${DEVIATION_BPS} order by symbol`.execute(db)
  return rows
}
