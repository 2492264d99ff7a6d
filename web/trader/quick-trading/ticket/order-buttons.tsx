import { ArrowDown, ArrowUp } from 'lucide-react'
import type { TradeSide } from '#contract/trading.ts'
import { Button, dollarsOf, formatPercent, formatUsd, signedAmount } from '#web/ui/index.ts'
import { payoutOf } from './order.ts'
import styles from './order-buttons.module.css'
import type { OrderForm } from './use-order-form.ts'

interface OrderButtonsProps {
  form: OrderForm
  /** Nothing can be placed now; another element on the screen says why. */
  blocked: boolean
  compact?: boolean
}

/** The payout of either side, and the two buttons: an up arrow and Buy, a down arrow and Sell. */
export function OrderButtons({ form, blocked, compact }: OrderButtonsProps) {
  const stake = dollarsOf(form.stake) ?? 0
  const buy = payoutOf(form.order.strike_rate, 'Buy', stake)
  const sell = payoutOf(form.order.strike_rate, 'Sell', stake)
  return (
    <div className={styles.orders}>
      {!compact && (
        <table className={styles.facts}>
          <caption className="visually-hidden">What the order pays</caption>
          <thead className="visually-hidden">
            <tr>
              <td />
              <th scope="col">Buy</th>
              <th scope="col">Sell</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td className={styles.buyFact}>{figures(buy.payout)}</td>
              <th scope="row">Payout if you win</th>
              <td className={styles.sellFact}>{figures(sell.payout)}</td>
            </tr>
            <tr>
              <td className={styles.buyFact}>{formatPercent(buy.breakEvenPercent)}</td>
              <th scope="row">
                <span title="Share of these trades you must win to lose nothing">Break-even rate</span>
              </th>
              <td className={styles.sellFact}>{formatPercent(sell.breakEvenPercent)}</td>
            </tr>
          </tbody>
        </table>
      )}
      <div className={styles.buttons}>
        <PlaceButton side="Buy" stake={stake} profit={buy.profit} percent={buy.percent} form={form} blocked={blocked} />
        <PlaceButton
          side="Sell"
          stake={stake}
          profit={sell.profit}
          percent={sell.percent}
          form={form}
          blocked={blocked}
        />
      </div>
    </div>
  )
}

/** Formats an amount with separators; the unit is clear from the context. */
const figures = (amount: number): string => formatUsd(amount).replace('$', '')

/** Focuses the first field that needs fixing. */
const toFailingField = (): void => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()

interface PlaceButtonProps {
  side: TradeSide
  /** What is staked, US dollars; 0 while it can't be read. */
  stake: number
  profit: number
  percent: number
  form: OrderForm
  blocked: boolean
}

function PlaceButton({ side, stake, profit, percent, form, blocked }: PlaceButtonProps) {
  const Arrow = side === 'Buy' ? ArrowUp : ArrowDown
  const isSending = form.sending === side
  return (
    <Button
      look={side === 'Buy' ? 'buy' : 'sell'}
      className={side === 'Buy' ? styles.buy : styles.sell}
      loading={isSending}
      disabled={blocked || form.sending !== undefined}
      aria-disabled={!form.isValid || undefined}
      aria-keyshortcuts={side === 'Buy' ? 'B' : 'S'}
      onClick={() => (form.isValid ? form.place(side) : toFailingField())}
    >
      <Arrow aria-hidden />
      <span className={styles.words}>
        <span className={styles.side}>{isSending ? 'Placing…' : side}</span>
        <span className={styles.pays}>
          <span className="visually-hidden">pays </span>
          {signedAmount(profit)}
          <span className={styles.percent}> · {percent}%</span>
        </span>
        {stake > 0 && !isSending && (
          <span className={styles.stake}>
            <span className="visually-hidden"> for </span>
            {formatUsd(stake)}
          </span>
        )}
      </span>
    </Button>
  )
}
