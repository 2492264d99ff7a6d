/**
 * Subsets the font that the product ships: Inter with the characters and weights that its screens use. `node
 * scripts/subset-font.ts` writes web/ui/inter.woff2, and into server/statements/fonts one file per alphabet with the
 * upright characters that PDFs need beyond the readers' built-in ones. All of it is committed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import { ALPHABETS } from '#server/statements/pdf-letters.ts'

const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, n) => 32 + n))
const latin1 = String.fromCharCode(...Array.from({ length: 96 }, (_, n) => 160 + n))
const others = '–—‘’‚“”„…•‹›€™←↑→↓−×·′″'

const partOf = (alphabet: string) =>
  readFileSync(
    createRequire(import.meta.url).resolve(`@fontsource-variable/inter/files/inter-${alphabet}-wght-normal.woff2`),
  )
const font = await subsetFont(partOf('latin'), ascii + latin1 + others, {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 700 } },
})
const target = fileURLToPath(new URL('../web/ui/inter.woff2', import.meta.url))
writeFileSync(target, font)
console.log(`${target}: ${font.length} bytes`)

for (const { alphabet, ranges } of ALPHABETS) {
  const mails = ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)),
  )
  const part = await subsetFont(partOf(alphabet), mails.join(''), {
    targetFormat: 'sfnt',
    variationAxes: { wght: 400 },
  })
  const file = fileURLToPath(new URL(`../server/statements/fonts/inter-${alphabet}.ttf`, import.meta.url))
  writeFileSync(file, part)
  console.log(`${file}: ${part.length} bytes`)
}
