/**
 * One line of a CSV file (RFC 4180). Text that a spreadsheet would run as a formula is shown as text by a leading
 * apostrophe; numbers are ours and stay numbers.
 */
export const csvLine = (cells: readonly (string | number | boolean | null | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

function csvCell(cell: string | number | boolean | null | undefined): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  const safe = /^[\s]*[=+\-@|%\t\r\n]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
