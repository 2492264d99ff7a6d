import { percentOf, type StrikeRate, TRADE_SIDES } from '#contract/terms.ts'
import { EVERY_DAY, isAlways, type PriceListDocument, type PriceListRule } from '#contract/trading/offers.ts'

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays']
const hour = (value: number) => `${String(value).padStart(2, '0')}:00`
const lengthOf = (seconds: number) =>
  seconds >= 86_400 ? '1 day' : seconds >= 3_600 ? `${seconds / 3_600} h` : `${seconds / 60} min`

/** Says where and when a rule applies: 'BTCUSDT, 1 min, on Saturdays, 22:00 to 06:00 UTC'. */
function ruleText(rule: PriceListRule): string {
  const { symbols, group, durations, days, from_hour, to_hour } = rule
  return [
    group ?? (symbols.length > 0 ? symbols.join(', ') : 'all symbols'),
    ...(durations.length > 0 ? [durations.map(lengthOf).join(', ')] : []),
    ...(isAlways(rule)
      ? []
      : [
          ...(days.length === EVERY_DAY.length ? [] : [`on ${days.map((day) => DAYS[day]).join(', ')}`]),
          `${hour(from_hour)} to ${hour(to_hour)} UTC`,
        ]),
  ].join(', ')
}

/** Says where and when a list applies; undefined for one that no rule names. */
export function whenText({ rules }: PriceListDocument, list: number): string | undefined {
  const texts = rules.flatMap((rule, at) => (rule.list === list ? [`${at + 1}. ${ruleText(rule)}`] : []))
  if (list === 1) return rules.length === 0 ? 'Everywhere, at all times' : [...texts, 'Everything else'].join(' · ')
  return texts.length > 0 ? texts.join(' · ') : undefined
}

/** The cells of a pair: what each side wins, and how often it must win. */
export const cellsOf = (pair: StrikeRate): string[] => [
  pair,
  ...TRADE_SIDES.map((side) => `${percentOf(pair, side)}%`),
  ...TRADE_SIDES.map((side) => `${(10_000 / (100 + percentOf(pair, side))).toFixed(1)}%`),
]
