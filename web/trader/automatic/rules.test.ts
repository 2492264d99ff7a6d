import { expect, test } from 'vitest'
import { AutomationBody, DEFAULT_AUTOMATION } from '#contract/trading/automatic.ts'
import { settingsRules, toForm, toSettings } from './rules.ts'

const defaults = { ...DEFAULT_AUTOMATION } as Parameters<typeof toForm>[0]
const errorsOf = (change: Partial<ReturnType<typeof toForm>>) =>
  settingsRules.safeParse({ ...toForm(defaults), ...change }).error?.issues.map((issue) => issue.path.join('.')) ?? []

test('settings survive the form unchanged, and the call accepts them', () => {
  for (const settings of [
    defaults,
    {
      ...defaults,
      stake_percent: 5,
      losses_in_row: null,
      symbols: ['BTCUSDT'],
      days: [1, 2],
      from_hour: 9,
      to_hour: 17,
      time_zone: 'Europe/Berlin',
    },
    { ...defaults, profit_a_day: 20.5, profit_in_all: 1_500, pause_losses: 3, pause_minutes: 60 },
  ]) {
    const form = settingsRules.parse(toForm(settings))
    const back = toSettings(form, settings)
    expect(back).toEqual(settings)
    expect(AutomationBody.safeParse({ mode: 'demo', ...back }).success).toBe(true)
  }
})

test('names the field that fails', () => {
  expect(errorsOf({})).toEqual([])
  expect(errorsOf({ stake: '0.5' })).toEqual(['stake'])
  expect(errorsOf({ stake: '51' })).toEqual(['loss_a_day'])
  expect(errorsOf({ stake: '9,50' })).toEqual([])
  expect(errorsOf({ loss_in_all: '1,500' })).toEqual(['loss_in_all'])
  expect(errorsOf({ loss_a_day: '201' })).toEqual(['loss_in_all'])
  expect(errorsOf({ from_hour: '9', to_hour: '9' })).toEqual(['to_hour'])
  expect(errorsOf({ from_hour: '22', to_hour: '6' })).toEqual([])
  expect(errorsOf({ profit_a_day: '0.5', profit_in_all: 'x' })).toEqual(['profit_a_day', 'profit_in_all'])
  expect(errorsOf({ profit_a_day: '20', profit_in_all: '10' })).toEqual(['profit_in_all'])
  expect(errorsOf({ profit_a_day: '20', profit_in_all: '' })).toEqual([])
  expect(errorsOf({ pause_losses: '3', pause_minutes: '60' })).toEqual([])
  expect(errorsOf({ pause_losses: '3' })).toEqual(['pause_minutes'])
  expect(errorsOf({ pause_minutes: '4' })).toEqual(['pause_losses', 'pause_minutes'])
  expect(errorsOf({ pause_losses: '5', pause_minutes: '60' })).toEqual(['pause_losses'])
  expect(errorsOf({ trades_a_day: '15' })).toEqual(['trades_a_day'])
  expect(errorsOf({ losses_in_row: '0' })).toEqual(['losses_in_row'])
  expect(errorsOf({ stakeBy: 'percent', stake_percent: '101' })).toEqual(['stake_percent'])
})
