import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import PDFDocument from 'pdfkit'
import type { Mode } from '#contract/terms.ts'
import { subtract, type Usd, usdGrouped } from '#kernel/money.ts'
import { toIso } from '#kernel/time.ts'
import type { Line } from './lines.ts'
import { fontOf, type Run, runsOf, UNKNOWN } from './pdf-fonts.ts'

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

// Points, A4 upright.
const WIDTH = 595.28
const HEIGHT = 841.89
const EDGE = 44
const ROW = 17
const BOTTOM = HEIGHT - 58
const INK = '#14181f'
const QUIET = '#5c6675'
const RULE = '#d9dee6'
const SHADE = '#f5f7fa'
const TEXT = 8

const COLUMNS = [
  { title: 'Date (UTC)', x: EDGE, width: 88 },
  { title: 'Description', x: EDGE + 92, width: 214 },
  { title: 'Reference', x: EDGE + 310, width: 82 },
  { title: 'Amount', x: EDGE + 392, width: 54, right: true },
  { title: 'Balance', x: EDGE + 450, width: 57, right: true },
] as const

/**
 * Renders a statement as a PDF stream. Starts a page only after the consumer has taken the previous output, so that a
 * long statement needs no more memory than a short one.
 */
export function statementPdf(head: StatementHead, lines: AsyncIterable<Line>): Readable {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    info: { Title: `Statement ${head.from} to ${head.to}`, Author: head.brand },
    lang: 'en',
    // The cache would keep every word until the end.
    fontLayoutCache: false,
  })
  const out = new PassThrough({ highWaterMark: 65_536 })
  pdf.pipe(out)
  write(pdf, head, lines, out).catch((error: unknown) => out.destroy(error instanceof Error ? error : undefined))
  return out
}

async function write(pdf: PDFKit.PDFDocument, head: StatementHead, lines: AsyncIterable<Line>, out: PassThrough) {
  let pages = 0
  let y = 0
  const begin = () => {
    const before = pages === 0 ? undefined : pdf.page
    pdf.addPage()
    // The previous page is written. Only its number is needed at the end; drop its contents to free memory.
    if (before) before.dictionary.data = { Pattern: {}, Annots: [] }
    pages += 1
    y = pages === 1 ? firstHead(pdf, head) : laterHead(pdf, head)
    y = columnHeads(pdf, y)
    pdf.font('Helvetica').fontSize(7).fillColor(QUIET)
    putAny(pdf, ['Helvetica', 7], `${head.brand} · ${head.email}`, EDGE, HEIGHT - 40, 380)
    put(pdf, `Page ${pages}`, WIDTH - EDGE - 100, HEIGHT - 40, 100, true)
  }
  begin()
  let shaded = false
  let count = 0
  let unknown = [head.brand, head.name, head.email].some((text) => runsOf(text).some((run) => run.unknown))
  for await (const line of lines) {
    if (out.destroyed) return
    if (y + ROW > BOTTOM) {
      if (out.writableNeedDrain) await Promise.race([once(out, 'drain'), once(out, 'close')])
      // Rendering is CPU work: yield to the event loop between pages.
      else await setImmediate()
      if (out.destroyed) return
      begin()
    }
    unknown ||= runsOf(line.description).some((run) => run.unknown)
    if (shaded) pdf.rect(EDGE - 6, y, WIDTH - 2 * EDGE + 12, ROW).fill(SHADE)
    row(pdf, y + 5, line)
    y += ROW
    shaded = !shaded
    count += 1
  }
  if (y + 3 * ROW > BOTTOM) begin()
  pdf
    .moveTo(EDGE - 6, y + 2)
    .lineTo(WIDTH - EDGE + 6, y + 2)
    .lineWidth(0.8)
    .strokeColor(INK)
    .stroke()
  pdf.font('Helvetica-Bold').fontSize(TEXT).fillColor(INK)
  put(pdf, count === 0 ? 'No movements in this period. Closing balance' : 'Closing balance', EDGE, y + 9, 300)
  put(pdf, usdGrouped(head.closing), COLUMNS[4].x - 60, y + 9, COLUMNS[4].width + 60, true)
  if (unknown) {
    pdf.fontSize(7).fillColor(QUIET)
    putAny(
      pdf,
      ['Helvetica', 7],
      `A ${UNKNOWN} replaces a character that this file can't show. The CSV file includes it.`,
      EDGE,
      y + 24,
      500,
    )
  }
  pdf.end()
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

/** Draws one line of text, aligned to the left or right edge of its width. */
const put = (pdf: PDFKit.PDFDocument, text: string, x: number, y: number, width: number, right = false) =>
  pdf.text(text, right ? x + width - pdf.widthOfString(text) : x, y, { lineBreak: false })

/** The ascent of both Helvetica faces above the baseline, as a fraction of the font size. */
const RISE = 0.718

/** Draws external text in any script on one shared baseline, truncated to its width. */
function putAny(
  pdf: PDFKit.PDFDocument,
  [face, size]: ['Helvetica' | 'Helvetica-Bold', number],
  text: string,
  x: number,
  y: number,
  width: number,
) {
  pdf.fontSize(size)
  let at = x
  for (const run of fitting(pdf, face, text, width)) {
    const features = featuresFor(fontFor(pdf, face, run), run)
    pdf.text(run.text, at, y, { lineBreak: false, baseline: -RISE * size, features: features() })
    at += pdf.widthOfString(run.text, { features: features() })
  }
  pdf.font(face)
}

function fontFor(pdf: PDFKit.PDFDocument, face: string, { alphabet }: Run): PDFKit.PDFDocument {
  if (alphabet) pdf.registerFont(alphabet, fontOf(alphabet))
  return pdf.font(alphabet ?? face)
}

/** What positions marks over and below characters. */
const MARKS = { mark: false, mkmk: false, abvm: false, blwm: false }

/**
 * Returns the font's features for a run; a new object each time, because fontkit changes it. With features, even none,
 * words aren't laid out one by one, which would put words from right to left in the wrong order. fontkit can't position
 * some marks (it reads an anchor that the font leaves out): these are drawn where they are without it.
 */
function featuresFor(pdf: PDFKit.PDFDocument, { text, alphabet }: Run): () => PDFKit.Mixins.OpenTypeFeatures[] {
  const none = () => []
  if (!alphabet) return none
  try {
    pdf.widthOfString(text, { features: none() })
    return none
  } catch {
    return () => ({ ...MARKS }) as unknown as PDFKit.Mixins.OpenTypeFeatures[]
  }
}

const widthOf = (pdf: PDFKit.PDFDocument, face: string, run: Run): number => {
  const features = featuresFor(fontFor(pdf, face, run), run)
  return pdf.widthOfString(run.text, { features: features() })
}

/** Truncates a text to fit, with an ellipsis. */
function fitting(pdf: PDFKit.PDFDocument, face: string, text: string, width: number): Run[] {
  const widthOfAll = (runs: Run[]) => runs.reduce((sum, run) => sum + widthOf(pdf, face, run), 0)
  const whole = runsOf(text)
  if (widthOfAll(whole) <= width) return whole
  const characters = [...text.normalize('NFC')]
  // Binary search for the longest prefix that fits.
  let [low, high] = [0, characters.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (widthOfAll(runsOf(`${characters.slice(0, middle).join('')}…`)) <= width) low = middle
    else high = middle - 1
  }
  return runsOf(`${characters.slice(0, low).join('')}…`)
}

const signed = (amount: Usd): string => (amount > 0n ? `+${usdGrouped(amount)}` : usdGrouped(amount))
