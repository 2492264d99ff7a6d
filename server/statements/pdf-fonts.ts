import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { must } from '#kernel/must.ts'

/** The characters of Inter's files, by alphabet: code points in hexadecimal. */
const LETTERS = {
  latin:
    '20-7e a0-ac ae-ff 131 152-153 2bb-2bc 2c6 2da 2dc 300-301 303-304 308-309 323 2013-2014 2018-201a 201c-201e 2022 2026 2039-203a 20ac 2122 2212',
  'latin-ext':
    '100-130 132-148 14a-151 154-1c3 1c5-24f 1e00-1e9b 1e9d-1e9f 20a0-20ab 20ad-20af 20b1-20b5 20b8-20ba 20bc-20bf',
  vietnamese: '1ea0-1ef9',
  cyrillic: '301 400-45f 490-491 4b0-4b1 2116',
  'cyrillic-ext': '460-479 480-48f 492-49d 4a0-4af 4b2-4ff',
  greek: '374-376 37a-37f 384-38a 38c 38e-3a1 3a3-3d7 3f0-3f6 3fc-3ff',
  'greek-ext':
    '1f00-1f15 1f18-1f1d 1f20-1f45 1f48-1f4d 1f50-1f57 1f59 1f5b 1f5d 1f5f-1f7d 1f80-1fb4 1fb6-1fc4 1fc6-1fd3 1fd6-1fdb 1fdd-1fef 1ff2-1ff4 1ff6-1ffe',
} as const

type Range = readonly [first: number, last: number]

/** The characters of a font, as ranges in ascending order. */
interface Font {
  alphabet: string
  ranges: readonly Range[]
}

const fontsIn = (characters: Record<string, string>): Font[] =>
  Object.entries(characters).map(([alphabet, ranges]) => ({
    alphabet,
    ranges: ranges.split(' ').map((range): Range => {
      const [first, last = first] = range.split('-').map((hex) => Number.parseInt(hex, 16))
      return [must(first), must(last)]
    }),
  }))

export const INTER = fontsIn(LETTERS)

/** Noto Sans, one font for each script. Its files and the list of their characters are written by scripts/web/subset-font.ts. */
export const noto = once(() =>
  fontsIn(JSON.parse(readFileSync(new URL('fonts/noto/characters.json', import.meta.url), 'utf8'))),
)

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

const fonts = once(() => [...INTER, ...noto()])

/** Scripts that are written from right to left. */
const FROM_THE_RIGHT: readonly string[] = ['arabic', 'hebrew']

/** Replaces characters that no alphabet has. */
export const UNKNOWN = '?'

/** Characters that every PDF reader's built-in fonts have. */
const EVERYWHERE = /^[ -~\u00a0-\u00ffŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]*$/

/** A run of text in one font. Without an alphabet it uses the built-in font that every reader has. */
export interface Run {
  alphabet?: string
  text: string
  /** It replaces characters that no font here has. */
  unknown?: true
}

/**
 * Splits a text into runs of fonts that have its characters, as one line, in the order in which they are drawn from the
 * left. A text that the built-in font can't write completely is set in Inter and Noto Sans from start to end, so that it
 * looks consistent. Each character that no font has becomes one `UNKNOWN`.
 */
export function runsOf(unchecked: string): Run[] {
  // Keep one line, and drop directional controls: they would reverse text around this one. Joiners shape the characters around them.
  const text = unchecked
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/(?![\u200c\u200d])\p{Cf}/gu, '')
  if (EVERYWHERE.test(text)) return [{ text }]
  const runs: Run[] = []
  for (const character of text) {
    const last = runs.at(-1)
    // Drop combining marks of a character that was replaced.
    if (last?.unknown && /\p{M}/u.test(character)) continue
    const alphabet = alphabetOf(character, last?.alphabet)
    if (/[\u200c\u200d]/.test(character) && alphabet !== last?.alphabet) continue
    if (alphabet && last?.alphabet === alphabet && !last.unknown) last.text += character
    else if (alphabet) runs.push({ alphabet, text: character })
    else if (last?.unknown) last.text += UNKNOWN
    else runs.push({ alphabet: 'latin', text: UNKNOWN, unknown: true })
  }
  return runs.flatMap(spaceOutside)
}

/** Moves the spaces at the end of a run from right to left behind it, where the next run begins. */
function spaceOutside(run: Run): Run[] {
  const written = run.text.trimEnd()
  if (!FROM_THE_RIGHT.includes(run.alphabet ?? '') || written === run.text) return [run]
  return [
    { ...run, text: written },
    { alphabet: 'latin', text: ' ' },
  ]
}

/**
 * Returns an alphabet that has the character. Prefers the previous one, because a combining mark must use the font of
 * its base character.
 */
function alphabetOf(character: string, before: string | undefined): string | undefined {
  const code = must(character.codePointAt(0))
  const has = ({ ranges }: Font) => includes(ranges, code)
  return (fonts().find((font) => font.alphabet === before && has(font)) ?? fonts().find(has))?.alphabet
}

/** Binary search: Chinese has thousands of ranges. */
function includes(ranges: readonly Range[], code: number): boolean {
  let [low, high] = [0, ranges.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (must(ranges[middle])[0] <= code) low = middle
    else high = middle - 1
  }
  const [first, last] = must(ranges[low])
  return code >= first && code <= last
}

const files = new Map<string, Buffer>()

/** Returns the font of an alphabet, read once. */
export function fontOf(alphabet: string): Buffer {
  const read = files.get(alphabet) ?? readFont(alphabet)
  files.set(alphabet, read)
  return read
}

const readFont = (alphabet: string): Buffer =>
  alphabet in LETTERS
    ? readFileSync(new URL(`fonts/inter-${alphabet}.ttf`, import.meta.url))
    : brotliDecompressSync(readFileSync(new URL(`fonts/noto/${alphabet}.ttf.br`, import.meta.url)))
