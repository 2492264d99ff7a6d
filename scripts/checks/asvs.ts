/**
 * Checks the ASVS pages (`docs/security/asvs.md` and the folder next to it): each requirement of levels 1 and 2 has
 * exactly one row, the evidence names files that exist, and the typed counts match the rows.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from '#kernel/must.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const INDEX = 'docs/security/asvs.md'
const FOLDER = 'docs/security/asvs'

/** The levels of ASVS 5.0.0 by section: `V6.2: '1112'` has three requirements of level 1 and one of level 2. */
const SECTIONS: Record<string, string> = {
  ...{ 'V1.1': '22', 'V1.2': '1111122223', 'V1.3': '112222222223', 'V1.4': '222', 'V1.5': '123' },
  ...{ 'V2.1': '122', 'V2.2': '112', 'V2.3': '12223', 'V2.4': '23' },
  ...{
    'V3.1': '3',
    'V3.2': '113',
    'V3.3': '12223',
    'V3.4': '11222233',
    'V3.5': '11122333',
    'V3.6': '3',
    'V3.7': '22333',
  },
  ...{ 'V4.1': '12233', 'V4.2': '23333', 'V4.3': '22', 'V4.4': '1222' },
  ...{ 'V5.1': '2', 'V5.2': '112333', 'V5.3': '113', 'V5.4': '222' },
  ...{ 'V6.1': '122', 'V6.2': '111111112222', 'V6.3': '11223333', 'V6.4': '112233', 'V6.5': '22222333' },
  ...{ 'V6.6': '2223', 'V6.7': '33', 'V6.8': '2222' },
  ...{ 'V7.1': '222', 'V7.2': '1111', 'V7.3': '22', 'V7.4': '11222', 'V7.5': '223', 'V7.6': '22' },
  ...{ 'V8.1': '1233', 'V8.2': '1123', 'V8.3': '133', 'V8.4': '23' },
  ...{ 'V9.1': '111', 'V9.2': '1222' },
  ...{ 'V10.1': '22', 'V10.2': '223', 'V10.3': '22223', 'V10.4': '1111122222233333', 'V10.5': '22222' },
  ...{ 'V10.6': '22', 'V10.7': '222' },
  ...{
    'V11.1': '2233',
    'V11.2': '22233',
    'V11.3': '11233',
    'V11.4': '1222',
    'V11.5': '23',
    'V11.6': '23',
    'V11.7': '33',
  },
  ...{ 'V12.1': '12233', 'V12.2': '11', 'V12.3': '22223' },
  ...{ 'V13.1': '2333', 'V13.2': '222223', 'V13.3': '2233', 'V13.4': '1222233' },
  ...{ 'V14.1': '22', 'V14.2': '12223333', 'V14.3': '122' },
  ...{ 'V15.1': '12233', 'V15.2': '12233', 'V15.3': '1222222', 'V15.4': '3333' },
  ...{ 'V16.1': '2', 'V16.2': '22222', 'V16.3': '2222', 'V16.4': '222', 'V16.5': '2223' },
  ...{ 'V17.1': '23', 'V17.2': '22223333', 'V17.3': '22' },
}
const STATUSES = ['met', 'met by design', 'partly', 'not met', 'not applicable'] as const
const TEST = /\.(test\.tsx?|spec\.ts)$/

/** The requirements of levels 1 and 2, with their level. */
export const REQUIREMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(SECTIONS).flatMap(([section, levels]) =>
    [...levels].flatMap((level, at) => (level === '3' ? [] : [[`${section}.${at + 1}`, level] as const])),
  ),
)

interface Row {
  id: string
  level: string
  status: string
  evidence: string
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())

const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => /^\| V\d/.test(line))
    .map((line) => {
      const [id = '', level = '', , status = '', evidence = ''] = cellsOf(line)
      return { id, level, status, evidence }
    })

/** Returns the paths from the root that the evidence names in `code`. Settings, calls and bare names aren't paths. */
const pathsIn = (evidence: string): string[] =>
  [
    ...evidence.matchAll(
      /`([\w.@-]+(?:\/[\w.@-]+)+|package\.json|package-lock\.json|tsconfig\.json|vite\.config\.ts)`/g,
    ),
  ]
    .map(([, path]) => must(path))
    .filter((path) => !/^(DATA_DIR|@fastify)\//.test(path))

/** Returns what is wrong with the pages. `there` says whether a path from the root exists. */
export function problemsOf(index: string, pages: string, there: (path: string) => boolean): string[] {
  const rows = rowsOf(pages)
  const problems = rows.flatMap(({ id, level, status, evidence }) => {
    const paths = pathsIn(evidence)
    return [
      REQUIREMENTS.get(id) !== level && `${id} is no requirement of level ${level}`,
      rows.filter((row) => row.id === id).length > 1 && `${id} has more than one row`,
      !STATUSES.some((known) => known === status) && `${id} has an unknown status: ${status}`,
      evidence === '' && `${id} has no evidence`,
      status === 'met' && !paths.some((path) => TEST.test(path)) && `${id} is met, but names no test`,
      status === 'met by design' && paths.length === 0 && !/\]\(/.test(evidence) && `${id} names no file`,
      ...paths.filter((path) => !there(path)).map((path) => `${id} names ${path}, which is not there`),
    ].filter((problem) => problem !== false)
  })
  for (const id of REQUIREMENTS.keys()) if (!rows.some((row) => row.id === id)) problems.push(`${id} has no row`)
  for (const status of STATUSES) {
    const inLevel = (level: string) => rows.filter((row) => row.status === status && row.level === level).length
    const line = `| ${status} | ${inLevel('1')} | ${inLevel('2')} | ${inLevel('1') + inLevel('2')} |`
    if (!index.split('\n').includes(line)) problems.push(`${INDEX} must have the line ${line}`)
  }
  return problems
}

if (import.meta.main) {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  const pages = readdirSync(join(ROOT, FOLDER)).map((name) => read(`${FOLDER}/${name}`))
  const problems = problemsOf(read(INDEX), pages.join('\n'), (path) => existsSync(join(ROOT, path)))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
}
