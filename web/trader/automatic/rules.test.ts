import { expect, test } from 'vitest'
import { AutomationBody, DEFAULT_AUTOMATION, DEFAULT_FOLLOWED } from '#contract/trading/automatic.ts'
import { anotherOf, settingsRules, toForm, toSettings } from './rules.ts'

const defaults = { ...DEFAULT_AUTOMATION } as Parameters<typeof toForm>[0]
const errorsOf = (change: Partial<ReturnType<typeof toForm>>) =>
  settingsRules.safeParse({ ...toForm(defaults), ...change }).error?.issues.map((issue) => issue.path.join('.')) ?? []

test('settings survive the form unchanged, and the call accepts them', () => {
  for (const settings of [
    defaults,
    {
      ...defaults,
      strategies: [
        { ...DEFAULT_FOLLOWED, stake_percent: 5, symbols: ['BTCUSDT'] },
        { ...DEFAULT_FOLLOWED, duration: 300 },
      ],
      losses_in_row: null,
      days: [1, 2],
      from_hour: 9,
      to_hour: 17,
      time_zone: 'Europe/Berlin',
    },
    { ...defaults, profit_a_day: 20.5, profit_in_all: 1_500, pause_losses: 3, pause_minutes: 60 },
  ]) {
    const form = settingsRules.parse(toForm(settings))
    const back = toSettings(form)
    expect(back).toEqual(settings)
    expect(AutomationBody.safeParse({ mode: 'demo', ...back }).success).toBe(true)
  }
})

/** Errors of the only strategy's fields. */
const errorsOfStrategy = (change: Partial<ReturnType<typeof anotherOf>>) => {
  const { strategies } = toForm(defaults)
  return errorsOf({ strategies: strategies.map((one) => ({ ...one, ...change })) })
}

test('no two strategies are alike, and one more is another one', () => {
  const { strategies } = toForm(defaults)
  expect(errorsOf({ strategies: [...strategies, ...strategies] })).toEqual(['strategies.1.duration'])
  let more = [...strategies]
  for (let count = 1; count < 24; count++) more = [...more, anotherOf(more)]
  expect(errorsOf({ strategies: more })).toEqual([])
  expect(more.slice(0, 5).map(({ strategy, duration }) => `${strategy} ${duration}`)).toEqual([
    ...['trend 60', 'reversion 60', 'breakout 60', 'coin-toss 60', 'trend 180'],
  ])
})

test('names the field that fails', () => {
  expect(errorsOf({})).toEqual([])
  expect(errorsOfStrategy({ stake: '0.5' })).toEqual(['strategies.0.stake'])
  expect(errorsOfStrategy({ stake: '51' })).toEqual(['loss_a_day'])
  expect(errorsOfStrategy({ stake: '9,50' })).toEqual([])
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
  expect(errorsOfStrategy({ stakeBy: 'percent', stake_percent: '101' })).toEqual(['strategies.0.stake_percent'])
})
