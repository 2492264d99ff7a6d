import type { Trade } from '#contract/trading.ts'
import { publicId } from '#kernel/id.ts'
import { usd, usdToText } from '#kernel/money.ts'
import { last } from '#kernel/must.ts'
import { formatPrice, price } from '#kernel/price.ts'
import type { Db } from '../platform/database/db.ts'
import { type Cell, csvFile, csvText } from '../platform/http/csv.ts'
import type { FileReply } from '../platform/http/index.ts'
import type { Instruments } from '../prices/index.ts'
import { RESULTS_MOST } from './results.ts'
import { type ShownTradeRow, type TradeFilter, tradeHistory, type Whole } from './store.ts'

const PAGE = 1_000
const COLUMNS = [
  'placed (UTC)',
  'trade',
  'account',
  'symbol',
  'side',
  'strike rate',
  'duration (s)',
  'stake (USD)',
  'entry price',
  'exit price',
  'ends (UTC)',
  'status',
  'payout (USD)',
  'result (USD)',
]

/** Streams the trades that match a filter as CSV, newest first. Reads page by page, at most as many as the figures count. */
export function tradesFile(db: Db, instruments: Instruments, filter: TradeFilter, most = RESULTS_MOST): FileReply {
  async function* pages() {
    let after: bigint | undefined
    for (let left = most; left > 0; left -= PAGE) {
      const limit = Math.min(PAGE, left)
      const { rows } = await tradeHistory(db, { ...filter, page: { after, limit } })
      const page = rows.slice(0, limit)
      yield page.map((row) => cellsOf(row, instruments))
      if (rows.length <= limit) return
      after = last(page).id
    }
  }
  return csvFile(`trades-${filter.mode}`, csvText(COLUMNS, pages()))
}

function cellsOf(row: ShownTradeRow, instruments: Instruments): Cell[] {
  const instrument = instruments.byId(row.symbol_id)
  const priceOf = (units: Whole | null) =>
    units === null || !instrument ? null : { digits: formatPrice(price(BigInt(units)), instrument.scale) }
  const dollarsOf = (cents: bigint) => ({ digits: usdToText(usd(cents)) })
  return [
    { utc: Number(row.trade_time) },
    publicId(row.id),
    row.mode === 'real' ? 'live' : 'demo',
    instrument?.symbol,
    row.side,
    // A spreadsheet would read 1/61 as a date.
    row.strike_rate.replace('/', ':'),
    row.duration_seconds,
    dollarsOf(BigInt(row.stake)),
    priceOf(row.entry_price),
    priceOf(row.exit_price),
    { utc: Number(row.end_time) },
    row.status satisfies Trade['status'],
    row.payout === null ? null : dollarsOf(BigInt(row.payout)),
    row.payout === null ? null : dollarsOf(BigInt(row.payout) - BigInt(row.stake)),
  ]
}
