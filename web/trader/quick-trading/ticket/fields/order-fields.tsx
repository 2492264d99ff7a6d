import { ChevronDown, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { DURATIONS, percentOf, type StrikeRate, strikeRateFor, TRADE_SIDES, type TradeSide } from '#contract/terms.ts'
import { openSearch } from '#web/markets/index.ts'
import { Choices, errorText, formatDuration, formatTime } from '#web/ui/index.ts'
import { WhenFields } from '../../waiting/when-fields.tsx'
import { setOrder } from '../draft-order.ts'
import { EndTime } from '../order-sentence.tsx'
import type { OrderForm } from '../use-order-form.ts'
import styles from './order-fields.module.css'
import { StakeField } from './stake-field.tsx'
import { BestLabel, StrikeLabel } from './strike-label.tsx'

const DURATION_OPTIONS = DURATIONS.map((value) => ({
  value,
  label: formatDuration(value).replace(/ (.).*/, '$1'),
  name: longDuration(value),
}))
const paysOf = (side: TradeSide, pair: StrikeRate) => `${side} pays ${percentOf(pair, side)}%`
const bestOf = (offered: readonly StrikeRate[]) =>
  `Best for each side: ${TRADE_SIDES.map((side) => paysOf(side, strikeRateFor('best', side, offered))).join(', ')}`

function longDuration(seconds: number): string {
  if (seconds >= 86_400) return '1 day'
  return seconds >= 3_600
    ? `${seconds / 3_600} hour${seconds === 3_600 ? '' : 's'}`
    : `${seconds / 60} minute${seconds === 60 ? '' : 's'}`
}

interface OrderFieldsProps {
  form: OrderForm
  /** Nothing can be placed now: the notice that says why takes the room. */
  isBlocked: boolean
}

/** The fields of an order, from the market to the amount. */
export function OrderFields({ form, isBlocked }: OrderFieldsProps) {
  const { order, problems } = form
  const strikes = [
    { value: 'best' as const, label: <BestLabel offered={order.offered} />, name: bestOf(order.offered) },
    ...order.offered.map((value) => ({
      value,
      label: <StrikeLabel rate={value} order={order} />,
      name: TRADE_SIDES.map((side) => paysOf(side, value)).join(', '),
    })),
  ]
  return (
    <div className={styles.fields}>
      {!isBlocked && <WhenFields symbol={order.symbol} problems={form.waitProblems} />}
      <div className={styles.market}>
        <Opener id="order-type" label="Trading type" value={order.trading_type} />
        <Opener id="order-symbol" label="Symbol" value={order.symbol || 'Choose'} />
      </div>
      <Problem label="Symbol" message={problems.symbol} />
      <Noted note={form.waits === undefined && <EndTime duration={order.duration} before="ends " />}>
        <Choices
          label="Duration"
          className={styles.durations}
          value={order.duration}
          onChange={(duration) => setOrder({ duration })}
          options={DURATION_OPTIONS}
        />
        <Problem label="Duration" message={problems.duration} />
      </Noted>
      <Noted note={<OddsNote isBest={order.strike_rate === 'best'} changeMs={form.oddsChangeMs} />}>
        <Choices
          label="Strike rate: the odds"
          className={styles.strikes}
          value={order.strike_rate}
          onChange={(strike_rate) => setOrder({ strike_rate })}
          options={strikes}
        />
        {order.instead && (
          <p className={styles.instead} role="status">
            {order.instead.replace('/', ' / ')} isn't offered here now, so this order uses the best odds of each side.
          </p>
        )}
        <Problem label="Strike rate" message={problems.strike_rate} />
      </Noted>
      <StakeField
        value={form.stake}
        onChange={(stake) => setOrder({ stake })}
        max={form.max.stake}
        maxWords={form.maxWords}
        problem={problems.stake}
      />
    </div>
  )
}

/** How the odds apply, or until when these are offered. Leads to all that are offered, and is no stop on the way to Buy. */
function OddsNote({ isBest, changeMs }: { isBest: boolean; changeMs: number | undefined }) {
  const words = isBest ? 'best for each side' : 'one pair for both'
  return (
    <a className={styles.odds} href="/prices#odds" title="All odds on offer" tabIndex={-1}>
      {changeMs === undefined ? words : `offered until ${formatTime(changeMs).slice(0, 5)}`}
      <Info aria-hidden />
      <span className="visually-hidden">: all odds on offer</span>
    </a>
  )
}

/** A choice that is made in the list of all markets, by trading type. */
function Opener({ id, label, value }: { id: string; label: string; value: string }) {
  return (
    <div>
      <span className={styles.label} id={id}>
        {label}
      </span>
      <button
        type="button"
        className={styles.control}
        aria-haspopup="dialog"
        aria-labelledby={`${id} ${id}-value`}
        onClick={() => openSearch('all')}
      >
        <span id={`${id}-value`}>{value}</span>
        <ChevronDown aria-hidden />
      </button>
    </div>
  )
}

/** A group of choices with a note on the right of its label. */
function Noted({ note, children }: { note: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.noted}>
      {children}
      <span className={styles.note}>{note}</span>
    </div>
  )
}

function Problem({ label, message }: { label: string; message: string | undefined }) {
  return message ? (
    <p className={styles.problem} role="alert">
      {errorText(label, message)}
    </p>
  ) : null
}
