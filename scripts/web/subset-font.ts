/**
 * Subsets the fonts that the product ships. `node scripts/web/subset-font.ts` writes web/ui/inter.woff2, Inter with the
 * characters and weights of the screens, and for PDFs into server/statements/fonts one file per alphabet of Inter, and
 * one per script of Noto Sans, whose packages it installs into a temporary folder. All of it is committed.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { create } from 'fontkit'
import subsetFont from 'subset-font'
import { INTER } from '#server/statements/pdf-fonts.ts'

const FONTS = fileURLToPath(new URL('../../server/statements/fonts/', import.meta.url))

const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, n) => 32 + n))
const latin1 = String.fromCharCode(...Array.from({ length: 96 }, (_, n) => 160 + n))
const others = '–—‘’‚“”„…•‹›€™←↑→↓−×·′″'

const partOf = (alphabet: string) =>
  readFileSync(
    createRequire(import.meta.url).resolve(`@fontsource-variable/inter/files/inter-${alphabet}-wght-normal.woff2`),
  )

function save(path: string, font: Buffer): void {
  writeFileSync(path, font)
  console.log(`${path}: ${font.length} bytes`)
}

const screens = await subsetFont(partOf('latin'), ascii + latin1 + others, {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 700 } },
})
save(fileURLToPath(new URL('../../web/ui/inter.woff2', import.meta.url)), screens)

for (const { alphabet, ranges } of INTER) {
  const characters = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)),
  )
  const part = await subsetFont(partOf(alphabet), characters.join(''), {
    targetFormat: 'sfnt',
    variationAxes: { wght: 400 },
  })
  save(join(FONTS, `inter-${alphabet}.ttf`), part)
}

/** The scripts of Noto Sans: the package, and which of its characters PDFs get besides the space and the joiners. */
const NOTO: Record<string, { of: string; version: string; characters: RegExp; among?: Set<string> }> = {
  arabic: { of: 'Arabic', version: '0.4.3', characters: /\p{scx=Arab}/u },
  hebrew: { of: 'Hebrew', version: '0.4.1', characters: /\p{scx=Hebr}/u },
  armenian: { of: 'Armenian', version: '0.4.2', characters: /\p{scx=Armn}/u },
  georgian: { of: 'Georgian', version: '0.4.3', characters: /\p{scx=Geor}/u },
  ethiopic: { of: 'Ethiopic', version: '0.4.2', characters: /\p{scx=Ethi}/u },
  devanagari: { of: 'Devanagari', version: '0.4.1', characters: /\p{scx=Deva}/u },
  bengali: { of: 'Bengali', version: '0.4.4', characters: /\p{scx=Beng}/u },
  gurmukhi: { of: 'Gurmukhi', version: '0.4.1', characters: /\p{scx=Guru}/u },
  gujarati: { of: 'Gujarati', version: '0.4.2', characters: /\p{scx=Gujr}/u },
  tamil: { of: 'Tamil', version: '0.4.3', characters: /\p{scx=Taml}/u },
  telugu: { of: 'Telugu', version: '0.4.2', characters: /\p{scx=Telu}/u },
  kannada: { of: 'Kannada', version: '0.4.3', characters: /\p{scx=Knda}/u },
  malayalam: { of: 'Malayalam', version: '0.4.2', characters: /\p{scx=Mlym}/u },
  sinhala: { of: 'Sinhala', version: '0.4.2', characters: /\p{scx=Sinh}/u },
  thai: { of: 'Thai', version: '0.4.2', characters: /\p{scx=Thai}/u },
  lao: { of: 'Lao', version: '0.4.2', characters: /\p{scx=Laoo}/u },
  khmer: { of: 'Khmer', version: '0.4.3', characters: /\p{scx=Khmr}/u },
  myanmar: { of: 'Myanmar', version: '0.4.2', characters: /\p{scx=Mymr}/u },
  kana: { of: 'JP', version: '0.4.3', characters: /\p{scx=Hira}|\p{scx=Kana}/u },
  han: {
    ...{ of: 'SC', version: '0.4.3', characters: /\p{sc=Han}/u },
    among: new Set([
      ...encoded('gbk', [0xb0, 0xf7]),
      ...encoded('big5', [0xa4, 0xc6]),
      ...encoded('euc-jp', [0xb0, 0xf4]),
    ]),
  },
  hangul: { of: 'KR', version: '0.4.3', characters: /\p{sc=Hang}/u, among: encoded('euc-kr', [0xb0, 0xc8]) },
}

/** Returns the characters of a two-byte encoding with these first bytes: those in common use. */
function encoded(label: string, [first, last]: readonly [number, number]): Set<string> {
  const decoder = new TextDecoder(label)
  const characters = new Set<string>()
  for (let lead = first; lead <= last; lead++)
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      const decoded = decoder.decode(Uint8Array.of(lead, trail))
      if (decoded.length === 1) characters.add(decoded)
    }
  return characters
}

/** Writes code points as ranges in hexadecimal: `600-604 606`. */
function asRanges(codes: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const code of codes) {
    const last = ranges.at(-1)
    if (last && code === last[1] + 1) last[1] = code
    else ranges.push([code, code])
  }
  return ranges.map(([a, b]) => (a === b ? a.toString(16) : `${a.toString(16)}-${b.toString(16)}`)).join(' ')
}

const packages = mkdtempSync(join(tmpdir(), 'noto-'))
mkdirSync(join(FONTS, 'noto'), { recursive: true })
const wanted = Object.values(NOTO).map(
  ({ of, version }) => `@expo-google-fonts/noto-sans-${of.toLowerCase()}@${version}`,
)
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', packages, ...new Set(wanted)])
const characters: Record<string, string> = {}
for (const [script, { of, characters: some, among }] of Object.entries(NOTO)) {
  const folder = join(packages, 'node_modules/@expo-google-fonts', `noto-sans-${of.toLowerCase()}`, '400Regular')
  const whole = readFileSync(join(folder, `NotoSans${of}_400Regular.ttf`))
  const own = create(whole)
    .characterSet.filter((code) => {
      const character = String.fromCodePoint(code)
      return some.test(character) && (among?.has(character) ?? true)
    })
    .sort((a, b) => a - b)
  const codes = [0x20, ...own, 0x200c, 0x200d].sort((a, b) => a - b)
  const font = await subsetFont(whole, codes.map((code) => String.fromCodePoint(code)).join(''), {
    targetFormat: 'sfnt',
  })
  save(join(FONTS, 'noto', `${script}.ttf.br`), brotliCompressSync(font))
  const subset = create(font)
  characters[script] = asRanges(codes.filter((code) => subset.hasGlyphForCodePoint(code)))
}
writeFileSync(join(FONTS, 'noto', 'characters.json'), `${JSON.stringify(characters, null, 2)}\n`)
rmSync(packages, { recursive: true })
