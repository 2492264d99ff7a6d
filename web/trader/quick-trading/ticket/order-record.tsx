import { useQuery } from '@tanstack/react-query'
import { TRADE_SIDES, type TradeSide } from '#contract/terms.ts'
import { FEW_TRADES, queryOf, rateOf, timeZone, useDebounced } from '#web/api/index.ts'
import { formatPercent, Side } from '#web/ui/index.ts'
import { payoutOf } from './order.ts'
import styles from './order-record.module.css'
import type { OrderForm } from './use-order-form.ts'

/** Nothing is read while the order is still being changed, ms. */
const QUIET_MS = 600

const percentText = (percent: number) => formatPercent(percent, 1, 1)

interface OrderRecordProps {
  form: OrderForm
  /** How many settled trades this screen knows: with another one, the record is read again. */
  settled: number
}

/** How often the trader has won with this symbol, duration and odds so far, next to how often it takes to break even. */
export default function OrderRecord(props: OrderRecordProps) {
  return (
    <section className={styles.record} aria-labelledby="order-record">
      <h3 className={styles.title} id="order-record">
        Your record with this order
      </h3>
      <p className={styles.heads} aria-hidden>
        <span />
        <span>won</span>
        <span>95% range</span>
        <span>break-even</span>
      </p>
      {TRADE_SIDES.map((side) => (
        <SideRecord key={side} side={side} {...props} />
      ))}
    </section>
  )
}

function SideRecord({ side, form: { mode, order }, settled }: OrderRecordProps & { side: TradeSide }) {
  const { percent, breakEvenPercent } = payoutOf(order, side, 0)
  const { symbol, duration } = order
  const query = {
    mode,
    symbol,
    trade_mode: side,
    percent: String(percent),
    duration: String(duration),
    zone: timeZone(),
  }
  const of = JSON.stringify([query, settled])
  const isQuiet = useDebounced(of, QUIET_MS) === of
  const { queryKey, ...read } = queryOf('GET /trading/statistics', { query })
  const { data } = useQuery({ ...read, queryKey: [...queryKey, settled], enabled: isQuiet })
  const rate = data && rateOf(data.data)
  const decided = data && data.data.won + data.data.lost
  return (
    <p className={styles.side}>
      <Side side={side} />
      <span className={styles.rate}>{rate ? percentText(rate.rate) : '–'}</span>
      <span className={styles.range}>
        {decided === 0
          ? 'no result yet'
          : rate &&
            decided !== undefined &&
            (decided < FEW_TRADES
              ? `of ${decided}, too few to tell`
              : `${percentText(rate.low)} to ${percentText(rate.high)}`)}
      </span>
      <span className={styles.even}>
        <span className="visually-hidden">break-even </span>
        {percentText(breakEvenPercent)}
      </span>
    </p>
  )
}
