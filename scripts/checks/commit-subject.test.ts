import { expect, test } from 'vitest'
import { wrongSubject } from './commit-subject.ts'

test.each([
  'trading: reject orders when the price is stale',
  'desk, web: list proposals in one place',
  'sockets: process frames once\n\nBecause …',
  'docs: bring the guide up to date',
  'chat: need no session',
  'Revert "trading: reject orders"',
  '# a comment\ntests: pass a clock',
])('%j is a subject', (message) => expect(wrongSubject(message)).toBeUndefined())

test.each([
  ['reject orders when the price is stale', /area/],
  ['trading: rejected orders when the price is stale', /imperative/],
  ['trading: rejecting orders', /imperative/],
  ['trading: rejects orders', /imperative/],
  ['trading: the price is stale', /imperative/],
  [`trading: reject ${'orders '.repeat(12)}`, /at most 72/],
  ['', /area/],
])('%j is none', (message, why) => expect(wrongSubject(message)).toMatch(why))
