import { expect, test } from 'vitest'
import { lossButton, settingsButton } from './confirming-buttons.ts'

test('the button that proposes settings repeats every amount', () => {
  expect(settingsButton(['51.000,00'], 1)).toBe('Propose $51,000.00')
  expect(settingsButton(['51000', '20'], 2)).toBe('Propose these 2 changes: $51,000.00, $20.00')
  expect(settingsButton(['20'], 3)).toBe('Propose these 3 changes: $20.00')
  expect(settingsButton([], 1)).toBe('Propose this change')
  expect(settingsButton([], 2)).toBe('Propose these 2 changes')
})

test('the button that proposes a limit of loss repeats the share and the amount', () => {
  const text = (share: string, name: string, limit: string) => lossButton({ share, name, limit, reason: '' }, 25)
  expect(text('25', 'BTC', '9,50')).toBe('Propose the limit of loss $9.50')
  expect(text('25', 'BTC', '')).toBe('Propose the limit of loss: none')
  expect(text('30', 'BTC', '20')).toBe('Propose 30% and the limit of loss $20.00')
  expect(text('30', '', '')).toBe('Propose 30% of the equity')
  expect(text('3e1', '', '')).toBe('Propose a limit of loss')
  expect(text('25', 'BTC', '1,500')).toBe('Propose the limit of loss')
})
