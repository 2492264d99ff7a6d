import { usdToText } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import { csvLine } from '../platform/http/csv.ts'
import type { Line } from './lines.ts'

const HEAD = 'date,type,reference,description,amount,balance\r\n'
/** Rows are sent in chunks of about this size. */
const CHUNK_BYTES = 16_384

/** Yields a statement as CSV, in chunks. */
export async function* statementCsv(lines: AsyncIterable<Line>): AsyncGenerator<string> {
  let text = HEAD
  for await (const { at, type, reference, description, amount, balance } of lines) {
    const [moved, after] = [amount, balance].map((usd) => ({ digits: usdToText(usd) }))
    text += csvLine([toIso(at), type, reference, description, moved, after])
    if (text.length >= CHUNK_BYTES) {
      yield text
      text = ''
    }
  }
  if (text !== '') yield text
}
