import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import PDFDocument from 'pdfkit'
import { fontOf, type Run, runsOf, UNKNOWN } from './pdf-fonts.ts'

// Points, A4 upright.
export const WIDTH = 595.28
const HEIGHT = 841.89
export const EDGE = 44
const BOTTOM = HEIGHT - 58
export const INK = '#14181f'
export const QUIET = '#5c6675'
export const RULE = '#d9dee6'
export const SHADE = '#f5f7fa'

/** What a page has besides its lines. Each head returns where they begin. */
interface Frame {
  first(pdf: PDFKit.PDFDocument): number
  later(pdf: PDFKit.PDFDocument): number
  footer: string
}

/** The page that is being written. */
export class Sheet {
  /** Where the next line begins. */
  y = 0
  readonly pdf: PDFKit.PDFDocument
  readonly #out: PassThrough
  readonly #frame: Frame
  #pages = 0

  constructor(pdf: PDFKit.PDFDocument, out: PassThrough, frame: Frame) {
    this.pdf = pdf
    this.#out = out
    this.#frame = frame
    this.begin()
  }

  begin(): void {
    const { pdf } = this
    const before = this.#pages === 0 ? undefined : pdf.page
    pdf.addPage()
    // The previous page is written. Only its number is needed at the end; drop its contents to free memory.
    if (before) before.dictionary.data = { Pattern: {}, Annots: [] }
    this.#pages += 1
    this.y = this.#pages === 1 ? this.#frame.first(pdf) : this.#frame.later(pdf)
    pdf.font('Helvetica').fontSize(7).fillColor(QUIET)
    putAny(pdf, ['Helvetica', 7], this.#frame.footer, EDGE, HEIGHT - 40, 380)
    put(pdf, `Page ${this.#pages}`, WIDTH - EDGE - 100, HEIGHT - 40, 100, true)
  }

  hasRoom(height: number): boolean {
    return this.y + height <= BOTTOM
  }

  /**
   * Starts a page where `height` doesn't fit, once the consumer has taken the previous output, so that a long file needs no
   * more memory than a short one. Returns false if nobody reads any more.
   */
  async makeRoom(height: number): Promise<boolean> {
    if (this.#out.destroyed) return false
    if (this.hasRoom(height)) return true
    if (this.#out.writableNeedDrain) await Promise.race([once(this.#out, 'drain'), once(this.#out, 'close')])
    // Rendering is CPU work: yield to the event loop between pages.
    else await setImmediate()
    if (this.#out.destroyed) return false
    this.begin()
    return true
  }

  /** Draws a line across the page. */
  rule(y: number, color: string): void {
    this.pdf
      .moveTo(EDGE - 6, y)
      .lineTo(WIDTH - EDGE + 6, y)
      .lineWidth(0.8)
      .strokeColor(color)
      .stroke()
  }
}

/** Renders a PDF as a stream. `write` draws its lines. */
export function pdfOf(
  about: { title: string; author: string },
  frame: Frame,
  write: (sheet: Sheet) => Promise<void>,
): Readable {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    info: { Title: about.title, Author: about.author },
    lang: 'en',
    // The cache would keep every word until the end.
    fontLayoutCache: false,
  })
  const out = new PassThrough({ highWaterMark: 65_536 })
  pdf.pipe(out)
  const written = async () => {
    await write(new Sheet(pdf, out, frame))
    if (!out.destroyed) pdf.end()
  }
  written().catch((error: unknown) => out.destroy(error instanceof Error ? error : undefined))
  return out
}

/** Whether a text has characters that no font here has. */
export const hasUnknown = (text: string): boolean => runsOf(text).some((run) => run.unknown)

/** Says what the question marks are. */
export function putUnknown(pdf: PDFKit.PDFDocument, y: number, complete: string): void {
  pdf.fontSize(7).fillColor(QUIET)
  const text = `A ${UNKNOWN} replaces a character that this file can't show. The ${complete} file includes it.`
  putAny(pdf, ['Helvetica', 7], text, EDGE, y, 500)
}

/** Draws one line of text, aligned to the left or right edge of its width. */
export const put = (pdf: PDFKit.PDFDocument, text: string, x: number, y: number, width: number, right = false) =>
  pdf.text(text, right ? x + width - pdf.widthOfString(text) : x, y, { lineBreak: false })

/** The ascent of both Helvetica faces above the baseline, as a fraction of the font size. */
const RISE = 0.718

/** Draws external text in any script on one shared baseline, truncated to its width. */
export function putAny(
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

export const widthOf = (pdf: PDFKit.PDFDocument, face: string, run: Run): number => {
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
