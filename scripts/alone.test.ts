import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ALONE, LONGEST } from '../vitest.config.ts'

const ROOT = join(import.meta.dirname, '..')

test('test files that replace timers or globals run in a process of their own', () => {
  const replacing = globSync('{kernel,contract,server,ops,lab,web,tests}/**/*.test.{ts,tsx}', { cwd: ROOT }).filter(
    (file) => /vi\.(useFakeTimers|stubGlobal)\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(replacing.length).toBeGreaterThan(3)
  expect(replacing.filter((file) => !ALONE.includes(file))).toEqual([])
})

test('the files that the configuration names exist', () => {
  expect([...ALONE, ...LONGEST].filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})
