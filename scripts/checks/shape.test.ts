import { expect, test } from 'vitest'
import { longIn } from './shape.ts'

test('finds long functions of every form, with their lines, also inside of others', () => {
  const body = 'const a = 1\n'.repeat(3)
  const code = `function named() {\n${body}}\nconst arrow = () => {\n${body}}\nconst made = {\n  method() {\n${body}  },\n}\nconst short = () => {\n}\n`
  expect(longIn('a.ts', code, 4)).toEqual([
    { file: 'a.ts', line: 1, lines: 5 },
    { file: 'a.ts', line: 6, lines: 5 },
    { file: 'a.ts', line: 12, lines: 5 },
  ])
  expect(longIn('a.tsx', `const Outer = () => {\n  return <b onClick={() => {\n${body}}} />\n}\n`, 4)).toHaveLength(2)
  expect(longIn('a.ts', code, 5)).toEqual([])
})
