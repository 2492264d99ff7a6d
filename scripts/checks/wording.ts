/**
 * Checks the wording of comments, strings, screens and documents. Words that read like a literal translation fail with
 * a suggestion. Identifiers and inline code are ignored.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { must } from '#kernel/must.ts'
import { walk } from './named-files.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Banned words and what to write instead. */
const WORDS: Record<string, string> = JSON.parse(readFileSync(join(ROOT, 'scripts', 'checks', 'wording.json'), 'utf8'))
const BANNED = new RegExp(
  `(?<![\\w-])(?:${Object.keys(WORDS)
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(' ', '\\s+'))
    .join('|')})(?![\\w-])`,
  'gi',
)

/** Generated files, and documents that record the past. */
const NOT_READ =
  /^(CHANGELOG\.md|docs\/(decisions|releases)\/|db\/schema\.sql|server\/platform\/database\/db-types\.ts|scripts\/checks\/wording\.)/

/** Files where a banned word is right: characters of an alphabet, names of tables, a person's name. */
const ALLOWED: readonly { file: RegExp; words: readonly string[] }[] = [
  { file: /^contract\/(money\/cashier|fields)\.ts$/, words: ['letters', 'a person'] },
  { file: /^server\/statements\/statement-pdf\.test\.ts$/, words: ['letter', 'letters'] },
  { file: /^tests\/flows\/(desk\/desk|accounts\/profile)\.test\.ts$/, words: ['letter', 'letters'] },
  { file: /^web\/trader\/quick-trading\/ticket\/use-keys\.test\.ts$/, words: ['letters'] },
]

interface Hit {
  line: number
  word: string
  say: string
}

/** Returns the banned words in a file's comments, strings and prose. */
export function bannedWords(file: string, code: string): Hit[] {
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length
  return textsOf(file, code).flatMap(({ text, offset }) =>
    [...text.matchAll(BANNED)].map((match) => {
      const word = match[0].toLowerCase().replace(/\s+/g, ' ')
      return { line: lineAt(offset + match.index), word, say: must(WORDS[word]) }
    }),
  )
}

interface Text {
  text: string
  offset: number
}

/** Returns a file's human text with its positions. Line breaks and comment stars become spaces, so phrases match. */
function textsOf(file: string, code: string): Text[] {
  if (file.endsWith('.md')) return [blank(code, /^```.*?^```|`[^`\n]*`/gms)]
  if (file.endsWith('.css')) return [...code.matchAll(/\/\*.*?\*\//gs)].map(toText)
  if (file.endsWith('.sql')) return [...code.matchAll(/--.*$/gm)].map(toText)
  const { program, comments } = parseSync(file, code)
  const texts = comments.map(({ start, end }) => ({ text: code.slice(start, end), offset: start }))
  visit(program, (node) => {
    const isText =
      (node.type === 'Literal' && typeof node.value === 'string') ||
      node.type === 'TemplateElement' ||
      node.type === 'JSXText'
    // The range of a template's part includes its delimiters.
    if (isText) texts.push({ text: code.slice(node.start, node.end).replace(/^[`}]|`$/g, ' '), offset: node.start })
  })
  return texts.map(({ text, offset }) => blank(text, /\n\s*\*(?!\/)|`[^`\n]*`(?=[^`]*$)/g, offset)).filter(isProse)
}

const toText = (match: RegExpMatchArray): Text => blank(match[0], /\n\s*\*(?!\/)/g, match.index)
/** Blanks out what isn't prose, keeping every position. */
const blank = (text: string, pattern: RegExp, offset = 0): Text => ({
  text: text.replace(pattern, (part) => part.replace(/[^\n]/g, ' ')),
  offset,
})
/** A single word in quotes is a value, not prose. SQL in a string names tables and columns. */
const isProse = ({ text }: Text) =>
  /\S\s+\S/.test(text) && !/\b(select|insert into|update|delete from|create|returning)\b/.test(text)

interface Node {
  type: string
  start: number
  end: number
  value?: unknown
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const one of value) visit(one, see)
    return
  }
  const node = value as Node
  if (node.type === 'ImportDeclaration') return
  if (typeof node.type === 'string') see(node)
  for (const child of Object.values(node)) visit(child, see)
}

const isAllowed = (file: string, { word }: Hit) =>
  ALLOWED.some((one) => one.file.test(file) && one.words.includes(word))

if (import.meta.main) {
  const files = walk().filter((file) => /\.(tsx?|mjs|md|css|sql)$/.test(file) && !NOT_READ.test(file))
  let hits = 0
  for (const file of files) {
    for (const hit of bannedWords(file, readFileSync(join(ROOT, file), 'utf8'))) {
      if (isAllowed(file, hit)) continue
      hits++
      console.error(`${file}:${hit.line} says "${hit.word}"; write: ${hit.say}`)
    }
  }
  if (hits > 0) process.exit(1)
}
