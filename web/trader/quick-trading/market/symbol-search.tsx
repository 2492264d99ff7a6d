import { Search, Star } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { Instrument, PriceSource, TradingType } from '#contract/prices/prices.ts'
import { takeFrame, useFrame, useLivePrice } from '#web/api/index.ts'
import { Choices, cx, formatPercentSigned, formatPrice, Modal, SourceBadge } from '#web/ui/index.ts'
import { changePercent } from '../ticket/order.ts'
import { baseName, notTradable, searchMarkets } from './markets.ts'
import { Sparkline, useSparklines } from './sparkline.tsx'
import starStyles from './star-button.module.css'
import styles from './symbol-search.module.css'
import { useFavourites } from './use-favourites.ts'

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

type SearchListProps = Omit<SymbolSearchProps, 'open' | 'onClose'> & { onTaken: () => void }

function SearchList({ instruments, tradingType, onTradingType, symbol, onSymbol, source, onTaken }: SearchListProps) {
  const listId = useId()
  const [typed, setTyped] = useState('')
  useFrame(ALL, takeFrame)
  const found = useFound(instruments, tradingType, typed)
  const { isTyped, bases, base, setBase, inOrder } = found
  const take = (instrument: Instrument | undefined) => {
    if (!instrument || notTradable(instrument) !== undefined) return
    onSymbol(instrument.symbol)
    onTaken()
  }
  const { favourites, toggle } = useFavourites()
  const lines = useSparklines()
  const { list, current, onKeyDown } = useMarked(inOrder, symbol, typed, take, toggle)

  return (
    <div className={styles.search}>
      <div className={styles.top}>
        <Choices label="Trading type" quiet value={tradingType} onChange={onTradingType} options={typesOf} />
        <SearchField listId={listId} current={current} typed={typed} onTyped={setTyped} onKeyDown={onKeyDown} />
        <Choices
          label="Base"
          quiet
          className={styles.bases}
          value={base}
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
        {inOrder.length === 0 && <p className={styles.none}>{noneText(instruments, typed)}</p>}
        {[...found.groups].map(([quote, rows]) => (
          <Group
            key={quote}
            listId={listId}
            quote={quote}
            rows={rows}
            current={current}
            symbol={symbol}
            onTake={take}
            favourites={favourites}
            onToggle={toggle}
            lines={lines}
          />
        ))}
      </div>
      <Foot source={source} count={inOrder.length} />
    </div>
  )
}

const noneText = (instruments: readonly Instrument[], typed: string): string =>
  instruments.length === 0
    ? 'Loading symbols…'
    : `We don't offer "${typed.trim()}". Try a coin or currency, such as bitcoin or EUR.`

const Foot = ({ source, count }: { source: PriceSource | undefined; count: number }) => (
  <div className={styles.foot}>
    <SourceBadge source={source} />
    <span className={styles.keys}>
      <kbd>Alt</kbd> <kbd>S</kbd> adds to favourites
    </span>
    <span>{count} symbols</span>
  </div>
)

/** The markets to show, by group: what is typed is searched in both trading types; otherwise those of the chosen one. */
function useFound(instruments: readonly Instrument[], tradingType: TradingType, typed: string) {
  const [base, setBase] = useState(EVERY_BASE)
  const ofType = useMemo(
    () => instruments.filter((instrument) => instrument.trading_type === tradingType),
    [instruments, tradingType],
  )
  const bases = useMemo(() => [EVERY_BASE, ...new Set(ofType.map((one) => one.base))], [ofType])
  const isTyped = typed.trim() !== ''
  const groups = isTyped
    ? new Map([['', searchMarkets(instruments, typed)]])
    : Map.groupBy(
        ofType.filter((one) => base === EVERY_BASE || one.base === base),
        (one) => one.quote,
      )
  return {
    isTyped,
    bases,
    base: bases.includes(base) ? base : EVERY_BASE,
    setBase,
    groups,
    inOrder: [...groups.values()].flat(),
  }
}

