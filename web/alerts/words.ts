import type { Alert, AlertIndicator } from '#contract/trading/alerts.ts'
import { indicatorOf } from '#kernel/indicators/list.ts'
import { formatPercent, formatPrice } from '#web/ui/index.ts'

export const MINUTES_WORDS: Record<number, string> = {
  5: '5 minutes',
  15: '15 minutes',
  60: '1 hour',
  240: '4 hours',
  1440: '24 hours',
}

/** `RSI(14)`, with the line's name if the indicator has several. */
function indicatorWords({ id, inputs, output }: AlertIndicator): string {
  const known = indicatorOf(id)
  if (!known) return id
  const line = known.outputs.length > 1 ? ` ${known.outputs.find(({ key }) => key === output)?.name ?? ''}` : ''
  return `${known.short}${inputs.length > 0 ? `(${inputs.join(', ')})` : ''}${line}`
}

const CROSSINGS: Record<Alert['direction'], string> = { up: 'rises to', down: 'falls to', either: 'crosses' }
const MOVES: Record<Alert['direction'], string> = { up: 'rises', down: 'falls', either: 'moves' }

/** What an alert is for, after its symbol: `rises to 70,000.00`. */
export function alertWords({ kind, direction, level, rises, percent = 0, minutes = 0, indicator }: Alert): string {
  if (kind === 'price') return `${rises ? 'rises' : 'falls'} to ${formatPrice(level)}`
  if (indicator)
    return `${indicatorWords(indicator)} on ${indicator.interval} ${CROSSINGS[direction]} ${indicator.level}`
  return `${MOVES[direction]} ${formatPercent(percent, 2)} in ${MINUTES_WORDS[minutes] ?? `${minutes} minutes`}`
}
