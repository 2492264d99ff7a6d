import { ArrowDown, ArrowUp, Clock } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { TradeSide } from '#contract/trading/trading.ts'
import { Button, cx, dollarsOf, formatUsd, signedAmount } from '#web/ui/index.ts'
import { useWait } from '../waiting/wait.ts'
import { useOrder } from './draft-order.ts'
import { BreakEven } from './fields/break-even.tsx'
import { payoutOf } from './order.ts'
import styles from './order-buttons.module.css'
import { BothSentence, DAY_SECONDS, SideSentence, WaitSentence } from './order-sentence.tsx'
import type { OrderForm } from './use-order-form.ts'

interface OrderButtonsProps {
  form: OrderForm
  /** Nothing can be placed now; another element on the screen says why. */
  blocked: boolean
  /** Prices are old: no payout is promised. */
  isOld?: boolean
  /** The keys B and S place orders now; `armed` in the live account. */
  keys?: 'on' | 'armed' | undefined
  /** One sentence for both sides, and no break-even: for the phone's bar. */
  compact?: boolean
  /** Between the sentence and the buttons. */
  children?: ReactNode
}

const SIDES = ['Buy', 'Sell'] as const
/** From this stake on, US dollars, a sentence needs another line. */
const LONG_STAKE = 1_000

/**
 * What the order means, and the two buttons: an up arrow and Buy, a down arrow and Sell. Where there is room for one
 * sentence only, it's the one of the side under the pointer, thumb or focus.
 */
export function OrderButtons({ form, blocked, isOld, keys, compact, children }: OrderButtonsProps) {
  const [near, setSide] = useState<TradeSide>()
  const meant = useOrder((order) => order.meant)
  const side = near ?? meant
  const isLive = form.mode === 'real'
  const isWaiting = useWait(({ when }) => when !== 'now')
  const isLong = form.order.duration >= DAY_SECONDS || (dollarsOf(form.stake) ?? 0) >= LONG_STAKE
  return (
    <div
      className={cx(
        styles.orders,
        compact && styles.compact,
        isWaiting && styles.waiting,
        blocked && styles.blocked,
        (isLive || isLong) && styles.longer,
        isLive && isLong && styles.longest,
      )}
    >
      {!blocked && (
        <p className={styles.common}>
          {isWaiting ? (
            <WaitSentence form={form} />
          ) : side && form.isValid ? (
            <SideSentence form={form} side={side} />
          ) : (
            <BothSentence form={form} />
          )}
        </p>
      )}
      {children}
      <div className={styles.sides}>
        {SIDES.map((each) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: only emphasises the sentence of the side; the button acts
          <div
            key={each}
            className={cx(styles.side, each === side && styles.near, each === meant && styles.meant)}
            onPointerEnter={() => setSide(each)}
            onPointerLeave={() => setSide(undefined)}
            onFocus={() => setSide(each)}
            onBlur={() => setSide(undefined)}
          >
            {!blocked && !compact && !isWaiting && form.isValid && (
              <p className={styles.sentence}>
                <SideSentence form={form} side={each} />
              </p>
            )}
            <PlaceButton side={each} form={form} blocked={blocked} isOld={isOld} keys={keys} />
            {!blocked && !compact && <Facts side={each} form={form} />}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Under a button: the break-even rate, and what comes back after a win. */
function Facts({ side, form }: { side: TradeSide; form: OrderForm }) {
  const payout = payoutOf(form.order, side, dollarsOf(form.stake) ?? 0)
  return (
    <div className={styles.facts}>
      <BreakEven side={side} percent={payout.percent} stake={dollarsOf(form.stake) ?? 0} />
      <span className={styles.back}>pays {figures(payout.payout)}</span>
    </div>
  )
}

/** Formats an amount with separators; the unit is clear from the context. */
const figures = (amount: number): string => formatUsd(amount).replace('$', '')

/** Focuses the first field that needs fixing. */
const toFailingField = (): void => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()

interface PlaceButtonProps {
  side: TradeSide
  form: OrderForm
  blocked: boolean
  isOld: boolean | undefined
  keys: OrderButtonsProps['keys']
}

function PlaceButton({ side, form, blocked, isOld, keys }: PlaceButtonProps) {
  const isWaiting = useWait(({ when }) => when !== 'now')
  const Arrow = isWaiting ? Clock : side === 'Buy' ? ArrowUp : ArrowDown
  const isSending = form.sending === side
  const stake = dollarsOf(form.stake) ?? 0
  const { profit, percent } = payoutOf(form.order, side, stake)
  const key = side === 'Buy' ? 'B' : 'S'
  return (
    <Button
      look={side === 'Buy' ? 'buy' : 'sell'}
      className={cx(side === 'Buy' ? styles.buy : styles.sell, keys === 'armed' && styles.armed)}
      loading={isSending}
      disabled={blocked}
      aria-disabled={!form.isValid || form.sending !== undefined || undefined}
      aria-keyshortcuts={keys && key}
      onClick={() => (form.isValid ? form.place(side) : toFailingField())}
    >
      <Arrow aria-hidden />
      <span className={styles.name}>{isSending ? 'Placing…' : side}</span>
      <span className={styles.pays}>
        {isWaiting && <span className="visually-hidden"> {form.waits},</span>}
        <span className="visually-hidden"> pays </span>
        {isOld ? (
          '–'
        ) : (
          <>
            {signedAmount(profit)}
            <span className={styles.percent}> · {percent}%</span>
            {stake > 0 && <span className="visually-hidden"> for {formatUsd(stake)}</span>}
          </>
        )}
      </span>
      {keys && (
        <kbd className={styles.key} aria-hidden>
          {key}
        </kbd>
      )}
    </Button>
  )
}
