import * as z from 'zod/mini'
import { oneOf, strikeChoice } from '#contract/fields.ts'
import { SIDES, SIGNAL_DURATIONS, STRATEGY_IDS } from '#contract/terms.ts'
import {
  type AutomationBody,
  type AutomationSettings,
  DEFAULT_FOLLOWED,
  type FollowedStrategy,
  PAUSE,
} from '#contract/trading/automatic.ts'
import { strategyKey } from '#contract/trading/signals.ts'
import { typedUsd } from '#web/ui/index.ts'

const wholeText = (min: number, max: number) =>
  z.string().check(
    z.trim(),
    z.refine((value) => /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    }),
  )

const isFilled = (text: string): boolean => text.trim() !== ''

interface Profits {
  profit_a_day: string
  profit_in_all: string
}
interface Pause {
  losses_in_row: string
  pause_losses: string
  pause_minutes: string
}
/** A field, and what is wrong with it. */
type Wrong = [path: string, message: string]

function wrongProfits({ profit_a_day, profit_in_all }: Profits): Wrong[] {
  const messageOf = (text: string) =>
    isFilled(text) ? typedUsd().safeParse(text).error?.issues[0]?.message : undefined
  const wrong = Object.entries({ profit_a_day, profit_in_all }).flatMap(([path, text]): Wrong[] => {
    const message = messageOf(text)
    return message === undefined ? [] : [[path, message]]
  })
  if (wrong.length > 0 || !isFilled(profit_a_day) || !isFilled(profit_in_all)) return wrong
  return (optionalUsd(profit_a_day) ?? 0) > (optionalUsd(profit_in_all) ?? 0)
    ? [['profit_in_all', 'must be at least the take-profit per day']]
    : []
}

function wrongPause({ losses_in_row, pause_losses, pause_minutes }: Pause): Wrong[] {
  if (!isFilled(pause_losses) && !isFilled(pause_minutes)) return []
  const wrong: Wrong[] = []
  if (!wholeText(1, PAUSE.losses).safeParse(pause_losses).success)
    wrong.push(['pause_losses', `must be a whole number from 1 to ${PAUSE.losses}`])
  else if (isFilled(losses_in_row) && Number(pause_losses) >= Number(losses_in_row))
    wrong.push(['pause_losses', 'must be fewer than the losses in a row that stop'])
  const { min, max } = PAUSE.minutes
  if (!wholeText(min, max).safeParse(pause_minutes).success)
    wrong.push(['pause_minutes', `must be a whole number from ${min} to ${max}`])
  return wrong
}

/** The rules of a followed strategy. */
const followedRules = z
  .object({
    strategy: strategyKey,
    duration: z.string(),
    sides: oneOf(SIDES),
    strike_rate: strikeChoice(),
    symbols: z.array(z.string()),
    stakeBy: z.enum(['fixed', 'percent']),
    stake: typedUsd(),
    stake_percent: z.string(),
  })
  .check(({ value, issues }) => {
    if (value.stakeBy === 'percent' && !wholeText(1, 100).safeParse(value.stake_percent).success)
      issues.push({
        ...{ code: 'custom', path: ['stake_percent'], input: value },
        message: 'must be a whole number from 1 to 100',
      })
  })
export type FollowedForm = z.infer<typeof followedRules>

/** The rules of the settings form, whose fields are text. The server checks again. */
export const settingsRules = z
  .object({
    strategies: z.array(followedRules),
    days: z.array(z.number()),
    from_hour: z.string(),
    to_hour: z.string(),
    loss_a_day: typedUsd(),
    loss_in_all: typedUsd(),
    trades_a_day: wholeText(1, 14),
    losses_in_row: z.string(),
    time_zone: z.string(),
    profit_a_day: z.string(),
    profit_in_all: z.string(),
    pause_losses: z.string(),
    pause_minutes: z.string(),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, input: value })
    for (const at of repeated(value.strategies))
      issues.push({
        ...{ code: 'custom', path: ['strategies', at, 'duration'], input: value },
        message: 'is followed with this strategy already',
      })
    if (isFilled(value.losses_in_row) && !wholeText(1, 50).safeParse(value.losses_in_row).success)
      refuse('losses_in_row', 'must be a whole number from 1 to 50')
    if (Number(value.to_hour) === Number(value.from_hour)) refuse('to_hour', 'must differ from the first hour')
    if (value.strategies.some(({ stake }) => Number(stake) > Number(value.loss_a_day)))
      refuse('loss_a_day', 'must be at least the stake')
    if (Number(value.loss_a_day) > Number(value.loss_in_all)) refuse('loss_in_all', 'must be at least the loss per day')
    for (const [path, message] of [...wrongProfits(value), ...wrongPause(value)]) refuse(path, message)
  })
