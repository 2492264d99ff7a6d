import { expect, test } from 'vitest'
import type { OwnStrategy } from '#contract/trading/own-strategies.ts'
import { strategyNames } from './strategy-names.ts'

const own = (id: number, signals_on: boolean) =>
  ({
    ...{ key: `own-${id}`, name: `Rule ${id}`, sentence: 'Buys.', duration: 300, symbols: ['BTCUSDT'], signals_on },
  }) as OwnStrategy
const known = {
  strategies: [{ id: 'trend' as const, name: 'Trend', rule: 'Crosses.' }],
  published: [
    { id: 'own-1' as const, name: 'Night owl', rule: 'Buys.', duration: 300 },
    { id: 'own-9' as const, name: 'Lark', rule: 'Sells.', duration: 60 },
  ],
}

test("lists ours, the trader's with signals, and what others have published", () => {
  expect(strategyNames(known, [own(1, true), own(2, false)]).map(({ id, name }) => [id, name])).toEqual([
    ['trend', 'Trend'],
    ['own-1', 'Rule 1 (mine)'],
    ['own-9', 'Lark'],
  ])
})

test('has all of ours before anything has loaded', () => {
  expect(strategyNames(undefined).map(({ name }) => name)).toEqual(['Trend', 'Reversion', 'Breakout', 'Coin toss'])
})
