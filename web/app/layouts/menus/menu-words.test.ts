import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { groupsOf } from './menu.ts'

const SITE = fileURLToPath(new URL('../../../site', import.meta.url))
const GROUPS = groupsOf('real').map(({ label }) => label)
const PLACES = groupsOf('real').flatMap(({ label, entries }) => entries.map((entry) => `${label} → ${entry.label}`))

/** The texts of the public site, each on one line. */
const texts = globSync('**/*.tsx', { cwd: SITE })
  .filter((file) => !file.endsWith('.test.tsx'))
  .map((file) => [file, readFileSync(`${SITE}/${file}`, 'utf8').replaceAll(/\s+/g, ' ')] as const)

test('legal texts name places of the menus that exist', () => {
  const named = texts.flatMap(([file, text]) =>
    [...text.matchAll(/\bunder (?:your |the )?([A-Z][a-z]+(?: → [A-Z][A-Za-z]*(?: [a-z]+)?)?)/g)].map(
      ([, place]) => `${file}: ${place}`,
    ),
  )
  const wrong = named.filter((one) => {
    const place = one.split(': ')[1] ?? ''
    if (place.includes('→')) return !PLACES.some((known) => place.startsWith(known))
    return GROUPS.includes(place) || ['Verify', 'Settings', 'Account', 'Security'].includes(place)
  })
  expect(wrong).toEqual([])
  expect(named.filter((one) => one.includes('→')).length).toBeGreaterThanOrEqual(4)
})
