import type { Trade } from '#web/client/index.ts'
import { endOf } from '#web/client/index.ts'
import { formatDate, formatExactTime, formatPrice } from '../format.ts'
import { Fact } from '../lists/facts.tsx'

interface Times extends Pick<Trade, 'status' | 'trade_time' | 'end_time'> {
  entry_price?: number | string | undefined
  entry_time?: string | undefined
  exit_price?: number | string | undefined
  exit_time?: string | undefined
}

const exactTime = (time: string): string => `${formatDate(time)} ${formatExactTime(time)}`

/**
 * When a trade was placed, entered and ended, and at which prices: the same words and formats wherever a trade is shown in
 * full. Times are the reader's, to the millisecond.
 */
export function TradeTimes({ trade, scale }: { trade: Times; scale: number | undefined }) {
  const { status, trade_time, entry_price, entry_time, exit_price, exit_time } = trade
  return (
    <>
      <Fact name="Placed">{exactTime(trade_time)}</Fact>
      <Fact name="Entry price">{formatPrice(entry_price, scale)}</Fact>
      {entry_time && <Fact name="Entry time">{exactTime(entry_time)}</Fact>}
      <Fact name={status === 'Pending' ? 'Ends' : status === 'Sold' ? 'Sold' : 'Ended'}>{exactTime(endOf(trade))}</Fact>
      <Fact name="Exit price">{formatPrice(exit_price, scale)}</Fact>
      {exit_time && status !== 'Sold' && <Fact name="Exit time">{exactTime(exit_time)}</Fact>}
    </>
  )
}
