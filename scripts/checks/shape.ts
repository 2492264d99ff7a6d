/** Keeps functions short: none of the product is longer than 120 lines, and at most 60 are longer than 60. */
import { readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { walk } from './named-files.ts'

const PRODUCT = /^(contract|kernel|ops|packages|server|web)\/(?!.*\.test\.).*\.(tsx?|js)$/

interface Long {
  file: string
  line: number
  lines: number
}

/** Returns the functions of a file that are longer than `most` lines. */
export function longIn(file: string, code: string, most: number): Long[] {
  const lineAt = (at: number) => code.slice(0, at).split('\n').length
  const found: Long[] = []
  visit(parseSync(file, code).program, (node) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return
    const [line, end] = [lineAt(node.start), lineAt(node.end)]
    if (end - line + 1 > most) found.push({ file, line, lines: end - line + 1 })
  })
  return found
}

interface Node {
  type: string
  start: number
  end: number
}

function visit(tree: unknown, see: (node: Node) => void): void {
  if (tree === null || typeof tree !== 'object') return
  if ('type' in tree && 'start' in tree) see(tree as Node)
  for (const part of Object.values(tree)) visit(part, see)
}

/** Returns the functions of the product that are longer than `most` lines, the longest first. */
export const longFunctions = (most: number): Long[] =>
  walk()
    .filter((file) => PRODUCT.test(file))
    .flatMap((file) => longIn(file, readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), most))
    .sort((a, b) => b.lines - a.lines)

/** How many functions may be longer than this many lines. */
const LIMITS = [
  { lines: 120, most: 0 },
  { lines: 60, most: 60 },
]

if (import.meta.main)
  for (const { lines: above, most } of LIMITS) {
    const found = longFunctions(above)
    if (found.length <= most) continue
    process.exitCode = 1
    console.log(`${found.length} functions are longer than ${above} lines, at most ${most} may be:`)
    for (const { file, line, lines } of found) console.log(`${lines} ${file}:${line}`)
  }
