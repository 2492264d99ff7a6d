import { PanelLeftClose } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import type { Instrument } from '#contract/prices/prices.ts'
import { takeFrame, useFrame, useLivePrice } from '#web/api/index.ts'
import {
  baseName,
  changePercent,
  groupsOf,
  type MarketTab,
  notTradable,
  pausedWord,
  Sparkline,
  StarButton,
  tabChoices,
  useFavourites,
  useSparklines,
} from '#web/markets/index.ts'
import { Button, Choices, cx, formatPercentSigned, formatPrice } from '#web/ui/index.ts'
import styles from './markets-panel.module.css'

const EVERY_SYMBOL = ['*']
const NAMED_BY_TAB = ['Favourites', 'All']

interface MarketsPanelProps {
  instruments: readonly Instrument[]
  symbol: string
  onSymbol: (symbol: string) => void
  onHide: () => void
}

/** The markets next to the chart: favourites, the most moved, all. Arrow keys move between markets and to their stars. */
export function MarketsPanel({ instruments, symbol, onSymbol, onHide }: MarketsPanelProps) {
  const [tab, setTab] = useState<MarketTab>('favourites')
  const { favourites, recents, toggle } = useFavourites()
  const lines = useSparklines()
  useFrame(EVERY_SYMBOL, takeFrame)
  const groups = groupsOf(tab, instruments, { favourites, recents })
  const rows = groups.flatMap((group) => group.rows)
  const stop = rows.some((one) => one.symbol === symbol) ? symbol : rows[0]?.symbol

  return (
    <section className={styles.panel} aria-label="Markets">
      <div className={styles.head}>
        <h2 className={styles.title}>Markets</h2>
        <Button look="quiet" size="small" icon aria-label="Hide markets" aria-keyshortcuts="M" onClick={onHide}>
          <PanelLeftClose aria-hidden />
        </Button>
      </div>
      <Choices
        label="Which markets"
        quiet
        className={styles.tabs}
        value={tab}
        onChange={setTab}
        options={tabChoices(instruments)}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside get the focus; these keys move it */}
      <div className={styles.scroll} onKeyDown={moveFocus}>
        {groups.map(({ title, rows }) => (
          <div key={title}>
            {!NAMED_BY_TAB.includes(title) && <h3 className={styles.group}>{title}</h3>}
            <ul className={styles.list}>
              {rows.map((one) => (
                <Row
                  key={one.symbol}
                  instrument={one}
                  line={lines[one.symbol]}
                  isShown={one.symbol === symbol}
                  isStop={one.symbol === stop}
                  isStarred={favourites.includes(one.symbol)}
                  onSymbol={onSymbol}
                  onToggle={toggle}
                />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  )
}

/** Moves the focus by arrow keys: between markets, and to their stars. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>) {
  const rows = [...event.currentTarget.querySelectorAll('li')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, ArrowLeft: at, ArrowRight: at }[
    event.key
  ]
  if (at < 0 || to === undefined) return
  event.preventDefault()
  const row = rows[Math.min(Math.max(to, 0), rows.length - 1)]
  // The star is on the left of its market.
  row?.querySelectorAll('button')[event.key === 'ArrowLeft' ? 0 : 1]?.focus()
}

interface RowProps {
  instrument: Instrument
  line: readonly number[] | undefined
  isShown: boolean
  isStop: boolean
  isStarred: boolean
  onSymbol: (symbol: string) => void
  onToggle: (symbol: string) => void
}

function Row({ instrument, line, isShown, isStop, isStarred, onSymbol, onToggle }: RowProps) {
  const { symbol, base, quote, scale, price_before } = instrument
  const price = useLivePrice(symbol)?.price ?? instrument.price
  const change = changePercent(price, price_before)
  const off = notTradable(instrument)
  return (
    <li className={cx(styles.row, isShown && styles.shown)}>
      <StarButton symbol={symbol} isOn={isStarred} onToggle={onToggle} tabIndex={-1} />
      <button
        type="button"
        className={styles.open}
        tabIndex={isStop ? 0 : -1}
        aria-current={isShown || undefined}
        disabled={off !== undefined}
        onClick={() => onSymbol(symbol)}
      >
        <span className={styles.names}>
          <span className={styles.code}>
            {base}
            <span className={styles.quote}>{quote}</span>
          </span>
          <span className={styles.name}>{off ?? pausedWord(instrument) ?? baseName(instrument)}</span>
        </span>
        <Sparkline line={off === undefined ? line : undefined} change={change} />
        {(off === undefined || price !== undefined) && (
          <span className={styles.figures}>
            <span>{formatPrice(price, scale)}</span>
            <span className={cx(styles.change, change !== undefined && (change < 0 ? styles.down : styles.up))}>
              {change === undefined ? '–' : formatPercentSigned(change)}
            </span>
          </span>
        )}
      </button>
    </li>
  )
}
