import { expect, test } from 'vitest'
import type { SolvencyProof } from '#contract/proof.ts'
import { levelsOf } from './levels.ts'

const proof = (accounts: number, position: number, sums: string[]): SolvencyProof =>
  ({
    balances: { available: '1.00', open_trades: '0.50', withdrawals: '0.25' },
    position,
    path: sums.map((sum) => ({ hash: '', sum })),
    statement: { accounts },
  }) as SolvencyProof

test('joins a trader with their neighbours up to everyone', () => {
  expect(levelsOf(proof(4, 2, ['2.00', '10.00']))).toEqual([
    { traders: 2, own: 175, neighbour: 200, sum: 375 },
    { traders: 4, own: 375, neighbour: 1_000, sum: 1_375 },
  ])
})

test('skips the levels where there is no neighbour', () => {
  expect(levelsOf(proof(5, 4, ['9.00']))).toEqual([{ traders: 5, own: 175, neighbour: 900, sum: 1_075 }])
  expect(levelsOf(proof(1, 0, []))).toEqual([])
})
