/** `digits`: one of our numbers as text, such as -10.50, because it would lose its zeros as a number. */
export type Cell = string | number | boolean | null | undefined | { digits: string }

/**
 * Formats one line of a CSV file (RFC 4180). A leading apostrophe keeps spreadsheets from running text as a formula,
 * full-width signs included; numbers are ours and stay numbers. Cells with a semicolon or tab are quoted as well,
 * because spreadsheets in some countries split there.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** Formats the first line of a file that spreadsheets open as UTF-8: with a byte order mark. */
export const csvHead = (names: readonly string[]): string => `\uFEFF${csvLine(names)}`

function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'object') return cell.digits
  if (typeof cell !== 'string') return String(cell)
  const safe = /^[\s]*[=+\-@|%\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell
  return /[",;\t\r\n＝＋－＠]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
