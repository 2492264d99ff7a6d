import { usdToText } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import type { Line } from './lines.ts'

const HEAD = 'date,type,reference,description,amount,balance\r\n'
/** Rows are sent in chunks of about this size. */
const CHUNK_BYTES = 16_384

/** Yields a statement as CSV, in chunks. */
export async function* statementCsv(lines: AsyncIterable<Line>): AsyncGenerator<string> {
  let text = HEAD
  for await (const { at, type, reference, description, amount, balance } of lines) {
    const cells = [toIso(at), type, reference, description, usdToText(amount), usdToText(balance)]
    text += `${cells.map(csvCell).join(',')}\r\n`
    if (text.length >= CHUNK_BYTES) {
      yield text
      text = ''
    }
  }
  if (text !== '') yield text
}

/**
 * Formats one cell: quotes it when needed and prevents spreadsheets from reading it as a formula. A plain number may
 * start with a minus.
 */
export function csvCell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
