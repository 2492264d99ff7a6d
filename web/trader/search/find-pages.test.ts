import { expect, test } from 'vitest'
import { findPages, type SearchPage } from './find-pages.ts'

const page = (label: string, about = ''): SearchPage => ({ to: label, label, about, isPublic: false, realOnly: false })
const PAGES = [page('Deposit fund', 'Bitcoin or Ethereum wallet'), page('Deposit history'), page('Bitcoin Trading')]
const found = (typed: string) => findPages(PAGES, typed).map(({ label }) => label)

test('finds pages by their name first, then by what is on them', () => {
  expect(found('bitcoin')).toEqual(['Bitcoin Trading', 'Deposit fund'])
  expect(found('DEP hist')).toEqual(['Deposit history'])
  expect(found('deposit ethereum')).toEqual(['Deposit fund'])
})

test('finds nothing in the middle of words, or without a word', () => {
  for (const typed of ['coin', ' ', '-', '', 'deposit nothing']) expect(found(typed), typed).toEqual([])
})
