import { dollars, type Usd } from '#kernel/money.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import { priceText, timeText } from '../alerts/index.ts'
import { modeOf } from '../ledger/index.ts'
import type { Instrument } from '../prices/index.ts'
import type { WaitingRow } from './store.ts'

/** `2026-01-31 14:30:00 UTC` */
const momentText = (time: Ms) => `${toIso(time).slice(0, 10)} ${timeText(time)}`

/** What an order waits for: `at or above 70,000.00`. */
function conditionText({ condition, level, at_ms }: WaitingRow, scale: number): string {
  if (condition === 'at_time') return `at ${momentText(Number(at_ms))}`
  return `${condition === 'at_or_above' ? 'at or above' : 'at or below'} ${priceText(level ?? 0n, scale)}`
}

const NAMES = { Traded: 'Order placed', Refused: 'Order not placed', Expired: 'Order expired' } as const

/** What the notification of an order's end says. */
export function newsOf(row: WaitingRow, { symbol, scale }: Instrument): { title: string; text: string } {
  const { side, stake, account_id, status, condition, trigger_price, trigger_ms, reason, valid_until_ms } = row
  const money = modeOf(account_id) === 'demo' ? ' of demo money' : ''
  const title = `${NAMES[status as keyof typeof NAMES]}: ${side} ${symbol} for ${dollars(stake as Usd)}${money}`
  const terms = conditionText(row, scale)
  if (status === 'Expired') {
    const until = `by ${momentText(Number(valid_until_ms))}`
    const text =
      condition === 'at_time'
        ? `${symbol} had no price within a minute of its time, ${terms.slice(3)}. No trade was placed.`
        : `${symbol} wasn't ${terms} ${until}. No trade was placed.`
    return { title, text }
  }
  const now = `${symbol} was at ${priceText(trigger_price ?? 0n, scale)} at ${timeText(Number(trigger_ms))}; the order waited for ${condition === 'at_time' ? terms.slice(3) : `a price ${terms}`}.`
  return { title, text: status === 'Refused' ? `No trade was placed: ${reason} ${now}` : now }
}
