import * as z from 'zod/mini'
import { oneOf } from '#contract/fields.ts'
import { SIDES, type SIGNAL_DURATIONS, STRIKE_CHOICES } from '#contract/terms.ts'
import type { AutomationBody, AutomationSettings } from '#contract/trading/automatic.ts'
import { strategyKey } from '#contract/trading/signals.ts'
import { typedUsd } from '#web/ui/index.ts'

const wholeText = (min: number, max: number) =>
  z.string().check(
    z.trim(),
    z.refine((value) => /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    }),
  )

/** The rules of the settings form, whose fields are text. The server checks again. */
export const settingsRules = z
  .object({
    strategy: strategyKey,
    duration: z.string(),
    sides: oneOf(SIDES),
    strike_rate: oneOf(STRIKE_CHOICES),
    stakeBy: z.enum(['fixed', 'percent']),
    stake: typedUsd(),
    stake_percent: z.string(),
    from_hour: z.string(),
    to_hour: z.string(),
    loss_a_day: typedUsd(),
    loss_in_all: typedUsd(),
    trades_a_day: wholeText(1, 14),
    losses_in_row: z.string(),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, input: value })
    if (value.stakeBy === 'percent' && !wholeText(1, 100).safeParse(value.stake_percent).success)
      refuse('stake_percent', 'must be a whole number from 1 to 100')
    if (value.losses_in_row.trim() !== '' && !wholeText(1, 50).safeParse(value.losses_in_row).success)
      refuse('losses_in_row', 'must be a whole number from 1 to 50')
    if (Number(value.to_hour) <= Number(value.from_hour)) refuse('to_hour', 'must be later than the first hour')
    if (Number(value.stake) > Number(value.loss_a_day)) refuse('loss_a_day', 'must be at least the stake')
    if (Number(value.loss_a_day) > Number(value.loss_in_all)) refuse('loss_in_all', 'must be at least the loss per day')
  })
export type SettingsForm = z.infer<typeof settingsRules>

export function toForm(settings: AutomationSettings): SettingsForm {
  return {
    strategy: settings.strategy,
    duration: String(settings.duration),
    sides: settings.sides,
    strike_rate: settings.strike_rate,
    stakeBy: settings.stake_percent === null ? 'fixed' : 'percent',
    stake: String(settings.stake),
    stake_percent: String(settings.stake_percent ?? 2),
    from_hour: String(settings.from_hour),
    to_hour: String(settings.to_hour),
    loss_a_day: String(settings.loss_a_day),
    loss_in_all: String(settings.loss_in_all),
    trades_a_day: String(settings.trades_a_day),
    losses_in_row: settings.losses_in_row === null ? '' : String(settings.losses_in_row),
  }
}

/** Returns the call's values; symbols and days are chosen outside of the form's text fields. */
export function toSettings(
  form: SettingsForm,
  { symbols, days }: Pick<AutomationSettings, 'symbols' | 'days'>,
): Omit<AutomationBody, 'mode'> {
  return {
    strategy: form.strategy,
    symbols: [...symbols],
    duration: Number(form.duration) as (typeof SIGNAL_DURATIONS)[number],
    sides: form.sides,
    strike_rate: form.strike_rate,
    stake: Number(form.stake),
    stake_percent: form.stakeBy === 'percent' ? Number(form.stake_percent) : null,
    days: [...days],
    from_hour: Number(form.from_hour),
    to_hour: Number(form.to_hour),
    loss_a_day: Number(form.loss_a_day),
    loss_in_all: Number(form.loss_in_all),
    trades_a_day: Number(form.trades_a_day),
    losses_in_row: form.losses_in_row.trim() === '' ? null : Number(form.losses_in_row),
  }
}
