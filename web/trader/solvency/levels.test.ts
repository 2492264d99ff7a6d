import { expect, test } from 'vitest'
import type { SolvencyProof } from '#contract/prices/proof.ts'
import { balancesOf, levelsOf } from './levels.ts'

const entry = (position: number, sums: string[]): SolvencyProof['entries'][number] => ({
  nonce: '',
  balances: { available: '1.00', open_trades: '0.50', withdrawals: '0.25' },
  position,
  path: sums.map((sum) => ({ hash: '', sum })),
})

test('joins an entry with its neighbours up to everyone', () => {
  expect(levelsOf(entry(2, ['2.00', '10.00']), 4)).toEqual([
    { entries: 2, own: 175, neighbour: 200, sum: 375 },
    { entries: 4, own: 375, neighbour: 1_000, sum: 1_375 },
  ])
})

test('skips the levels where there is no neighbour', () => {
  expect(levelsOf(entry(4, ['9.00']), 5)).toEqual([{ entries: 5, own: 175, neighbour: 900, sum: 1_075 }])
  expect(levelsOf(entry(0, []), 1)).toEqual([])
})

test("adds up a trader's entries", () => {
  expect(balancesOf([entry(0, []), entry(1, [])])).toEqual({
    ...{ available: 200, inTrades: 100, inWithdrawals: 50, total: 350 },
  })
})
