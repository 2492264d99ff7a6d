import { usdToText } from '#kernel/money.ts'
import { type Cell, csvText } from '../platform/http/csv.ts'
import type { Line } from './lines.ts'

const COLUMNS = ['date (UTC)', 'type', 'reference', 'description', 'amount', 'balance']
/** Rows are sent in chunks of about this many. */
const CHUNK = 200

/** Yields a statement as CSV, in chunks. */
export const statementCsv = (lines: AsyncIterable<Line>): AsyncGenerator<string> => csvText(COLUMNS, chunks(lines))

async function* chunks(lines: AsyncIterable<Line>): AsyncGenerator<Cell[][]> {
  let rows: Cell[][] = []
  for await (const { at, type, reference, description, amount, balance } of lines) {
    const [moved, after] = [amount, balance].map((usd) => ({ digits: usdToText(usd) }))
    rows.push([{ utc: at }, type, reference, description, moved, after])
    if (rows.length < CHUNK) continue
    yield rows
    rows = []
  }
  yield rows
}
