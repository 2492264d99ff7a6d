import { expect, test } from 'vitest'
import type { Trade } from '#web/api/index.ts'
import { settledWatch } from './settled.ts'

const trade = (trade_id: string, status: Trade['status']) => ({ trade_id, status }) as Trade

test('reports a trade once, when it ends', () => {
  const look = settledWatch()
  expect(look([trade('A', 'Pending'), trade('B', 'Won')])).toEqual([])
  expect(look([trade('A', 'Lost'), trade('B', 'Won')])).toEqual([trade('A', 'Lost')])
  expect(look([trade('A', 'Lost'), trade('B', 'Won')])).toEqual([])
})

test('several may end at once', () => {
  const look = settledWatch()
  look([trade('A', 'Pending'), trade('B', 'Pending')])
  expect(look([trade('A', 'Void'), trade('B', 'Draw')])).toHaveLength(2)
})
