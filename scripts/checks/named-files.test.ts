import { expect, test } from 'vitest'
import { isThere, namesIn, wrongTerms } from './named-files.ts'

const PATHS = [
  'server/trading/',
  'server/trading/trade.ts',
  'server/plans/',
  'server/plans/ladder.ts',
  'docs/flows/trade.md',
]

test('finds the files and folders that a page names, and ignores other inline code', () => {
  const page =
    'Read `trade.ts`, `server/trading` and [the flow](../../docs/flows/trade.md); `npm start`, `GET /trading`, `a.b`.'
  expect(namesIn(page)).toEqual(['trade.ts', 'server/trading', '../../docs/flows/trade.md'])
  expect(namesIn('```\nkernel/gone.ts\n```\n[elsewhere](https://example.org/x.md)')).toEqual([])
})

test('a bare name in a README must be a file of its room; elsewhere it may be any file', () => {
  expect(isThere('server/trading/README.md', 'trade.ts', PATHS)).toBe(true)
  expect(isThere('server/trading/README.md', 'ladder.ts', PATHS)).toBe(false)
  expect(isThere('server/trading/README.md', 'plans/ladder.ts', PATHS)).toBe(true)
  expect(isThere('docs/flows/deposit.md', 'ladder.ts', PATHS)).toBe(true)
  expect(isThere('server/trading/README.md', '../../docs/flows/trade.md', PATHS)).toBe(true)
  expect(isThere('server/trading/README.md', '0001_platform.sql', [...PATHS, 'db/migrations/0001_platform.sql'])).toBe(
    true,
  )
  expect(isThere('docs/flows/deposit.md', 'gone.ts', PATHS)).toBe(false)
  expect(isThere('docs/glossary.md', 'server/gone', PATHS)).toBe(false)
})

test('the glossary lists each term once, and only what the code names', () => {
  const glossary = '- **Tape time**: the clock.\n- **Hold, escrow**: money.\n- **Gone**: nothing.\n- **Hold**: again.\n'
  const code = "const tapeTime = 1\nselect hold from accounts -- 'escrow'\n// gone\n/* is\n gone */"
  expect(wrongTerms(glossary, code)).toEqual(["gone, which the code doesn't have", 'hold, twice'])
})
