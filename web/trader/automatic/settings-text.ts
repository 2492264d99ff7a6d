import { first } from '#kernel/must.ts'
import { dollarsOf, formatDuration, formatUsd } from '#web/ui/index.ts'
import type { FollowedForm, SettingsForm } from './rules.ts'

export const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
/** Monday first. */
export const DAY_ORDER = [1, 2, 3, 4, 5, 6, 0] as const

export const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

/** Says which signals are followed: 'Trend, 1 min, Buy and Sell, all symbols'. */
export function followText(
  { strategy, duration, sides, symbols }: Pick<FollowedForm, 'strategy' | 'duration' | 'sides' | 'symbols'>,
  name: string | undefined,
): string {
  const which =
    symbols.length === 0 ? 'all symbols' : symbols.length === 1 ? first(symbols) : `${symbols.length} symbols`
  return [
    name ?? strategy,
    formatDuration(Number(duration)),
    sides === 'both' ? 'Buy and Sell' : `${sides} only`,
    which,
  ].join(', ')
}

/** Names the chosen symbols, at most ten. */
export function symbolsText(symbols: readonly string[]): string {
  const named = symbols.slice(0, 10).join(', ')
  return symbols.length <= 10 ? named : `${named} and ${symbols.length - 10} more`
}

/** Says what is staked: '2% of the balance, at most $10.00'. */
export const stakeText = ({
  stakeBy,
  stake,
  stake_percent,
}: Pick<FollowedForm, 'stakeBy' | 'stake' | 'stake_percent'>): string =>
  stakeBy === 'fixed' ? `${money(stake)} a trade` : `${stake_percent}% of the balance, at most ${money(stake)}`

/** Says when trading stops: '$50.00 a day, $200.00 in total, 14 trades a day, 5 losses in a row'. */
export function stopsText(
  form: Pick<
    SettingsForm,
    'loss_a_day' | 'loss_in_all' | 'profit_a_day' | 'profit_in_all' | 'trades_a_day' | 'losses_in_row'
  >,
) {
  const profits = [
    ...(isFilled(form.profit_a_day) ? [`${money(form.profit_a_day)} a day`] : []),
    ...(isFilled(form.profit_in_all) ? [`${money(form.profit_in_all)} in total`] : []),
  ]
  return [
    `Losses of ${money(form.loss_a_day)} a day or ${money(form.loss_in_all)} in total`,
    ...(profits.length > 0 ? [`profits of ${profits.join(' or ')}`] : []),
    count(form.trades_a_day, 'trade', 'trades a day'),
    ...(isFilled(form.losses_in_row) ? [count(form.losses_in_row, 'loss', 'losses in a row')] : []),
  ].join(', ')
}

/** Says when trading pauses: '60 minutes after 3 losses in a row'. */
export const pauseText = ({ pause_losses, pause_minutes }: Pick<SettingsForm, 'pause_losses' | 'pause_minutes'>) =>
  isFilled(pause_losses) || isFilled(pause_minutes)
    ? `${count(pause_minutes, 'minute', 'minutes')} after ${count(pause_losses, 'loss', 'losses in a row')}`
    : 'No pause'

/** Says when trades are placed: 'Mon, Tue, 22:00 to 06:00 the next day, Europe/Berlin'. */
export function timesText({
  days,
  from_hour,
  to_hour,
  time_zone,
}: Pick<SettingsForm, 'days' | 'from_hour' | 'to_hour' | 'time_zone'>) {
  const isEveryDay = days.length === 7
  const which = isEveryDay
    ? 'Every day'
    : DAY_ORDER.filter((day) => days.includes(day))
        .map((day) => DAYS[day])
        .join(', ')
  const [from, to] = [Number(from_hour), Number(to_hour)]
  const isAllDay = from === 0 && to === 24
  const hours = isAllDay ? 'all day' : `${hourText(from)} to ${hourText(to)}${to < from ? ' the next day' : ''}`
  return `${which}, ${hours}${isEveryDay && isAllDay ? '' : `, ${time_zone}`}`
}

/** Reads all settings back in sentences. `nameOf`: the name of a strategy, once it has loaded. */
export function readBack(form: SettingsForm, nameOf: (strategy: string) => string | undefined): string[] {
  const follows = form.strategies.map((one) => `${followText(one, nameOf(one.strategy))}, ${stakeText(one)}`)
  return [
    ...(follows.length === 1 ? [`Follows ${follows[0]}.`] : [`Follows ${follows.length} strategies:`, ...follows]),
    `Trades: ${timesText(form)}. One trade at a time.`,
    `Stops: ${stopsText(form)}.`,
    `Pause: ${pauseText(form)}.`,
  ]
}

/** An amount as it is in the form, finished or not. */
function money(text: string): string {
  const amount = dollarsOf(text)
  return amount === undefined ? '–' : formatUsd(amount)
}

const isFilled = (text: string): boolean => text.trim() !== ''

const count = (text: string, one: string, many: string): string =>
  `${text.trim() || '–'} ${text.trim() === '1' ? many.replace(/^\w+/, one) : many}`
