import type { Readable } from 'node:stream'
import type { Mode } from '#contract/terms.ts'
import { subtract, type Usd, usdGrouped } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import type { Line } from './lines.ts'
import {
  EDGE,
  hasUnknown,
  INK,
  pdfOf,
  put,
  putAny,
  putUnknown,
  QUIET,
  RULE,
  SHADE,
  type Sheet,
  WIDTH,
} from './pdf-sheet.ts'

export interface StatementHead {
  brand: string
  name: string
  email: string
  mode: Mode
  /** UTC days, both included. */
  from: string
  to: string
  opening: Usd
  closing: Usd
}

const ROW = 17
const TEXT = 8

const COLUMNS = [
  { title: 'Date (UTC)', x: EDGE, width: 88 },
  { title: 'Description', x: EDGE + 92, width: 214 },
  { title: 'Reference', x: EDGE + 310, width: 82 },
  { title: 'Amount', x: EDGE + 392, width: 54, right: true },
  { title: 'Balance', x: EDGE + 450, width: 57, right: true },
] as const

/** Renders a statement as a PDF stream. */
export const statementPdf = (head: StatementHead, lines: AsyncIterable<Line>): Readable =>
  pdfOf(
    { title: `Statement ${head.from} to ${head.to}`, author: head.brand },
    {
      first: (pdf) => columnHeads(pdf, firstHead(pdf, head)),
      later: (pdf) => columnHeads(pdf, laterHead(pdf, head)),
      footer: `${head.brand} · ${head.email}`,
    },
    (sheet) => write(sheet, head, lines),
  )

async function write(sheet: Sheet, head: StatementHead, lines: AsyncIterable<Line>): Promise<void> {
  const { pdf } = sheet
  let shaded = false
  let count = 0
  let unknown = [head.brand, head.name, head.email].some(hasUnknown)
  for await (const line of lines) {
    if (!(await sheet.makeRoom(ROW))) return
    unknown ||= hasUnknown(line.description)
    if (shaded) pdf.rect(EDGE - 6, sheet.y, WIDTH - 2 * EDGE + 12, ROW).fill(SHADE)
    row(pdf, sheet.y + 5, line)
    sheet.y += ROW
    shaded = !shaded
    count += 1
  }
  if (!(await sheet.makeRoom(3 * ROW))) return
  const { y } = sheet
  sheet.rule(y + 2, INK)
  pdf.font('Helvetica-Bold').fontSize(TEXT).fillColor(INK)
  put(pdf, count === 0 ? 'No movements in this period. Closing balance' : 'Closing balance', EDGE, y + 9, 300)
  put(pdf, usdGrouped(head.closing), COLUMNS[4].x - 60, y + 9, COLUMNS[4].width + 60, true)
  if (unknown) putUnknown(pdf, y + 24, 'CSV')
}

function firstHead(pdf: PDFKit.PDFDocument, head: StatementHead): number {
  pdf.font('Helvetica-Bold').fontSize(11).fillColor(QUIET)
  putAny(pdf, ['Helvetica-Bold', 11], head.brand, EDGE, 48, 500)
  pdf.fontSize(22).fillColor(INK)
  put(pdf, 'Account statement', EDGE, 66, 400)
  pdf.font('Helvetica').fontSize(9.5).fillColor(QUIET)
  const whose = `${head.mode === 'real' ? 'Live' : 'Demo'} account of ${head.name}, ${head.email}`
  putAny(pdf, ['Helvetica', 9.5], whose, EDGE, 96, WIDTH - 2 * EDGE)
  put(pdf, `${head.from} to ${head.to}, days in UTC, amounts in US dollars`, EDGE, 110, 500)
  const boxes = [
    ['Opening balance', usdGrouped(head.opening)],
    ['Change', signed(subtract(head.closing, head.opening))],
    ['Closing balance', usdGrouped(head.closing)],
  ] as const
  const width = (WIDTH - 2 * EDGE - 24) / 3
  for (const [index, [title, amount]] of boxes.entries()) {
    const x = EDGE + index * (width + 12)
    pdf.roundedRect(x, 138, width, 52, 5).fill(SHADE)
    pdf.font('Helvetica').fontSize(8).fillColor(QUIET)
    put(pdf, title, x + 12, 148, width - 24)
    pdf.font('Helvetica-Bold').fontSize(14).fillColor(INK)
    put(pdf, amount, x + 12, 163, width - 24)
  }
  return 214
}

function laterHead(pdf: PDFKit.PDFDocument, head: StatementHead): number {
  pdf.font('Helvetica-Bold').fontSize(9).fillColor(QUIET)
  putAny(pdf, ['Helvetica-Bold', 9], `${head.brand}: account statement, ${head.from} to ${head.to}`, EDGE, 44, 500)
  return 62
}

function columnHeads(pdf: PDFKit.PDFDocument, y: number): number {
  pdf.font('Helvetica-Bold').fontSize(7.5).fillColor(QUIET)
  for (const column of COLUMNS) put(pdf, column.title, column.x, y, column.width, 'right' in column)
  pdf
    .moveTo(EDGE - 6, y + 13)
    .lineTo(WIDTH - EDGE + 6, y + 13)
    .lineWidth(0.8)
    .strokeColor(RULE)
    .stroke()
  return y + 16
}

function row(pdf: PDFKit.PDFDocument, y: number, { at, reference, description, amount, balance }: Line): void {
  const [date, description_, number, change, after] = COLUMNS
  pdf.font('Helvetica').fontSize(TEXT).fillColor(QUIET)
  put(pdf, toIso(at).slice(0, 19).replace('T', ' '), date.x, y, date.width)
  put(pdf, reference, number.x, y, number.width)
  pdf.fillColor(INK)
  putAny(pdf, ['Helvetica', TEXT], description, description_.x, y, description_.width)
  // Let large amounts extend left into the gap.
  put(pdf, signed(amount), change.x - 20, y, change.width + 20, true)
  put(pdf, usdGrouped(balance), after.x - 20, y, after.width + 20, true)
}

const signed = (amount: Usd): string => (amount > 0n ? `+${usdGrouped(amount)}` : usdGrouped(amount))