/** The option that the arrow keys have reached, and the keys themselves. */
function useMarked(
  inOrder: readonly Instrument[],
  symbol: string,
  typed: string,
  take: (instrument: Instrument | undefined) => void,
  star: (symbol: string) => void,
) {
  const list = useRef<HTMLDivElement>(null)
  const [marked, setMarked] = useState(symbol)
  const choosable = inOrder.filter((one) => notTradable(one) === undefined)
  const current = choosable.find((one) => one.symbol === marked) ?? choosable[0]

  function onKeyDown(event: KeyboardEvent) {
    const at = current ? choosable.indexOf(current) : -1
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: choosable.length - 1 }[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      take(current)
    }
    // By its place on the keyboard: with Alt, some systems type another character.
    if (event.altKey && event.code === 'KeyS' && current) {
      event.preventDefault()
      star(current.symbol)
    }
    if (to === undefined || ((event.key === 'Home' || event.key === 'End') && typed !== '')) return
    event.preventDefault()
    const next = choosable[(to + choosable.length) % choosable.length]
    if (!next) return
    setMarked(next.symbol)
    list.current?.querySelector(`[data-symbol="${next.symbol}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  return { list, current, onKeyDown }
}

interface SearchFieldProps {
  listId: string
  current: Instrument | undefined
  typed: string
  onTyped: (typed: string) => void
  onKeyDown: (event: KeyboardEvent) => void
}

function SearchField({ listId, current, typed, onTyped, onKeyDown }: SearchFieldProps) {
  return (
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
        onChange={(event) => onTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  )
}

interface GroupProps {
  listId: string
  /** What the symbols are quoted in; empty for those that match what is typed. */
  quote: string
  rows: readonly Instrument[]
  current: Instrument | undefined
  symbol: string
  onTake: (instrument: Instrument) => void
  favourites: readonly string[]
  onToggle: (symbol: string) => void
  lines: Record<string, readonly number[]>
}

function Group({ listId, quote, rows, current, symbol, onTake, favourites, onToggle, lines }: GroupProps) {
  const name = quote === '' ? 'Best matches' : `Against ${quote}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by role
    <div role="group" aria-label={name}>
      <p className={styles.group} aria-hidden>
        {name}
      </p>
      {rows.map((instrument) => (
        <Row
          key={instrument.symbol}
          id={`${listId}-${instrument.symbol}`}
          instrument={instrument}
          isMarked={instrument === current}
          isChosen={instrument.symbol === symbol}
          onTake={() => onTake(instrument)}
          isStarred={favourites.includes(instrument.symbol)}
          onToggle={() => onToggle(instrument.symbol)}
          line={lines[instrument.symbol]}
        />
      ))}
    </div>
  )
}

interface RowProps {
  id: string
  instrument: Instrument
  isMarked: boolean
  isChosen: boolean
  onTake: () => void
  isStarred: boolean
  onToggle: () => void
  line: readonly number[] | undefined
}

function Row({ id, instrument, isMarked, isChosen, onTake, isStarred, onToggle, line }: RowProps) {
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
      <OptionStar isOn={isStarred} onToggle={onToggle} />
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
          <Sparkline line={line} change={change} />
          <span className={styles.figures}>
            {formatPrice(price, instrument.scale)}
            <span className={cx(styles.change, change !== undefined && (change < 0 ? styles.down : styles.up))}>
              {change === undefined ? '' : formatPercentSigned(change)}
            </span>
          </span>
        </>
      )}
    </div>
  )
}

/** A star inside an option, which can't hold a button: for the pointer; the keys are in the field above. */
const OptionStar = ({ isOn, onToggle }: { isOn: boolean; onToggle: () => void }) => (
  <>
    {/* biome-ignore lint/a11y/useKeyWithClickEvents: Alt+S in the combobox does the same */}
    {/* biome-ignore lint/a11y/noStaticElementInteractions: the option is named by its text, which says if it's a favourite */}
    <span
      className={cx(starStyles.star, isOn && starStyles.on)}
      title={isOn ? 'Remove from favourites' : 'Add to favourites'}
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
    >
      <Star aria-hidden />
    </span>
    {isOn && <span className="visually-hidden">Favourite</span>}
  </>
)
