import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { Instrument, PriceSource, TradingType } from '#contract/prices.ts'
import { useFrame } from '#web/api/index.ts'
import { Choices, cx, formatPrice, Modal, SourceBadge, signedAmount } from '#web/ui/index.ts'
import { changePercent } from '../ticket/order.ts'
import { takeFrame, useLivePrice } from './live-prices.ts'
import { baseName, notTradable, searchMarkets } from './markets.ts'
import styles from './symbol-search.module.css'

const ALL = ['*']
const EVERY_BASE = 'All'

interface SymbolSearchProps {
  open: boolean
  onClose: () => void
  instruments: readonly Instrument[]
  tradingType: TradingType
  onTradingType: (type: TradingType) => void
  symbol: string
  onSymbol: (symbol: string) => void
  source: PriceSource | undefined
}

/** The symbol search: type, choose a base, or move with the arrow keys; Enter selects. */
export default function SymbolSearch({ open, onClose, ...rest }: SymbolSearchProps) {
  return (
    <Modal open={open} onClose={onClose} title="Choose a symbol" sheet>
      <SearchList {...rest} onTaken={onClose} />
    </Modal>
  )
}

/** The dialog focuses the element with this attribute, so the search is ready for typing when it opens. */
const focusFirst = (input: HTMLInputElement | null): void => input?.setAttribute('autofocus', '')

const typesOf = [
  { value: 'Cryptocurrency', label: 'Cryptocurrency' },
  { value: 'Currencies', label: 'Currencies' },
] as const

function SearchList({
  instruments,
  tradingType,
  onTradingType,
  symbol,
  onSymbol,
  source,
  onTaken,
}: Omit<SymbolSearchProps, 'open' | 'onClose'> & { onTaken: () => void }) {
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const [base, setBase] = useState(EVERY_BASE)
  const [marked, setMarked] = useState(symbol)
  useFrame(ALL, takeFrame)

  const ofType = useMemo(
    () => instruments.filter((instrument) => instrument.trading_type === tradingType),
    [instruments, tradingType],
  )
  const bases = useMemo(() => [EVERY_BASE, ...new Set(ofType.map((one) => one.base))], [ofType])
  // What is typed is searched in both trading types; otherwise the list of the chosen one.
  const isTyped = typed.trim() !== ''
  const shown = isTyped
    ? searchMarkets(instruments, typed)
    : ofType.filter((one) => base === EVERY_BASE || one.base === base)
  const groups = isTyped ? new Map([['', shown]]) : Map.groupBy(shown, (one) => one.quote)
  const inOrder = [...groups.values()].flat()
  const choosable = inOrder.filter((one) => notTradable(one) === undefined)
  const current = choosable.find((one) => one.symbol === marked) ?? choosable[0]

  function take(instrument: Instrument | undefined) {
    if (!instrument || notTradable(instrument) !== undefined) return
    onSymbol(instrument.symbol)
    onTaken()
  }

  function onKeyDown(event: KeyboardEvent) {
    const at = current ? choosable.indexOf(current) : -1
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: choosable.length - 1 }[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      take(current)
    }
    if (to === undefined || ((event.key === 'Home' || event.key === 'End') && typed !== '')) return
    event.preventDefault()
    const next = choosable[(to + choosable.length) % choosable.length]
    if (!next) return
    setMarked(next.symbol)
    list.current?.querySelector(`[data-symbol="${next.symbol}"]`)?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <div className={styles.search}>
      <div className={styles.top}>
        <Choices label="Trading type" quiet value={tradingType} onChange={onTradingType} options={typesOf} />
        <label className={styles.field}>
          <Search aria-hidden />
          <span className="visually-hidden">Search a symbol</span>
          <input
            ref={focusFirst}
            type="text"
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-activedescendant={current ? `${listId}-${current.symbol}` : undefined}
            aria-autocomplete="list"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            placeholder="Search a name or code, such as bitcoin or xrp eur"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={onKeyDown}
          />
        </label>
        <Choices
          label="Base"
          quiet
          className={styles.bases}
          value={bases.includes(base) ? base : EVERY_BASE}
          onChange={setBase}
          options={bases.map((value) => ({ value, label: value }))}
        />
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={isTyped ? 'Symbols' : `Symbols, ${tradingType}`}
        className={styles.list}
      >
        {inOrder.length === 0 && (
          <p className={styles.none}>
            {instruments.length === 0
              ? 'Loading symbols…'
              : `We don't offer "${typed.trim()}". Try a coin or currency, such as bitcoin or EUR.`}
          </p>
        )}
        {[...groups].map(([quote, rows]) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by role
          <div key={quote} role="group" aria-label={quote === '' ? 'Best matches' : `Against ${quote}`}>
            <p className={styles.group} aria-hidden>
              {quote === '' ? 'Best matches' : `Against ${quote}`}
            </p>
            {rows.map((instrument) => (
              <Row
                key={instrument.symbol}
                id={`${listId}-${instrument.symbol}`}
                instrument={instrument}
                isMarked={instrument === current}
                isChosen={instrument.symbol === symbol}
                onTake={() => take(instrument)}
              />
            ))}
          </div>
        ))}
      </div>
      <div className={styles.foot}>
        <SourceBadge source={source} />
        <span>{shown.length} symbols</span>
      </div>
    </div>
  )
}

function Row({
  id,
  instrument,
  isMarked,
  isChosen,
  onTake,
}: {
  id: string
  instrument: Instrument
  isMarked: boolean
  isChosen: boolean
  onTake: () => void
}) {
  const price = useLivePrice(instrument.symbol)?.price ?? instrument.price
  const change = changePercent(price, instrument.price_before)
  const off = notTradable(instrument)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the combobox, which names the active option
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={off !== undefined}
      data-symbol={instrument.symbol}
      className={cx(styles.row, isMarked && styles.marked, off !== undefined && styles.off)}
      onClick={onTake}
    >
      <span className={styles.name}>
        {instrument.base}
        <span className={styles.quote}>{instrument.quote}</span>
        <span className={styles.coin}>{baseName(instrument)}</span>
      </span>
      {off !== undefined ? (
        <span className={styles.reason}>Not tradable: {off}</span>
      ) : (
        <>
          {instrument.status === 'stale' && <span className={styles.stale}>Stale</span>}
          {instrument.status === 'closed' && <span className={styles.stale}>Closed</span>}
          <span className={styles.price}>{formatPrice(price, instrument.scale)}</span>
          <span className={cx(styles.change, change !== undefined && (change < 0 ? styles.down : styles.up))}>
            {change === undefined ? '' : `${signedAmount(change)}%`}
          </span>
        </>
      )}
    </div>
  )
}
