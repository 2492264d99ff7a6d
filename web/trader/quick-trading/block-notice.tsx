import { Ban, FlaskConical, Hourglass, Wallet, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { setMode } from '#web/api/index.ts'
import { Button, buttonClass, cx } from '#web/ui/index.ts'
import styles from './block-notice.module.css'
import type { OrderBlock } from './order-block.ts'
import { ResetDemo } from './reset-demo.tsx'

interface BlockNoticeProps {
  block: OrderBlock
  symbol: string
  /** Offers another symbol. Omitted if the symbol itself is in reach and space is tight. */
  onSearch?: () => void
  /** As short as possible, for the phone's bar. */
  compact?: boolean
}

/** Says why no order can be placed, and what to do next. */
export function BlockNotice({ block, symbol, onSearch, compact }: BlockNoticeProps) {
  const otherSymbol = onSearch && (
    <Button look="secondary" size="small" onClick={onSearch}>
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
        <Notice icon={<WifiOff />} title="No connection, orders wait">
          Open trades go on and settle by themselves.
        </Notice>
      )
    case 'stale':
      return (
        <Notice
          icon={<Hourglass />}
          title={`No fresh price of ${symbol}${block.seconds === undefined ? '' : ` for ${block.seconds} s`}`}
          actions={otherSymbol}
        >
          Orders open again with the next one.
        </Notice>
      )
    case 'unavailable':
      return (
        <Notice icon={<Ban />} title={`${symbol} cannot be traded now`} actions={otherSymbol}>
          {block.reason}
        </Notice>
      )
    case 'noRealTrades':
      return (
        <Notice icon={<FlaskConical />} title="Live trades wait for live prices" actions={toDemo}>
          Prices are {block.source === 'replay' ? 'replayed' : 'simulated'} at the moment, so no real money is traded on
          them.
        </Notice>
      )
    case 'empty':
      return block.mode === 'real' ? (
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
            ? 'Deposit to trade live, or try it with play money.'
            : 'Buy and Sell open once it has at least $1.00. Try it with play money first: the same prices, the same rules.'}
        </Notice>
      ) : (
        <Notice calm icon={<Wallet />} title="Your demo balance is used up" actions={<ResetDemo wide />}>
          Open trades still settle. Start over with $10,000.00 of play money whenever you like.
        </Notice>
      )
  }
}

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
