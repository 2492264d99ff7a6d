/**
 * Keeps the pages true: every file or folder that a README, a page of `docs/` or a page of the root names is there. A bare
 * name in a room's README is a file of that room, or a migration; a path may begin at the root, at the page, or at any folder.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NOT_OURS = new Set(['node_modules', 'build', '.git', '.data', '.react-router', 'test-results'])
/** Made by the build. */
const MADE = new Set(['__spa-fallback.html'])
/** Its number says where it is. */
const MIGRATION = /^\d{4}_\w+\.sql$/
/** What was true on its day stays as it was written. */
const NOT_READ = /^(CHANGELOG\.md|docs\/decisions\/)/
const FILE = /^[\w.@-]+(\/[\w.@-]+)*\.(tsx?|mjs|sql|css|md|json|html|woff2|png|svg)$/
const TOP = ['kernel', 'contract', 'server', 'web', 'db', 'docs', 'tests', 'bench', 'scripts', 'public']
const FOLDER = new RegExp(`^(${TOP.join('|')})(/[\\w.-]+)*/?$`)

/** Files and folders of the project, folders with a slash at their end, as paths from the root. */
export function walk(folder = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [`${relative(ROOT, path)}/`, ...walk(path)] : [relative(ROOT, path)]
  })
}

/** What a page names in `code` and in the targets of its links. */
export function namesIn(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '')
  const inCode = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(/\s+/))
  const linked = [...prose.matchAll(/\]\((?!\w+:)([^)#\s]+)/g)].map(([, target]) => target!)
  return [...inCode, ...linked].filter((name) => FILE.test(name) || FOLDER.test(name) || name.startsWith('../'))
}

/** Whether `name`, on the page at `page`, is one of `paths`. */
export function isThere(page: string, name: string, paths: readonly string[]): boolean {
  const wanted = name.replace(/\/$/, '')
  const has = (path: string) => paths.includes(path) || paths.includes(`${path}/`)
  const room = dirname(page)
  if (has(join(room, wanted)) || has(wanted) || MADE.has(wanted)) return true
  // What lies outside of the project may be anywhere.
  if (wanted.startsWith('.')) return join(room, wanted).startsWith('..')
  const isRoom = room !== '.' && !room.startsWith('docs')
  const within = isRoom && !wanted.includes('/') && !MIGRATION.test(wanted) ? `${room}/` : ''
  return paths.some((path) => path.startsWith(within) && `/${path.replace(/\/$/, '')}`.endsWith(`/${wanted}`))
}

if (import.meta.main) {
  const paths = walk()
  const pages = paths.filter((path) => path.endsWith('.md') && !NOT_READ.test(path))
  const missing = pages.flatMap((page) =>
    namesIn(readFileSync(join(ROOT, page), 'utf8'))
      .filter((name) => !isThere(page, name, paths))
      .map((name) => `${page} names ${name}, which is not there`),
  )
  for (const line of missing) console.error(line)
  if (missing.length > 0) process.exit(1)
}