export type SettingsForm = z.infer<typeof settingsRules>

/** Returns the places of strategies that an earlier place has with the same duration. */
function repeated(strategies: readonly Pick<FollowedForm, 'strategy' | 'duration'>[]): number[] {
  const keys = strategies.map(({ strategy, duration }) => `${strategy} ${duration}`)
  return keys.flatMap((key, at) => (keys.indexOf(key) < at ? [at] : []))
}

/** Returns the form of one more strategy: the default with a strategy, else a duration, that isn't followed yet. */
export function anotherOf(strategies: readonly Pick<FollowedForm, 'strategy' | 'duration'>[]): FollowedForm {
  const isFree = (strategy: string, duration: number) =>
    !strategies.some((one) => one.strategy === strategy && one.duration === String(duration))
  const free = SIGNAL_DURATIONS.flatMap((duration) => STRATEGY_IDS.map((strategy) => ({ strategy, duration }))).find(
    ({ strategy, duration }) => isFree(strategy, duration),
  )
  return followedForm({ ...DEFAULT_FOLLOWED, symbols: [], ...free })
}

const followedForm = (one: FollowedStrategy): FollowedForm => ({
  strategy: one.strategy,
  duration: String(one.duration),
  sides: one.sides,
  strike_rate: one.strike_rate,
  symbols: one.symbols,
  stakeBy: one.stake_percent === null ? 'fixed' : 'percent',
  stake: String(one.stake),
  stake_percent: String(one.stake_percent ?? 2),
})

const followedOf = (form: FollowedForm): AutomationBody['strategies'][number] => ({
  strategy: form.strategy,
  symbols: [...form.symbols],
  duration: Number(form.duration),
  sides: form.sides,
  strike_rate: form.strike_rate,
  stake: Number(form.stake),
  stake_percent: form.stakeBy === 'percent' ? Number(form.stake_percent) : null,
})

export function toForm(settings: AutomationSettings): SettingsForm {
  return {
    strategies: settings.strategies.map(followedForm),
    days: settings.days,
    from_hour: String(settings.from_hour),
    to_hour: String(settings.to_hour),
    loss_a_day: String(settings.loss_a_day),
    loss_in_all: String(settings.loss_in_all),
    trades_a_day: String(settings.trades_a_day),
    losses_in_row: textOf(settings.losses_in_row),
    time_zone: settings.time_zone,
    profit_a_day: textOf(settings.profit_a_day),
    profit_in_all: textOf(settings.profit_in_all),
    pause_losses: textOf(settings.pause_losses),
    pause_minutes: textOf(settings.pause_minutes),
  }
}

const textOf = (value: number | null): string => (value === null ? '' : String(value))
const numberOf = (text: string): number | null => (isFilled(text) ? Number(text) : null)
const optionalUsd = (text: string): number | null => (isFilled(text) ? Number(typedUsd().parse(text)) : null)

/** Returns the call's values. */
export function toSettings(form: SettingsForm): Omit<AutomationBody, 'mode'> {
  return {
    strategies: form.strategies.map(followedOf),
    days: [...form.days],
    from_hour: Number(form.from_hour),
    to_hour: Number(form.to_hour),
    loss_a_day: Number(form.loss_a_day),
    loss_in_all: Number(form.loss_in_all),
    trades_a_day: Number(form.trades_a_day),
    losses_in_row: numberOf(form.losses_in_row),
    time_zone: form.time_zone,
    profit_a_day: optionalUsd(form.profit_a_day),
    profit_in_all: optionalUsd(form.profit_in_all),
    pause_losses: numberOf(form.pause_losses),
    pause_minutes: numberOf(form.pause_minutes),
  }
}
