import { inflateSync } from 'node:zlib'

/**
 * Returns the text of one of our PDFs as a reader would copy it, with the lines of its pages, and the number of
 * characters without a glyph.
 */
export function textOfPdf(pdf: Buffer): { text: string; undrawn: number } {
  const objects = objectsOf(pdf)
  const fonts = fontsOf(objects)
  let text = ''
  let undrawn = 0
  for (const { stream } of objects.values()) {
    if (!stream || !/ Tf\b/.test(stream)) continue
    let font = fonts.get('') ?? WIN_ANSI
    for (const [, name, y, shown] of stream.matchAll(/\/(F\d+) [\d.]+ Tf|1 0 0 1 [\d.-]+ ([\d.-]+) Tm|\[(.*?)\] TJ/g)) {
      if (name) font = fonts.get(name) ?? WIN_ANSI
      else if (y) text += '\n'
      else {
        const codes = [...shown!.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => hex).join('')
        for (let at = 0; at < codes.length; at += font.digits) {
          const code = Number.parseInt(codes.slice(at, at + font.digits), 16)
          // Glyph 0 is every font's empty box for missing characters.
          if (font.digits === 4 && code === 0) undrawn++
          text += font.mail(code)
        }
      }
    }
  }
  return { text, undrawn }
}

interface Font {
  digits: 2 | 4
  mail(code: number): string
}

const windows = new TextDecoder('windows-1252')
const WIN_ANSI: Font = { digits: 2, mail: (code) => windows.decode(Uint8Array.of(code)) }

function objectsOf(pdf: Buffer): Map<string, { head: string; stream?: string }> {
  const found = new Map<string, { head: string; stream?: string }>()
  const all = pdf.toString('latin1')
  for (const match of all.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [, id, body] = match
    const at = body!.indexOf('stream\n')
    if (at < 0) found.set(id!, { head: body! })
    else {
      const bytes = Buffer.from(body!.slice(at + 7, body!.lastIndexOf('\nendstream')), 'latin1')
      const head = body!.slice(0, at)
      found.set(id!, { head, stream: (head.includes('FlateDecode') ? inflateSync(bytes) : bytes).toString('latin1') })
    }
  }
  return found
}

function fontsOf(objects: ReturnType<typeof objectsOf>): Map<string, Font> {
  const fonts = new Map<string, Font>()
  for (const { head } of objects.values()) {
    for (const [, name, id] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const toUnicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id!)?.head ?? '')?.[1]
      const map = toUnicode && objects.get(toUnicode)?.stream
      if (!map) continue
      const mails = new Map<number, string>()
      for (const [, first, list] of map.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g)) {
        const texts = [...list!.matchAll(/<([0-9a-f ]*)>/g)].map(([, hex]) => hex!)
        for (const [n, hex] of texts.entries()) {
          const units = hex.replaceAll(' ', '').match(/.{4}/g) ?? []
          mails.set(
            Number.parseInt(first!, 16) + n,
            String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))),
          )
        }
      }
      fonts.set(name!, { digits: 4, mail: (code) => mails.get(code) ?? '' })
    }
  }
  return fonts
}
