import { ChevronRight, Repeat2 } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useState } from 'react'
import { first, must } from '#kernel/must.ts'
import type { Trade } from '#web/api/index.ts'
import { LiveStanding, SellButton, TimeLeft } from '#web/trades/index.ts'
import {
  AutoBadge,
  Button,
  Change,
  cx,
  formatDateTime,
  formatPrice,
  formatUsd,
  profitOf,
  Side,
  StatusBadge,
  useWidestLayout,
} from '#web/ui/index.ts'
import { useHighlightOn, useIsHighlit } from '../highlight.ts'
import type { TradesTab } from './dock-trades.ts'
import { Ended, NowOrExit, Result } from './live-cells.tsx'
import styles from './trade-list.module.css'

interface TradeListProps extends RowActions {
  tab: TradesTab
  rows: readonly Trade[]
  /** Returns the decimals of a symbol's prices. */
  scaleOf: (symbol: string) => number | undefined
  /** There is room for cards only. */
  asCards: boolean
  /** Below the last row. */
  children?: ReactNode
}

interface RowActions {
  onDetails: (tradeId: string) => void
  /** Moves the chart to the trade. */
  onShow: (trade: Trade) => void
  /** Fills the order with the trade's terms. */
  onRepeat: (trade: Trade) => void
}

const HEADS = {
  open: { now: 'Now', time: 'Time left', result: 'If it ended now' },
  closed: { now: 'Exit', time: 'Ended', result: 'Result' },
  all: { now: 'Now / exit', time: 'Time', result: 'Result' },
} as const

/**
 * How a table shows the entry and the price now or at the exit: each in a column if they fit, else one above the other, with
 * the amount below the trade's name.
 */
const TABLES = ['columns', 'stacked', 'none'] as const
type Prices = (typeof TABLES)[number]

/** The trades of a tab: a table with as many columns as fit, or cards. */
export default function TradeList({ tab, rows, scaleOf, asCards, children, ...actions }: TradeListProps) {
  const { box, layout } = useWidestLayout<HTMLDivElement>(TABLES.length + 1)
  const prices = asCards ? undefined : TABLES[layout]
  return (
    <div ref={box} className={styles.fit}>
      <div className={styles.scroll}>
        {prices ? (
          <Table heads={HEADS[tab]} prices={prices} rows={rows} scaleOf={scaleOf} {...actions} />
        ) : (
          <Cards rows={rows} scaleOf={scaleOf} onDetails={actions.onDetails} onRepeat={actions.onRepeat} />
        )}
        {children}
      </div>
    </div>
  )
}

interface TableProps extends Omit<TradeListProps, 'tab' | 'asCards' | 'children'> {
  heads: (typeof HEADS)[TradesTab]
  prices: Prices
}

/** One stop for the Tab key in each row's place: arrows move between rows, and between what a row offers. */
function Table({ heads, prices, rows, scaleOf, ...actions }: TableProps) {
  const [stopId, setStopId] = useState<string>()
  const stop = rows.find((trade) => trade.trade_id === stopId) ?? rows[0]
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{prices === 'stacked' ? 'Trade, amount' : 'Trade'}</th>
          {prices !== 'stacked' && (
            <th scope="col" className={styles.amount}>
              Amount
            </th>
          )}
          {prices === 'columns' && (
            <>
              <th scope="col" className={styles.amount}>
                Entry
              </th>
              <th scope="col" className={styles.amount}>
                {heads.now}
              </th>
            </>
          )}
          {prices === 'stacked' && (
            <th scope="col" className={styles.amount}>
              Entry, {heads.now.toLowerCase()}
            </th>
          )}
          <th scope="col">{heads.time}</th>
          <th scope="col">{heads.result}</th>
          <th scope="col" className={styles.end}>
            <span className="visually-hidden">Sell, repeat, details</span>
          </th>
        </tr>
      </thead>
      <tbody onKeyDown={moveFocus}>
        {rows.map((trade) => (
          <Row
            key={trade.trade_id}
            trade={trade}
            scale={scaleOf(trade.symbol)}
            prices={prices}
            isStop={trade === stop}
            onStop={setStopId}
            {...actions}
          />
        ))}
      </tbody>
    </table>
  )
}

function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const rows = [...event.currentTarget.rows]
  const row = rows.findIndex((one) => one.contains(document.activeElement))
  if (row < 0) return
  const buttonsOf = (index: number) => [...(rows[index]?.querySelectorAll<HTMLButtonElement>('button:enabled') ?? [])]
  const at = buttonsOf(row).indexOf(document.activeElement as HTMLButtonElement)
  const last = rows.length - 1
  const to = {
    ArrowDown: [Math.min(row + 1, last), at],
    ArrowUp: [Math.max(row - 1, 0), at],
    Home: [0, at],
    End: [last, at],
    ArrowRight: [row, at + 1],
    ArrowLeft: [row, at - 1],
  }[event.key]
  if (!to) return
  event.preventDefault()
  buttonsOf(first(to))[must(to[1])]?.focus()
}

