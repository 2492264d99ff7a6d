import type { Readable } from 'node:stream'
import { must } from '#kernel/must.ts'
import { type DataLine, type Entry, wordsOf } from './account-words.ts'
import { runsOf } from './pdf-fonts.ts'
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
  type Sheet,
  WIDTH,
  widthOf,
} from './pdf-sheet.ts'

export interface DataHead {
  brand: string
  email: string
  /** When it was read, ISO. */
  at: string
}

const LINE = 11
const TEXT = 7.5
const INDENT = 12
const GAP = '    '
const LONGEST_WORD = /.{1,80}/gsu
const RIGHT = WIDTH - EDGE

/** Renders everything that is stored about a trader as a PDF stream: a section for each table, a paragraph for each row. */
export const accountDataPdf = (head: DataHead, lines: AsyncIterable<DataLine>): Readable =>
  pdfOf(
    { title: 'Account data', author: head.brand },
    {
      first: (pdf) => firstHead(pdf, head),
      later: (pdf) => laterHead(pdf, head),
      footer: `${head.brand} · ${head.email}`,
    },
    (sheet) => write(sheet, lines),
  )

async function write(sheet: Sheet, lines: AsyncIterable<DataLine>): Promise<void> {
  const empty: string[] = []
  let section: string | undefined
  let unknown = false
  for await (const { table, entries, isPart } of lines) {
    if (entries.length === 0) {
      empty.push(wordsOf(table))
      continue
    }
    if (table !== section) {
      section = table
      if (!(await heading(sheet, wordsOf(table)))) return
    }
    unknown ||= entries.some(({ value }) => hasUnknown(value))
    if (!(await paragraph(sheet, entries, isPart ? EDGE + INDENT : EDGE))) return
  }
  if (!(await heading(sheet, 'nothing is stored of'))) return
  if (!(await paragraph(sheet, [{ label: '', value: empty.join(', ') }], EDGE))) return
  if (unknown && (await sheet.makeRoom(2 * LINE))) putUnknown(sheet.pdf, sheet.y + 6, 'JSON')
}

async function heading(sheet: Sheet, words: string): Promise<boolean> {
  // Never alone at the end of a page.
  if (!(await sheet.makeRoom(5 * LINE))) return false
  const { pdf } = sheet
  pdf.font('Helvetica-Bold').fontSize(11).fillColor(INK)
  put(pdf, words.charAt(0).toUpperCase() + words.slice(1), EDGE, sheet.y + 12, 400)
  sheet.y += 30
  return true
}

/** Draws the values of a row one after another, in as many lines as they need. */
async function paragraph(sheet: Sheet, entries: readonly Entry[], left: number): Promise<boolean> {
  // Most rows need no more, and stay on one page.
  if (!(await sheet.makeRoom(3 * LINE))) return false
  const { pdf } = sheet
  let x = left
  for (const pieces of entries.flatMap(unbroken)) {
    pdf.font('Helvetica').fontSize(TEXT)
    const widths = pieces.map(({ text }) => widthOfText(pdf, text))
    if (x > left && x + widths.reduce((sum, width) => sum + width, 0) > RIGHT) {
      sheet.y += LINE
      if (!(await sheet.makeRoom(LINE))) return false
      x = left
    }
    for (const [n, { text, color }] of pieces.entries()) {
      pdf.fontSize(TEXT).fillColor(color)
      putAny(pdf, ['Helvetica', TEXT], text, x, sheet.y, RIGHT - x)
      x += must(widths[n])
    }
  }
  sheet.y += LINE + 3
  sheet.rule(sheet.y - 3, RULE)
  return true
}

interface Piece {
  text: string
  color: string
}

/** Returns what no line ends in: a label with the first word of its value, then each word, or as much of one as fits. */
function unbroken({ label, value }: Entry): Piece[][] {
  const words = value.split(/\s+/).flatMap((word) => word.match(LONGEST_WORD) ?? [''])
  return words.map((word, n) => {
    const text = { text: n < words.length - 1 ? `${word} ` : `${word}${GAP}`, color: INK }
    return n === 0 && label !== '' ? [{ text: `${label} `, color: QUIET }, text] : [text]
  })
}

const widthOfText = (pdf: PDFKit.PDFDocument, text: string): number =>
  runsOf(text).reduce((sum, run) => sum + widthOf(pdf, 'Helvetica', run), 0)

function firstHead(pdf: PDFKit.PDFDocument, { brand, email, at }: DataHead): number {
  pdf.font('Helvetica-Bold').fontSize(11).fillColor(QUIET)
  putAny(pdf, ['Helvetica-Bold', 11], brand, EDGE, 48, 500)
  pdf.fontSize(22).fillColor(INK)
  put(pdf, 'Account data', EDGE, 66, 400)
  pdf.font('Helvetica').fontSize(9.5).fillColor(QUIET)
  putAny(pdf, ['Helvetica', 9.5], `Everything that is stored about ${email}, without secrets`, EDGE, 96, RIGHT - EDGE)
  put(
    pdf,
    `Read ${at.slice(0, 19).replace('T', ' ')}, times in UTC. The JSON file has the same for a program.`,
    EDGE,
    110,
    500,
  )
  return 130
}

function laterHead(pdf: PDFKit.PDFDocument, { brand, at }: DataHead): number {
  pdf.font('Helvetica-Bold').fontSize(9).fillColor(QUIET)
  putAny(pdf, ['Helvetica-Bold', 9], `${brand}: account data, ${at.slice(0, 10)}`, EDGE, 44, 500)
  return 62
}
