import { expect, test } from 'vitest'
import { moduleIn, testOnly } from './test-only-exports.ts'

/** Returns the exports of `server/a/a.ts` that are used by tests only, with these other files. */
function foundWith(others: Record<string, string>): string[] {
  const files = {
    'server/a/a.ts': 'export const one = 1\nexport interface Two {}\nexport function three() {}',
    ...others,
  }
  const modules = new Map(Object.entries(files).map(([file, code]) => [file, moduleIn(file, code)]))
  return testOnly(modules).map(({ file, name }) => `${file} ${name}`)
}

test('finds what only tests and the laboratory import, types too', () => {
  expect(
    foundWith({
      'server/a/a.test.ts': "import { one, type Two } from './a.ts'",
      'lab/b.ts': "import { three } from '#server/a/a.ts'",
    }),
  ).toEqual(['server/a/a.ts one', 'server/a/a.ts Two', 'server/a/a.ts three'])
})

test('leaves out what another file of the product imports, by whatever way, and what nothing imports', () => {
  const tests = { 'tests/a.test.ts': "import { one, three } from '#server/a/a.ts'" }
  expect(foundWith({ ...tests, 'scripts/b.ts': "import { one as other } from '#server/a/a.ts'" })).toEqual([
    'server/a/a.ts three',
  ])
  const index = { 'server/a/index.ts': "export { one as first } from './a.ts'\nexport * from './a.ts'" }
  expect(foundWith({ ...tests, ...index })).toEqual(['server/a/a.ts one', 'server/a/a.ts three'])
  expect(foundWith({ ...tests, ...index, 'server/b/b.ts': "import { first, three } from '../a/index.ts'" })).toEqual([])
  expect(foundWith({ ...tests, 'server/b/b.ts': "import * as a from '../a/a.ts'" })).toEqual([])
  expect(foundWith({ ...tests, 'server/b/b.ts': "const a = await import('../a/a.ts')" })).toEqual([])
})

test('what tests import through an index is theirs', () => {
  expect(
    foundWith({
      'server/a/index.ts': "export { one } from './a.ts'",
      'tests/a.test.ts': "import { one } from '#server/a/index.ts'",
    }),
  ).toEqual(['server/a/a.ts one'])
})
