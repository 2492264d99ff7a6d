/**
 * One line of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula is shown as text by a leading
 * apostrophe, full-width signs too; numbers are ours and stay numbers. Cells with a semicolon or tab are quoted as well:
 * spreadsheets of some countries split there.
 */
export const csvLine = (cells: readonly (string | number | boolean | null | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: string | number | boolean | null | undefined): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  const safe = /^[\s]*[=+\-@|%\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : cell
  return /[",;\t\r\n＝＋－＠]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
