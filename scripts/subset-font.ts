/**
 * Makes the font that the product ships smaller: Inter with the signs that its screens write, and the weights that they
 * use. `node scripts/subset-font.ts` writes web/ui/inter.woff2, which is committed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'

const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, n) => 32 + n))
const latin1 = String.fromCharCode(...Array.from({ length: 96 }, (_, n) => 160 + n))
const others = '–—‘’‚“”„…•‹›€™←↑→↓−×·′″'

const whole = createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
const font = await subsetFont(readFileSync(whole), ascii + latin1 + others, {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 700 } },
})
const target = fileURLToPath(new URL('../web/ui/inter.woff2', import.meta.url))
writeFileSync(target, font)
console.log(`${target}: ${font.length} bytes`)
