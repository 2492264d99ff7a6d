import type { TradeSide } from '#contract/trading/trading.ts'
import { must } from '#kernel/must.ts'
import { tapeNow, useTapeSecond } from '#web/api/index.ts'
import { dollarsOf, formatDate, formatTime, formatUsd } from '#web/ui/index.ts'
import { payoutOf } from './order.ts'
import styles from './order-buttons.module.css'
import type { OrderForm } from './use-order-form.ts'

/** From this duration on, a time needs its date. */
export const DAY_SECONDS = 86_400

/** When an order placed now would end; from one day on with its date. Updated each second. */
export function EndTime({ duration, before }: { duration: number; before?: string }) {
  useTapeSecond()
  const end = tapeNow() + duration * 1_000
  return (
    <>
      {before}
      {duration >= DAY_SECONDS && `${formatDate(end)} `}
      {formatTime(end)}
    </>
  )
}

/** What the order means for one side: 'You win $75.00 if …'. */
export function SideSentence({ form, side }: { form: OrderForm; side: TradeSide }) {
  const { order, stake } = form
  const { profit } = payoutOf(order, side, dollarsOf(stake) ?? 0)
  return (
    <>
      You win <b>{formatUsd(profit)}</b> if {order.symbol} is <b>{side === 'Buy' ? 'higher' : 'lower'}</b> at{' '}
      <b>
        <EndTime duration={order.duration} />
      </b>{' '}
      than the next price. You lose <b>{formatUsd(dollarsOf(stake) ?? 0)}</b> otherwise.
      <span className={styles.tie}> Equal: stake back.</span>
    </>
  )
}

/** What an order that waits means. */
export function WaitSentence({ form }: { form: OrderForm }) {
  const [wrong] = Object.values(form.waitProblems)
  if (form.waits === undefined) return wrong === undefined ? null : `What it waits for ${wrong}.`
  return (
    <>
      Placed once {form.order.symbol} is <b>{form.waits}</b>. <b>{formatUsd(dollarsOf(form.stake) ?? 0)}</b> is taken
      only then, and the trade starts at the next price.
    </>
  )
}

/** The same for both sides, where there is room for one sentence. */
export function BothSentence({ form }: { form: OrderForm }) {
  const { order, stake } = form
  if (!form.isValid) return 'Enter a valid amount to see what you win or lose.'
  const amount = dollarsOf(stake) ?? 0
  const [buy, sell] = (['Buy', 'Sell'] as const).map((side) => payoutOf(order, side, amount).profit)
  return (
    <>
      Higher at{' '}
      <b>
        <EndTime duration={order.duration} />
      </b>
      : you win <b>{formatUsd(must(buy))}</b>. Lower: <b>{formatUsd(must(sell))}</b>. You lose{' '}
      <b>{formatUsd(amount)}</b> otherwise.
    </>
  )
}
