import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { walk } from './named-files.ts'
import { bannedWords } from './wording.ts'

const wordsIn = (file: string, code: string) => bannedWords(file, code).map(({ line, word }) => `${line} ${word}`)

test('finds banned words in comments, strings, templates and JSX text', () => {
  expect(
    wordsIn(
      'a.tsx',
      [
        '// Nothing that he typed.',
        "const text = 'The owner is told about it.'",
        'const more = `a thing of its own`',
        'const Notice = () => <p>It stands in the list.</p>',
      ].join('\n'),
    ),
  ).toEqual(['1 he', '2 told', '3 of its own', '4 stands in'])
})

test('finds a phrase across the lines of a comment', () => {
  expect(wordsIn('a.ts', '/**\n * Everything goes\n * on.\n */\nexport {}')).toEqual(['2 goes on'])
  expect(wordsIn('a.css', '.a {}\n/* It stands\n * in the way. */')).toEqual(['2 stands in'])
})

test('ignores identifiers, values, SQL and inline code', () => {
  expect(wordsIn('a.ts', "const told = ['letter']\nconst query = `insert into deeds (told) values (1)`")).toEqual([])
  expect(wordsIn('a.md', 'The table `deeds`.\n```\nhis\n```\n')).toEqual([])
})

test('suggests a replacement', () => {
  expect(bannedWords('a.md', 'Hand in the form.')).toEqual([{ line: 1, word: 'hand in', say: 'submit' }])
})

test('the changelog of a release takes two minutes to read', () => {
  const text = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  const releases = text.split(/^## /m).filter((part) => /^\[\d/.test(part))
  expect(releases.length).toBeGreaterThan(0)
  for (const release of releases) expect(release.split(/\s+/).length, release.slice(0, 10)).toBeLessThanOrEqual(400)
})

test('a percent sign follows its number without a space', () => {
  const spaced = walk()
    .filter((file) => /^(contract|kernel|ops|packages|server|web)\/.*(?<!\.test)\.(tsx?|js)$/.test(file))
    .flatMap((file) =>
      readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
        .split('\n')
        .filter((line) => /[\d}][ \u00a0\u202f]%(?! ?[\d($])/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    )
  expect(spaced).toEqual([])
})
