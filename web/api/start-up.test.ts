import { expect, test } from 'vitest'
import { screenOf } from './start-up.ts'

test('768 px is the widest phone and 1200 px the narrowest desktop', () => {
  expect([320, 768, 769, 1199, 1200, 1440].map(screenOf)).toEqual([
    'mobile',
    'mobile',
    'tablet',
    'tablet',
    'desktop',
    'desktop',
  ])
})
