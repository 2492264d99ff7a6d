import { expect, test } from 'vitest'
import type { Trade } from '#web/client/index.ts'
import { answerOf } from './answer.ts'

const END = new Date(2026, 10, 26, 9, 30, 5)
const NOW = END.getTime() + 60_000

const trade = (more: Partial<Trade>): Trade =>
  ({ symbol: 'BCHBTC', side: 'Buy', stake: 100, percent: 75, end_time: END.toISOString(), ...more }) as Trade

test.each([
  [
    { status: 'Won', payout: 175 },
    'BCHBTC was higher at 09:30:05 than when you bought. You staked $100.00 and were paid $175.00.',
  ],
  [
    { status: 'Lost', payout: 0, side: 'Sell' },
    'BCHBTC was higher at 09:30:05 than when you sold. You lost your stake of $100.00.',
  ],
  [
    { status: 'Draw', payout: 100 },
    'BCHBTC had the same price at 09:30:05 as when you bought. Your stake of $100.00 was returned.',
  ],
  [{ status: 'Void', payout: 100 }, 'Your stake of $100.00 was returned.'],
  [
    { status: 'Pending', side: 'Sell', percent: 61 },
    'You win $61.00 if BCHBTC is lower at 09:30:05 than when you sold. You lose $100.00 otherwise.',
  ],
] as const)('says in a sentence what happened: %j', (more, words) => {
  expect(answerOf(trade(more), NOW)).toBe(words)
})

test('names the day of a trade that did not end today', () => {
  const later = new Date(2026, 10, 27, 9).getTime()
  expect(answerOf(trade({ status: 'Lost', payout: 0 }), later)).toContain('lower at 2026-11-26 09:30:05 than')
})
