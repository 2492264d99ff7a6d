import { Readable } from 'node:stream'
import { type Ms, toIso } from '#kernel/time.ts'
import { FileReply } from './handler.ts'

/**
 * `digits`: one of our numbers as text, such as -10.50, because it would lose its zeros as a number. `utc`: a time, as
 * spreadsheets read it; its column's name says UTC.
 */
export type Cell = string | number | boolean | null | undefined | { digits: string } | { utc: Ms }
type Rows = AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>

/** Returns a CSV file: its text, or what {@link csvText} yields. */
export const csvFile = (name: string, content: AsyncIterable<string> | Readable): FileReply =>
  new FileReply(content instanceof Readable ? content : Readable.from(content), 'text/csv; charset=utf-8', {
    'content-disposition': `attachment; filename="${name}.csv"`,
  })

/** Yields a CSV file, page by page. */
export async function* csvText(columns: readonly string[], pages: Rows): AsyncGenerator<string> {
  yield csvHead(columns)
  for await (const rows of pages) if (rows.length > 0) yield rows.map(csvLine).join('')
}

/**
 * Formats one line of a CSV file (RFC 4180). A leading apostrophe keeps spreadsheets from running text as a formula,
 * full-width signs included; numbers are ours and stay numbers. Cells with a semicolon or tab are quoted as well,
 * because spreadsheets in some countries split there.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** Formats the first line of a file that spreadsheets open as UTF-8: with a byte order mark. */
const csvHead = (names: readonly string[]): string => `\uFEFF${csvLine(names)}`

function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'object')
    return 'digits' in cell ? cell.digits : toIso(cell.utc).replace('T', ' ').replace('Z', '')
  if (typeof cell !== 'string') return String(cell)
  const safe = /^[\s]*[=+\-@|%\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell
  return /[",;\t\r\n＝＋－＠]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
