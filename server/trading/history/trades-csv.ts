import type { Trade, TradesForm } from '#contract/trading/trading.ts'
import { publicId } from '#kernel/id.ts'
import { usd, usdToText } from '#kernel/money.ts'
import { last, must } from '#kernel/must.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { toIso } from '#kernel/time.ts'
import type { Db } from '../../platform/database/db.ts'
import { type Cell, csvFile, csvLine, csvText } from '../../platform/http/csv.ts'
import type { FileReply } from '../../platform/http/index.ts'
import type { Instruments } from '../../prices/index.ts'
import { type ShownTradeRow, type TradeFilter, tradeHistory, type Whole } from '../store.ts'
import { RESULTS_MOST } from './results.ts'

const PAGE = 1_000
const COLUMNS = [
  'placed (UTC)',
  'trade',
  'account',
  'symbol',
  'side',
  'strike rate',
  'odds (%)',
  'duration (s)',
  'stake (USD)',
  'entry (UTC)',
  'entry price',
  'exit (UTC)',
  'exit price',
  'ends (UTC)',
  'status',
  'tags',
  'note',
  'payout (USD)',
  'returned by ruling (USD)',
  'result (USD)',
]

/**
 * The columns of Koinly's universal template. A realized gain is one that was received or, as a loss, sent.
 * https://support.koinly.io/en/articles/9489976-how-to-create-a-custom-csv-file-with-your-data
 */
const TAX_COLUMNS = [
  'Date',
  'Sent Amount',
  'Sent Currency',
  'Received Amount',
  'Received Currency',
  'Fee Amount',
  'Fee Currency',
  'Net Worth Amount',
  'Net Worth Currency',
  'Label',
  'Description',
  'TxHash',
]
const TAX_LABEL = 'realized gain'

interface TradesFile {
  filter: TradeFilter
  form: TradesForm
  most?: number
}

/** Streams the trades that match a filter as CSV, newest first. Reads page by page, at most as many as the figures count. */
export function tradesFile(
  db: Db,
  instruments: Instruments,
  { filter, form, most = RESULTS_MOST }: TradesFile,
): FileReply {
  async function* pages(cellsOf: (row: ShownTradeRow, instruments: Instruments) => Cell[][]) {
    let after: bigint | undefined
    for (let left = most; left > 0; left -= PAGE) {
      const limit = Math.min(PAGE, left)
      const { rows } = await tradeHistory(db, { ...filter, page: { after, limit } })
      const page = rows.slice(0, limit)
      yield page.flatMap((row) => cellsOf(row, instruments))
      if (rows.length <= limit) return
      after = last(page).id
    }
  }
  if (form === 'tax') return csvFile(`trades-${filter.mode}-tax`, taxText(pages(taxCells)))
  return csvFile(
    `trades-${filter.mode}`,
    csvText(
      COLUMNS,
      pages((row) => [cellsOf(row, instruments)]),
    ),
  )
}

/** Other programs read this file: without a byte order mark, which only spreadsheets need. */
async function* taxText(pages: AsyncIterable<Cell[][]>): AsyncGenerator<string> {
  yield csvLine(TAX_COLUMNS)
  for await (const rows of pages) if (rows.length > 0) yield rows.map(csvLine).join('')
}

/** What a trade brought, in cents; null while it's open. */
const resultOf = ({ payout, returned, stake }: ShownTradeRow): bigint | null =>
  payout === null ? null : BigInt(payout) + BigInt(returned ?? 0) - BigInt(stake)

/** The line of a trade that gained or lost something; none for others. */
function taxCells(row: ShownTradeRow, instruments: Instruments): Cell[][] {
  const result = resultOf(row)
  if (result === null || result === 0n) return []
  const amount = [dollarsOf(result < 0n ? -result : result), 'USD']
  const nothing = [null, null]
  return [
    [
      `${toIso(Number(row.status === 'Sold' ? must(row.exit_time) : row.end_time))
        .slice(0, 19)
        .replace('T', ' ')} UTC`,
      ...(result < 0n ? [...amount, ...nothing] : [...nothing, ...amount]),
      ...nothing,
      ...nothing,
      TAX_LABEL,
      `${row.side} ${instruments.byId(row.symbol_id)?.symbol ?? ''} ${row.duration_seconds} s, ${row.mode === 'real' ? 'live' : 'demo'}`,
      publicId(row.id),
    ],
  ]
}

const dollarsOf = (cents: bigint): Cell => ({ digits: usdToText(usd(cents)) })
const timeOf = (time: Whole | null): Cell => (time === null ? null : { utc: Number(time) })

function cellsOf(row: ShownTradeRow, instruments: Instruments): Cell[] {
  const instrument = instruments.byId(row.symbol_id)
  const priceOf = (units: Whole | null): Cell =>
    units === null || !instrument ? null : { digits: formatPrice(price(BigInt(units)), instrument.scale) }
  const result = resultOf(row)
  return [
    timeOf(row.trade_time),
    publicId(row.id),
    row.mode === 'real' ? 'live' : 'demo',
    instrument?.symbol,
    row.side,
    // A spreadsheet would read 1/61 as a date.
    row.strike_rate.replace('/', ':'),
    row.percent,
    row.duration_seconds,
    dollarsOf(BigInt(row.stake)),
    timeOf(row.entry_time),
    priceOf(row.entry_price),
    timeOf(row.exit_time),
    priceOf(row.exit_price),
    timeOf(row.end_time),
    row.status satisfies Trade['status'],
    row.tags?.join('; '),
    row.note,
    row.payout === null ? null : dollarsOf(BigInt(row.payout)),
    row.returned ? dollarsOf(BigInt(row.returned)) : null,
    result === null ? null : dollarsOf(result),
  ]
}
