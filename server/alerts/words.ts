import type { AlertIndicator, MOVE_MINUTES } from '#contract/trading/alerts.ts'
import { indicatorOf } from '#kernel/indicators/list.ts'
import { must } from '#kernel/must.ts'
import { formatPrice, price } from '#kernel/price.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import type { Fire } from './conditions/terms.ts'

/** `70,000.00` */
export function priceText(units: number | bigint, scale: number): string {
  const [whole = '', fraction] = formatPrice(price(BigInt(units)), scale).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

const MINUTES_TEXT: Record<(typeof MOVE_MINUTES)[number], string> = {
  5: '5 minutes',
  15: '15 minutes',
  60: '1 hour',
  240: '4 hours',
  1440: '24 hours',
}
const minutesText = (minutes: number) => MINUTES_TEXT[minutes as (typeof MOVE_MINUTES)[number]] ?? `${minutes} minutes`

/** `RSI(14)`, with the line's name if the indicator has several. */
function indicatorText({ id, inputs, output }: AlertIndicator): string {
  const { short, outputs } = must(indicatorOf(id))
  const line = outputs.length > 1 ? ` ${must(outputs.find(({ key }) => key === output)).name}` : ''
  return `${short}${inputs.length > 0 ? `(${inputs.join(', ')})` : ''}${line}`
}

/** `14:30:00 UTC` */
export const timeText = (time: Ms) => `${toIso(time).slice(11, 19)} UTC`
/** At most four decimals, as a trader types them. */
const short = (value: number) => String(Number(value.toFixed(4)))

/** What the notification of an alert says. */
export function newsOf({ alert, tick, value }: Fire, scale: number): { title: string; text: string } {
  const { symbol } = alert
  const now = `${symbol} was at ${priceText(tick.units, scale)} at ${timeText(tick.sourceMs)}.`
  if (alert.kind === 'price') {
    const level = priceText(alert.level, scale)
    return { title: `${symbol} ${alert.rises ? 'rose' : 'fell'} to ${level}`, text: now }
  }
  if (alert.kind === 'move') {
    const verb = { up: 'rose', down: 'fell', either: 'moved' }[alert.direction]
    const title = `${symbol} ${verb} ${alert.basisPoints / 100}% in ${minutesText(alert.minutes)}`
    return { title, text: now }
  }
  const { indicator } = alert
  const name = indicatorText(indicator)
  return {
    title: `${symbol}: ${name} crossed ${short(indicator.level)}`,
    text: `${name} was ${short(value ?? indicator.level)} at the close of the ${indicator.interval} candle. ${now}`,
  }
}
