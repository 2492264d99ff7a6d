import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { WhyNoDoublingAt } from './why-no-doubling.tsx'

const wordsAt = (most: number) => renderToStaticMarkup(<WhyNoDoublingAt most={most} />).replaceAll(/<[^>]*>/g, '')

test('the reason against doubling has the odds that are offered', () => {
  expect(wordsAt(75)).toContain('t win the losses back, either: a win pays 75% at most. After three losses ($70.00)')
  expect(wordsAt(75)).toContain('a stake of $80.00 wins $60.00 at most.')
  expect(wordsAt(62)).toContain('a win pays 62% at most.')
})

test('where a win pays as much as three losses cost, it says no more than that', () => {
  expect(wordsAt(90)).toContain('that long.A win pays 90% at most. After three losses ($70.00)')
  expect(wordsAt(90)).toContain('a stake of $80.00 wins $72.00 at most.')
})
