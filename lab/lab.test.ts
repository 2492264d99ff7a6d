import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LAB } from './lab.ts'

const ROOT = join(import.meta.dirname, '..')
const parts = Object.values(LAB)
const filesOf = ({ tests = [], browser = [], command = [] }: (typeof parts)[number]) => [
  ...tests,
  ...browser.map((name) => `tests/e2e/${name}`),
  ...command.slice(0, 1),
]

test('every file of the laboratory exists', () => {
  expect(parts.flatMap(filesOf).filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

test('every fault test and every bench belongs to a part', () => {
  const all = globSync(['lab/faults/**/*.test.ts', 'lab/bench/{trading,prices,installation}/*.ts'], {
    cwd: ROOT,
    exclude: ['lab/faults/harness/**'],
  })
  expect(all.length).toBeGreaterThan(40)
  expect(all.filter((file) => !parts.flatMap(filesOf).includes(file))).toEqual([])
})

test('CI runs some of it', () => {
  expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toContain('npm run lab -- --ci')
  expect(parts.filter(({ inCi }) => inCi).length).toBeGreaterThan(3)
})
