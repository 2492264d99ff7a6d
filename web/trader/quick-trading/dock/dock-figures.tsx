import type { TradeResults } from '#contract/trading/trading.ts'
import {
  hitRateOf,
  isStopped,
  livePrice,
  type Trade,
  tapeNow,
  useStreamStatus,
  useTapeSecond,
  withoutSold,
} from '#web/api/index.ts'
import { cx, formatPercent, formatUsd, formatUsdSigned } from '#web/ui/index.ts'
import styles from './dock-figures.module.css'
import { sumsOf, type Tab } from './dock-trades.ts'

interface DockFiguresProps {
  tab: Tab
  trades: readonly Trade[]
  today: TradeResults | undefined
}

/** The figures next to the tabs. Who has no trades yet doesn't need them. */
export default function DockFigures({ tab, trades, today }: DockFiguresProps) {
  return tab === 'closed' ? <ClosedFigures today={today} /> : <OpenFigures trades={trades} />
}

/** What is at risk in open trades, and their result if they ended now. Counts once a second. */
function OpenFigures({ trades }: { trades: readonly Trade[] }) {
  useTapeSecond()
  const isDown = useStreamStatus() === 'down'
  const { count, atRisk, ifEndedNow } = sumsOf(trades, (symbol) => livePrice(symbol)?.price)
  if (count === 0) return null
  const isLast = trades.some(
    (trade) => trade.status === 'Pending' && isStopped(livePrice(trade.symbol), isDown, tapeNow()),
  )
  return (
    <p className={styles.figures}>
      <span>
        At risk <b>{formatUsd(atRisk)}</b>
      </span>
      <span>
        {isLast ? (
          'Last known'
        ) : (
          <>
            If <span className={styles.word}>they</span> ended now
          </>
        )}{' '}
        {ifEndedNow === undefined ? '–' : <Net amount={ifEndedNow} isQuiet={isLast} />}
      </span>
    </p>
  )
}

/** Won, lost, net, and the hit rate next to the one that breaks even. */
function ClosedFigures({ today }: { today: TradeResults | undefined }) {
  if (!today) return null
  const rate = hitRateOf(today)
  return (
    <p className={styles.figures}>
      <span>
        <b>{today.won}</b> won
      </span>
      <span>
        <b>{today.lost}</b> lost
      </span>
      {rate && (
        <span className={styles.spare}>
          <span className={styles.word}>Hit rate </span>
          <b>{formatPercent(rate.percent)}</b>
          {withoutSold(today)}, break-even {formatPercent(today.break_even ?? 0)}
        </span>
      )}
      <span>
        Net <Net amount={today.net} />
      </span>
    </p>
  )
}

function Net({ amount, isQuiet }: { amount: number; isQuiet?: boolean }) {
  return (
    <b className={cx(!isQuiet && amount > 0 && styles.up, !isQuiet && amount < 0 && styles.down)}>
      {formatUsdSigned(amount)}
    </b>
  )
}
