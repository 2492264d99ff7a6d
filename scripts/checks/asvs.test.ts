import { expect, test } from 'vitest'
import { problemsOf, REQUIREMENTS } from './asvs.ts'

const levels = [...REQUIREMENTS.values()]
const rows = [...REQUIREMENTS].map(([id, level]) => `| ${id} | ${level} | Words | met | \`tests/a.test.ts\` |`)
const index = [
  '| met | 70 | 183 | 253 |',
  ...['met by design', 'partly', 'not met', 'not applicable'].map((s) => `| ${s} | 0 | 0 | 0 |`),
]
const problems = (
  changed: readonly string[],
  there: (path: string) => boolean = (path) => path === 'tests/a.test.ts',
) => problemsOf(index.join('\n'), changed.join('\n'), there)
const withFirst = (row: string) => problems([row, ...rows.slice(1)])

test('knows the 70 requirements of level 1 and the 183 of level 2', () => {
  expect(levels.filter((level) => level === '1')).toHaveLength(70)
  expect(levels.filter((level) => level === '2')).toHaveLength(183)
})

test('finds a test that has vanished', () => {
  expect(problems(rows)).toEqual([])
  expect(problems(rows, () => false)).toContain('V1.1.1 names tests/a.test.ts, which is not there')
})

test('finds a missing row, a duplicate row and an unknown requirement', () => {
  expect(problems(rows.slice(1))).toContain('V1.1.1 has no row')
  expect(problems([...rows, rows[0]!])).toContain('V1.1.1 has more than one row')
  expect(problems([...rows, '| V1.2.10 | 2 | Words | met | `tests/a.test.ts` |'])).toContain(
    'V1.2.10 is no requirement of level 2',
  )
})

test('finds a claim without its evidence, and a count that does not match', () => {
  expect(withFirst('| V1.1.1 | 2 | Words | met | Believe us |')).toContain('V1.1.1 is met, but names no test')
  expect(withFirst('| V1.1.1 | 2 | Words | met by design | Believe us |')).toContain('V1.1.1 names no file')
  expect(withFirst('| V1.1.1 | 2 | Words | done | `tests/a.test.ts` |')).toContain('V1.1.1 has an unknown status: done')
  expect(withFirst('| V1.1.1 | 2 | Words | partly | Half of it |')).toContain(
    'docs/security/asvs.md must have the line | partly | 0 | 1 | 1 |',
  )
})
