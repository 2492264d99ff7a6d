import { EVERY_DAY, isAlways, type PriceListRule } from '#contract/trading/offers.ts'
import { formatDuration } from '#web/ui/index.ts'

export const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const hour = (value: number) => `${String(value).padStart(2, '0')}:00`

/** Says where and when a rule applies: 'BTCUSDT · 1 min · Sat, Sun · 22:00–06:00 UTC'. */
export function ruleWords(rule: PriceListRule): string {
  const { symbols, group, durations, days, from_hour, to_hour } = rule
  return [
    group ?? (symbols.length > 0 ? symbols.join(', ') : 'All symbols'),
    durations.length > 0 ? durations.map(formatDuration).join(', ') : 'all durations',
    ...(isAlways(rule)
      ? ['always']
      : [
          days.length === EVERY_DAY.length ? 'every day' : days.map((day) => DAY_NAMES[day]).join(', '),
          `${hour(from_hour)}–${hour(to_hour)} UTC`,
        ]),
  ].join(' · ')
}
