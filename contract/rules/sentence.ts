import { indicatorOf } from '#kernel/indicators/list.ts'
import type { Condition, Operand, RuleBody, Side, Times } from '../trading/own-strategies.ts'

/** What a rule is about, besides its conditions. */
interface RuleScope {
  /** Seconds. */
  duration: number
  symbols: readonly string[]
  zone: string
}

/**
 * Returns what a rule does, in plain English: 'Buys when RSI(14) crosses above 30 and the close is above EMA(50), on
 * 5-minute candles of BTCUSDT and ETHUSDT. Sells when …'.
 */
export function ruleSentence({ buy, sell }: RuleBody, { duration, symbols, zone }: RuleScope): string {
  const candles = `on ${lengthWords(duration)} candles of ${listed(symbols, 'and')}`
  const sides = [sideWords('Buys', buy, zone), sideWords('Sells', sell, zone)].filter((side) => side !== undefined)
  return sides.map((side, at) => (at === 0 ? `${side}, ${candles}.` : `${side}.`)).join(' ')
}

/** The same of a strategy whose signals come from outside. */
export const outsideSentence = ({ duration, symbols }: RuleScope): string =>
  `Buys and sells on signals from outside, for ${lengthWords(duration)} trades of ${listed(symbols, 'and')}.`

/** `5-minute` */
export const lengthWords = (seconds: number): string =>
  seconds % 3_600 === 0 ? `${seconds / 3_600}-hour` : `${seconds / 60}-minute`

function sideWords(verb: string, { join, conditions }: Side, zone: string): string | undefined {
  if (conditions.length === 0) return undefined
  if (join === 'any')
    return `${verb} when ${listed(
      conditions.map((one) => conditionWords(one, zone)),
      'or',
    )}`
  const looks = conditions.filter((one) => 'left' in one)
  const times = conditions.filter((one) => 'days' in one)
  const when =
    looks.length === 0
      ? 'at every close'
      : `when ${listed(
          looks.map((one) => conditionWords(one, zone)),
          'and',
        )}`
  return [`${verb} ${when}`, ...times.map((one) => timesWords(one, zone))].join(', ')
}

/** `RSI(14) crosses above 30` */
export function conditionWords(condition: Condition, zone: string): string {
  if ('days' in condition) return `it's ${timesWords(condition, zone)}`
  const verb = 'crosses' in condition ? `crosses ${condition.crosses}` : `is ${condition.is}`
  return `${operandWords(condition.left)} ${verb} ${operandWords(condition.right)}`
}

/** `the close`, `30`, `MACD(12, 26, 9) Signal 2 candles earlier` */
export function operandWords(operand: Operand): string {
  if ('number' in operand) return numberWords(operand.number)
  const what = 'price' in operand ? `the ${operand.price}` : indicatorWords(operand)
  const before = operand.before ?? 0
  return before === 0 ? what : `${what} ${before === 1 ? '1 candle' : `${before} candles`} earlier`
}

function indicatorWords({ indicator, inputs, output }: Extract<Operand, { indicator: string }>): string {
  const known = indicatorOf(indicator)
  const line = known && known.outputs.length > 1 ? known.outputs.find(({ key }) => key === output)?.name : undefined
  const name = `${known?.short ?? indicator}${inputs.length > 0 ? `(${inputs.join(', ')})` : ''}`
  return line === undefined ? name : `${name} ${line}`
}

/** `70,000.5` */
function numberWords(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const WEEK = [1, 2, 3, 4, 5, 6, 0]

/** `Monday to Friday from 08:00 to 20:00 (Europe/Berlin)` */
function timesWords({ from, to, days }: Times, zone: string): string {
  const until = to === '00:00' ? '24:00' : from < to ? to : `${to} the next day`
  const hours = from === '00:00' && to === '00:00' ? 'all day' : `from ${from} to ${until}`
  return `${daysWords(days)} ${hours} (${zone})`
}

function daysWords(days: readonly number[]): string {
  const runs: number[][] = []
  for (const [at, day] of WEEK.entries()) {
    if (!days.includes(day)) continue
    const run = runs.at(-1)
    if (run && at > 0 && run.at(-1) === WEEK[at - 1]) run.push(day)
    else runs.push([day])
  }
  if (runs[0]?.length === 7) return 'every day'
  const name = (day: number | undefined) => DAYS[day ?? 0] ?? ''
  return listed(
    runs.flatMap((run) => (run.length < 3 ? run.map(name) : [`${name(run[0])} to ${name(run.at(-1))}`])),
    'and',
  )
}

/** `A, B and C` */
function listed(words: readonly string[], join: 'and' | 'or'): string {
  const [last = '', ...rest] = words.toReversed()
  return rest.length === 0 ? last : `${rest.toReversed().join(', ')} ${join} ${last}`
}
