import { Ban, FlaskConical, Hourglass, MoonStar, Wallet, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Mode } from '#contract/trading/trading.ts'
import { setMode, timeZone } from '#web/api/index.ts'
import { openSearch } from '#web/markets/index.ts'
import { Button, buttonClass, cx, formatTime } from '#web/ui/index.ts'
import { ResetDemo } from '../reset-demo.tsx'
import styles from './block-notice.module.css'
import type { OrderBlock } from './order-block.ts'

interface BlockNoticeProps {
  block: OrderBlock
  symbol: string
  /** As short as possible, for the phone's bar: it offers no other symbol, which is in reach there. */
  compact?: boolean
}

const OPEN_TRADES = 'Open trades settle if a price arrives in time. If not, your stake is returned.'

/** Says why no order can be placed, and what to do next. */
export function BlockNotice({ block, symbol, compact }: BlockNoticeProps) {
  const otherSymbol = !compact && (
    <Button look="secondary" size="small" onClick={() => openSearch('all')}>
      Choose another symbol
    </Button>
  )
  const toDemo = (
    <Button wide onClick={() => setMode('demo')}>
      Trade on demo
    </Button>
  )
  switch (block.is) {
    case 'offline':
      return (
        <Notice icon={<WifiOff />} title="No connection: orders are paused">
          Open trades keep running and settle as usual.
        </Notice>
      )
    case 'stale':
      return (
        <Notice
          icon={<Hourglass />}
          title={`No new price for ${symbol}${block.seconds === undefined ? '' : ` for ${block.seconds} s`}`}
          actions={otherSymbol}
        >
          You can trade again as soon as the next price arrives. {OPEN_TRADES}
        </Notice>
      )
    case 'closed':
      return (
        <Notice icon={<MoonStar />} title={`The market for ${symbol} is closed`} actions={otherSymbol}>
          {block.reopensMs === undefined
            ? 'It reopens after the weekend.'
            : `It reopens ${weekdayTime(block.reopensMs)}.`}{' '}
          {OPEN_TRADES}
        </Notice>
      )
    case 'unavailable':
      return (
        <Notice icon={<Ban />} title={`You can't trade ${symbol} right now`} actions={otherSymbol}>
          {block.reason} {OPEN_TRADES}
        </Notice>
      )
    case 'noRealTrades':
      return (
        <Notice icon={<FlaskConical />} title="Live trading is paused" actions={toDemo}>
          Prices are {block.source === 'replay' ? 'replayed' : 'simulated'} right now, so real money can't be traded on
          them.
        </Notice>
      )
    case 'demoOnly':
      return <DemoOnly symbol={symbol} reason={block.reason} toDemo={toDemo} otherSymbol={otherSymbol} />
    case 'empty':
      return <EmptyAccount mode={block.mode} toDemo={toDemo} compact={compact} />
  }
}

interface DemoOnlyProps {
  symbol: string
  reason: string
  toDemo: ReactNode
  otherSymbol: ReactNode
}

function DemoOnly({ symbol, reason, toDemo, otherSymbol }: DemoOnlyProps) {
  return (
    <Notice
      icon={<FlaskConical />}
      title={`No live trades on ${symbol}`}
      actions={
        <>
          {toDemo}
          {otherSymbol}
        </>
      }
    >
      {reason}
    </Notice>
  )
}

interface EmptyAccountProps {
  mode: Mode
  toDemo: ReactNode
  compact: boolean | undefined
}

function EmptyAccount({ mode, toDemo, compact }: EmptyAccountProps) {
  return mode === 'real' ? (
    <Notice
      calm
      icon={<Wallet />}
      title="Your live account is empty"
      actions={
        <>
          {toDemo}
          <Link className={buttonClass({ look: 'secondary', wide: true })} to="/user/deposit">
            Deposit fund
          </Link>
        </>
      }
    >
      {compact
        ? 'Deposit to trade live, or practice with demo money.'
        : 'Add at least $1.00 to trade. Or practice with demo money first: same prices, same rules.'}
    </Notice>
  ) : (
    <Notice calm icon={<Wallet />} title="Your demo balance is used up" actions={<ResetDemo wide />}>
      Open trades still settle. Reset your demo balance to $10,000.00 whenever you like.
    </Notice>
  )
}

/** `on Sunday at 23:00`, local. */
const weekdayTime = (time: number): string =>
  `on ${new Date(time).toLocaleDateString('en-US', { weekday: 'long', timeZone: timeZone() })} at ${formatTime(time).slice(0, 5)}`

function Notice({
  calm,
  icon,
  title,
  children,
  actions,
}: {
  /** Not an error, just the next step. */
  calm?: boolean
  icon: ReactNode
  title: string
  children: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className={cx(styles.notice, calm && styles.calm)} role="status">
      <span className={styles.icon} aria-hidden>
        {icon}
      </span>
      <div>
        <p className={styles.title}>{title}</p>
        <p className={styles.text}>{children}</p>
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
