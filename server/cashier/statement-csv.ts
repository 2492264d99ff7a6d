import { usdToText } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import type { Line } from './movements.ts'

const HEAD = 'date,type,reference,description,amount,balance\r\n'
/** Rows that are handed on together. */
const CHUNK_BYTES = 16_384

/** A statement as CSV, in pieces. */
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
 * One cell: quoted where it must be, and never something that a spreadsheet would take for a formula. A plain number may
 * begin with a minus.
 */
export function csvCell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
