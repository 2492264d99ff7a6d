import { expect, test } from 'vitest'
import { DEFAULT_AUTOMATION } from '#contract/trading/automatic.ts'
import { anotherOf, toForm } from './rules.ts'
import { followText, pauseText, readBack, stakeText, stopsText, symbolsText, timesText } from './settings-text.ts'

test('says which signals are followed', () => {
  const form = { strategy: 'trend', duration: '60', sides: 'both', symbols: [] as string[] } as const
  expect(followText(form, 'Trend')).toBe('Trend, 1 min, Buy and Sell, all symbols')
  expect(followText({ ...form, sides: 'Buy', symbols: ['BTCUSDT'] }, undefined)).toBe('trend, 1 min, Buy only, BTCUSDT')
  expect(followText({ ...form, symbols: ['BTCUSDT', 'ETHUSDT'] }, 'Trend')).toBe(
    'Trend, 1 min, Buy and Sell, 2 symbols',
  )
})

test('names at most ten symbols', () => {
  const symbols = Array.from({ length: 12 }, (_, at) => `S${at}`)
  expect(symbolsText(symbols.slice(0, 2))).toBe('S0, S1')
  expect(symbolsText(symbols)).toBe('S0, S1, S2, S3, S4, S5, S6, S7, S8, S9 and 2 more')
})

test('says what is staked', () => {
  expect(stakeText({ stakeBy: 'fixed', stake: '10', stake_percent: '2' })).toBe('$10.00 a trade')
  expect(stakeText({ stakeBy: 'percent', stake: '10', stake_percent: '2' })).toBe('2% of the balance, at most $10.00')
  expect(stakeText({ stakeBy: 'fixed', stake: '', stake_percent: '2' })).toBe('– a trade')
})

test('says when trading stops', () => {
  const form = {
    loss_a_day: '50',
    loss_in_all: '200',
    trades_a_day: '14',
    losses_in_row: '5',
    profit_a_day: '',
    profit_in_all: '',
  }
  expect(stopsText(form)).toBe('Losses of $50.00 a day or $200.00 in total, 14 trades a day, 5 losses in a row')
  expect(stopsText({ ...form, trades_a_day: '1', losses_in_row: '1' })).toMatch(/, 1 trade a day, 1 loss in a row$/)
  expect(stopsText({ ...form, losses_in_row: ' ', loss_a_day: 'x' })).toBe(
    'Losses of – a day or $200.00 in total, 14 trades a day',
  )
  expect(stopsText({ ...form, profit_a_day: '20', profit_in_all: '100' })).toBe(
    'Losses of $50.00 a day or $200.00 in total, profits of $20.00 a day or $100.00 in total, 14 trades a day, 5 losses in a row',
  )
  expect(stopsText({ ...form, profit_in_all: '100' })).toMatch(/, profits of \$100.00 in total, /)
})

test('says when trading pauses', () => {
  expect(pauseText({ pause_losses: '3', pause_minutes: '60' })).toBe('60 minutes after 3 losses in a row')
  expect(pauseText({ pause_losses: '1', pause_minutes: '' })).toBe('– minutes after 1 loss in a row')
  expect(pauseText({ pause_losses: '', pause_minutes: ' ' })).toBe('No pause')
})

test('says on which days and hours', () => {
  expect(timesText({ from_hour: '0', to_hour: '24', time_zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] })).toBe(
    'Every day, all day',
  )
  const form = { from_hour: '9', to_hour: '17', time_zone: 'Europe/Berlin' }
  expect(timesText({ ...form, days: [0, 1, 6] })).toBe('Mon, Sat, Sun, 09:00 to 17:00, Europe/Berlin')
  expect(timesText({ ...form, from_hour: '22', to_hour: '6', days: [5] })).toBe(
    'Fri, 22:00 to 06:00 the next day, Europe/Berlin',
  )
})

test('reads all settings back', () => {
  const form = toForm(DEFAULT_AUTOMATION as Parameters<typeof toForm>[0])
  const nameOf = (key: string) => (key === 'trend' ? 'Trend' : undefined)
  expect(readBack(form, nameOf)).toEqual([
    'Follows Trend, 1 min, Buy and Sell, all symbols, $10.00 a trade.',
    'Trades: Every day, all day. One trade at a time.',
    'Stops: Losses of $50.00 a day or $200.00 in total, 14 trades a day, 5 losses in a row.',
    'Pause: No pause.',
  ])
  const two = { ...form, strategies: [...form.strategies, anotherOf(form.strategies)] }
  expect(readBack(two, nameOf).slice(0, 3)).toEqual([
    'Follows 2 strategies:',
    'Trend, 1 min, Buy and Sell, all symbols, $10.00 a trade',
    'reversion, 1 min, Buy and Sell, all symbols, $10.00 a trade',
  ])
})
