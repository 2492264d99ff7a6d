/**
 * Keeps folders readable: none has more than 17 files side by side. A test counts with the file that it tests, a style
 * sheet with its component, and a README not at all. The root isn't counted: tools look for their settings there.
 */
import { dirname } from 'node:path'
import { walk } from './named-files.ts'

const MOST = 17

/** Folders of equal things, which may have more, with the reason why they stay together. */
const WIDE: Record<string, string> = {
  'db/migrations': 'numbered in one sequence, and never moved',
  'docs/decisions': 'numbered in one sequence',
  'lab/faults/harness/planted': 'numbered in one sequence',
  'public/og': 'one picture for each page of the site',
  'server/statements/fonts/noto': 'one font for each script',
  'web/app/pages/user': 'one file for each address, which names it',
  'web/site/pages': 'one file for each address, which names it',
  'web/site/pictures': 'two pictures in each size, theme and format',
}

const TEST = /\.(test|spec)\.tsx?$/
const STYLE_OR_CODE = /\.module\.css$|\.(css|[cm]?[jt]sx?)$/

/** Returns how many files are side by side, of the names in one folder. */
export function countFiles(names: readonly string[]): number {
  const counted = names.filter((name) => name !== 'README.md')
  const units = new Set(counted.filter((name) => !TEST.test(name)).map((name) => name.replace(STYLE_OR_CODE, '')))
  for (const name of counted.filter((name) => TEST.test(name))) {
    const tested = name.replace(TEST, '')
    const kind = /\.\w+$/
    units.add(units.has(tested) ? tested : tested.replace(kind, ''))
  }
  return units.size
}

/** Returns which folders have more files than they may, and which of `wide` have no more than others. */
export function wideFolders(paths: readonly string[], wide: Readonly<Record<string, string>>): string[] {
  const files = paths.filter((path) => !path.endsWith('/') && path.includes('/'))
  const folders = Map.groupBy(files, dirname)
  const counts = new Map(
    [...folders].map(([folder, inside]) => [folder, countFiles(inside.map((path) => path.slice(folder.length + 1)))]),
  )
  return [
    ...[...counts]
      .filter(([folder, count]) => count > MOST && !(folder in wide))
      .map(
        ([folder, count]) => `${folder} has ${count} files side by side, at most ${MOST} may be: group them by subject`,
      ),
    ...Object.keys(wide)
      .filter((folder) => (counts.get(folder) ?? 0) <= MOST)
      .map((folder) => `${folder} has at most ${MOST} files: it needs no exception`),
  ]
}

if (import.meta.main) {
  const wide = wideFolders(walk(), WIDE)
  for (const line of wide) console.error(line)
  if (wide.length > 0) process.exitCode = 1
}