interface RowProps extends RowActions {
  trade: Trade
  scale: number | undefined
  prices: Prices
  isStop: boolean
  onStop: (tradeId: string) => void
}

function Row({ trade, scale, prices, isStop, onStop, onDetails, onShow, onRepeat }: RowProps) {
  const { trade_id, status, side, symbol, stake, entry_price } = trade
  const isOpen = status === 'Pending'
  const isHighlit = useIsHighlit(trade_id)
  const highlights = useHighlightOn([trade_id])
  const tabIndex = isStop ? 0 : -1
  const onClick = (event: MouseEvent<HTMLElement>) => {
    if (!(event.target as Element).closest('button')) onShow(trade)
  }
  return (
    <tr
      className={cx(isOpen && styles.open, isHighlit && styles.highlit)}
      {...highlights}
      onFocus={() => {
        highlights.onFocus()
        onStop(trade_id)
      }}
      onClick={onClick}
    >
      <th scope="row">
        <button
          type="button"
          className={styles.name}
          tabIndex={tabIndex}
          onClick={() => onShow(trade)}
          title="Show on the chart"
        >
          <Side side={side} />
          <span>{symbol}</span>
          <AutoBadge trade={trade} />
        </button>
        {prices === 'stacked' && <span className={styles.below}>{formatUsd(stake)}</span>}
      </th>
      {prices !== 'stacked' && <td className={styles.amount}>{formatUsd(stake)}</td>}
      {prices === 'columns' && (
        <>
          <td className={styles.amount}>{formatPrice(entry_price, scale)}</td>
          <td className={styles.amount}>
            <NowOrExit trade={trade} scale={scale} />
          </td>
        </>
      )}
      {prices === 'stacked' && (
        <td className={cx(styles.amount, styles.stacked)}>
          <span>{formatPrice(entry_price, scale)}</span>
          <NowOrExit trade={trade} scale={scale} />
        </td>
      )}
      <td>{isOpen ? <TimeLeft trade={trade} /> : <Ended trade={trade} />}</td>
      <td>
        <Result trade={trade} />
      </td>
      <td className={styles.end}>
        <SellButton trade={trade} tabIndex={tabIndex} />
        <RepeatButton trade={trade} tabIndex={tabIndex} onRepeat={onRepeat} />
        <Button
          look="quiet"
          size="small"
          icon
          tabIndex={tabIndex}
          onClick={() => onDetails(trade_id)}
          aria-label={`Details of ${side} ${symbol}, ${formatDateTime(trade.trade_time)}`}
        >
          <ChevronRight aria-hidden />
        </Button>
      </td>
    </tr>
  )
}

function RepeatButton({
  trade,
  tabIndex,
  onRepeat,
}: {
  trade: Trade
  tabIndex?: number
  onRepeat: (trade: Trade) => void
}) {
  return (
    <Button
      look="quiet"
      size="small"
      icon
      tabIndex={tabIndex}
      onClick={() => onRepeat(trade)}
      title="Repeat: fills the order"
      aria-label={`Repeat ${trade.side} ${trade.symbol} for ${formatUsd(trade.stake)}`}
    >
      <Repeat2 aria-hidden />
    </Button>
  )
}

interface CardsProps extends Pick<TradeListProps, 'rows' | 'scaleOf' | 'onDetails'> {
  onRepeat?: (trade: Trade) => void
}

/** Trades as cards of two lines; a tap opens the details. */
export function Cards({ rows, scaleOf, ...actions }: CardsProps) {
  return (
    <ul className={styles.cards}>
      {rows.map((trade) => (
        <Card key={trade.trade_id} trade={trade} scale={scaleOf(trade.symbol)} {...actions} />
      ))}
    </ul>
  )
}

interface CardProps extends Pick<CardsProps, 'onDetails' | 'onRepeat'> {
  trade: Trade
  scale: number | undefined
}

/** Every card has the same number of lines, so that all have the same height. */
function Card({ trade, scale, onDetails, onRepeat }: CardProps) {
  const isOpen = trade.status === 'Pending'
  const isHighlit = useIsHighlit(trade.trade_id)
  const highlights = useHighlightOn([trade.trade_id])
  return (
    <li className={cx(styles.card, isOpen && styles.open, isHighlit && styles.highlit)} {...highlights}>
      <button type="button" className={styles.main} onClick={() => onDetails(trade.trade_id)}>
        <span className={styles.line}>
          <span className={styles.cardName}>
            <Side side={trade.side} /> {trade.symbol} <AutoBadge trade={trade} />
          </span>
          {isOpen ? <LiveStanding trade={trade} /> : <Change amount={profitOf(trade)} />}
        </span>
        <span className={styles.line}>
          <span className={styles.quiet}>
            {formatUsd(trade.stake)} from {formatPrice(trade.entry_price, scale)}
          </span>
          {isOpen ? <TimeLeft trade={trade} isShort /> : <StatusBadge status={trade.status} />}
        </span>
        <span className="visually-hidden">Details</span>
      </button>
      <SellButton trade={trade} />
      {onRepeat && <RepeatButton trade={trade} onRepeat={onRepeat} />}
    </li>
  )
}
