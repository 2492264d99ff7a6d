import { ArrowDown, ArrowRight, ArrowUp, Ban, Bot, Check, Clock3, Equal, HandCoins, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import { Badge } from '../badge.tsx'
import { cx } from '../cx.ts'
import { formatUsdSigned } from '../format.ts'
import styles from './trade-parts.module.css'
import { type IfEndedNow, signedAmount, statusWord } from './trade-words.ts'

/** Buy or Sell, as text and arrow. */
export function Side({ side, quiet }: { side: TradeSide; quiet?: boolean }) {
  const Arrow = side === 'Buy' ? ArrowUp : ArrowDown
  return (
    <span className={cx(styles.side, side === 'Buy' ? styles.up : styles.down)}>
      <Arrow aria-hidden />
      <span className={cx(quiet && 'visually-hidden')}>{side}</span>
    </span>
  )
}

/** Marks a trade that followed a strategy's signal; nothing for a trade placed by hand. */
export function AutoBadge({ trade }: { trade: { signal?: string | undefined } }) {
  if (trade.signal === undefined) return null
  return (
    <Badge>
      <Bot aria-hidden />
      Auto
    </Badge>
  )
}

/** From one price to another. The arrow is drawn, since not every font has it. */
export function FromTo({ from, to }: { from: ReactNode; to: ReactNode }) {
  return (
    <span className={styles.fromTo}>
      {from}
      <ArrowRight aria-hidden />
      <span className="visually-hidden">to</span>
      {to}
    </span>
  )
}

const STATUS = {
  Pending: { icon: Clock3, tone: 'accent' },
  Won: { icon: Check, tone: 'up' },
  Lost: { icon: X, tone: 'down' },
  Draw: { icon: Equal, tone: 'neutral' },
  Void: { icon: Ban, tone: 'warn' },
  Sold: { icon: HandCoins, tone: 'neutral' },
} as const

/** A trade's status, with its icon. */
export function StatusBadge({ status }: { status: TradeStatus }) {
  const { icon: Icon, tone } = STATUS[status]
  return (
    <Badge tone={tone}>
      <Icon aria-hidden />
      {statusWord(status)}
    </Badge>
  )
}

/** A trade's profit with its sign; green or red is only an extra cue. */
export function Change({ amount, unit }: { amount: number | undefined; unit?: '$' }) {
  if (amount === undefined) return <span className={styles.none}>–</span>
  return (
    <span className={cx(styles.change, amount > 0 && styles.up, amount < 0 && styles.down)}>
      {unit ? formatUsdSigned(amount) : signedAmount(amount)}
    </span>
  )
}

const NOW_WORD = { won: 'Winning', lost: 'Losing', draw: 'Even' } as const

/** An open trade's standing: winning or losing, and the profit if it ended now. */
export function StandingNow({ now }: { now: IfEndedNow | undefined }) {
  if (!now) return <span className={styles.none}>Entering…</span>
  const Icon = now.standing === 'won' ? Check : now.standing === 'lost' ? X : Equal
  return (
    <span className={cx(styles.standing, styles[now.standing])}>
      <Icon aria-hidden />
      <span className={styles.word}>{NOW_WORD[now.standing]}</span>
      <span className={styles.change}>{signedAmount(now.change)}</span>
    </span>
  )
}
