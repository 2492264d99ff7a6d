import { useQuery } from '@tanstack/react-query'
import { TRADE_SIDES, type TradeSide } from '#contract/terms.ts'
import type { StatisticsGroup } from '#contract/trading/trading.ts'
import { FEW_TRADES, queryOf, rateOf, timeZone, useDebounced } from '#web/api/index.ts'
import { formatPercent, Side } from '#web/ui/index.ts'
import { payoutOf } from './order.ts'
import styles from './order-record.module.css'
import type { OrderForm } from './use-order-form.ts'

/** The statistics take few reads a minute: none is made while the order is still being changed, ms. */
const QUIET_MS = 1_500

const percentText = (percent: number) => formatPercent(percent, 1, 1)

interface OrderRecordProps {
  form: OrderForm
  /** How many settled trades like this order the screen knows: with another one, the record is read again. */
  settled: number
}

/** How often the trader has won with this symbol, duration and odds so far, next to how often it takes to break even. */
export default function OrderRecord({ form: { mode, order }, settled }: OrderRecordProps) {
  const groups = useGroups(mode, order, settled)
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
      {TRADE_SIDES.map((side) => {
        const { percent, breakEvenPercent } = payoutOf(order, side, 0)
        const group = groups?.find(({ key }) => key === `${side} ${percent}`)
        return <SideRecord key={side} {...{ side, breakEvenPercent, group }} isRead={groups !== undefined} />
      })}
    </section>
  )
}

/** The results by side and odds: one read for both sides, whatever odds are chosen. */
function useGroups(mode: OrderForm['mode'], { symbol, duration }: OrderForm['order'], settled: number) {
  const query = { mode, symbol, duration: String(duration), zone: timeZone() }
  const of = JSON.stringify([query, settled])
  const isQuiet = useDebounced(of, QUIET_MS) === of
  const { queryKey, ...read } = queryOf('GET /trading/statistics', { query })
  return useQuery({ ...read, queryKey: [...queryKey, settled], enabled: isQuiet }).data?.data.by.offer
}

interface SideRecordProps {
  side: TradeSide
  breakEvenPercent: number
  /** Absent without a trade. */
  group: StatisticsGroup | undefined
  isRead: boolean
}

function SideRecord({ side, breakEvenPercent, group, isRead }: SideRecordProps) {
  const rate = group && rateOf(group)
  const decided = group ? group.won + group.lost : 0
  return (
    <p className={styles.side}>
      <Side side={side} />
      <span className={styles.rate}>{rate ? percentText(rate.rate) : '–'}</span>
      <span className={styles.range}>{isRead && rangeText(decided, rate)}</span>
      <span className={styles.even}>
        <span className="visually-hidden">break-even </span>
        {percentText(breakEvenPercent)}
      </span>
    </p>
  )
}

function rangeText(decided: number, rate: ReturnType<typeof rateOf>): string {
  if (rate === undefined) return 'no result yet'
  if (decided < FEW_TRADES) return `of ${decided}, too few to tell`
  return `${percentText(rate.low)} to ${percentText(rate.high)}`
}
