import { Search, Star } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { Instrument, PriceSource, TradingType } from '#contract/prices/prices.ts'
import { takeFrame, useFrame, useLivePrice } from '#web/api/index.ts'
import { Choices, cx, formatPercentSigned, formatPrice, Modal, SourceBadge } from '#web/ui/index.ts'
import { changePercent } from '../ticket/order.ts'
import { baseName, groupsOf, type MarketTab, notTradable, pausedWord, searchMarkets, tabChoices } from './markets.ts'
import styles from './markets-sheet.module.css'
import { Sparkline, useSparklines } from './sparkline.tsx'
import starStyles from './star-button.module.css'
import { useFavourites } from './use-favourites.ts'

const ALL = ['*']
const EVERY_BASE = 'All'

interface MarketsSheetProps {
  /** The list that is open first; undefined while the sheet is closed. */
  tab: MarketTab | undefined
  onClose: () => void
  instruments: readonly Instrument[]
  tradingType: TradingType
  onTradingType: (type: TradingType) => void
  symbol: string
  onSymbol: (symbol: string) => void
  source: PriceSource | undefined
}

/** All markets: favourites, the most moved, all of a trading type; and one search over them. Enter opens the marked one. */
export default function MarketsSheet({ tab, onClose, ...rest }: MarketsSheetProps) {
  return (
    <Modal open={tab !== undefined} onClose={onClose} title="Markets" sheet>
      <MarketsList {...rest} first={tab} onTaken={onClose} />
    </Modal>
  )
}

/** The dialog focuses the element with this attribute, so the search is ready for typing when it opens. */
const focusFirst = (input: HTMLInputElement | null): void => input?.setAttribute('autofocus', '')

const typesOf = [
  { value: 'Cryptocurrency', label: 'Cryptocurrency' },
  { value: 'Currencies', label: 'Currencies' },
] as const

type MarketsListProps = Omit<MarketsSheetProps, 'tab' | 'onClose'> & {
  first: MarketTab | undefined
  onTaken: () => void
}

function MarketsList({ instruments, symbol, onSymbol, source, first, onTaken, ...type }: MarketsListProps) {
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [tab, setTab] = useState(first ?? 'favourites')
  useFrame(ALL, takeFrame)
  const { favourites, recents, toggle } = useFavourites()
  const ofType = useOfType(instruments, type.tradingType)
  const isTyped = typed.trim() !== ''
  const groups = isTyped
    ? [{ title: 'Best matches', rows: searchMarkets(instruments, typed) }]
    : tab === 'all'
      ? ofType.groups
      : groupsOf(tab, instruments, { favourites, recents })
  const inOrder = groups.flatMap(({ rows }) => rows)
  const take = (instrument: Instrument | undefined) => {
    if (!instrument || notTradable(instrument) !== undefined) return
    onSymbol(instrument.symbol)
    onTaken()
  }
  const lines = useSparklines()
  const { list, current, onKeyDown } = useMarked(inOrder, symbol, typed, take, toggle)

  return (
    <div className={styles.sheet}>
      <div className={styles.top}>
        <SearchField listId={listId} current={current} typed={typed} onTyped={setTyped} onKeyDown={onKeyDown} />
        {!isTyped && (
          <Choices label="Which markets" quiet value={tab} onChange={setTab} options={tabChoices(instruments)} />
        )}
        {!isTyped && tab === 'all' && <TypeChoices {...type} {...ofType} />}
      </div>
      <div ref={list} id={listId} role="listbox" aria-label="Markets" className={styles.list}>
        {inOrder.length === 0 && <p className={styles.none}>{noneText(instruments, typed)}</p>}
        {groups.map(({ title, rows }) => (
          <Group
            key={title}
            listId={listId}
            title={title}
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

type TypeChoicesProps = Pick<MarketsSheetProps, 'tradingType' | 'onTradingType'> & ReturnType<typeof useOfType>

/** The trading type, and what is bought: the lists of symbols by trading type. */
const TypeChoices = ({ tradingType, onTradingType, bases, base, setBase }: TypeChoicesProps) => (
  <>
    <Choices label="Trading type" quiet value={tradingType} onChange={onTradingType} options={typesOf} />
    <Choices
      label="Base"
      quiet
      className={styles.bases}
      value={base}
      onChange={setBase}
      options={bases.map((value) => ({ value, label: value }))}
    />
  </>
)

const noneText = (instruments: readonly Instrument[], typed: string): string =>
  instruments.length === 0
    ? 'Loading markets…'
    : `We don't offer "${typed.trim()}". Try a coin or currency, such as bitcoin or EUR.`

const Foot = ({ source, count }: { source: PriceSource | undefined; count: number }) => (
  <div className={styles.foot}>
    <SourceBadge source={source} />
    <span className={styles.keys}>
      <kbd>Alt</kbd> <kbd>S</kbd> adds to favourites
    </span>
    <span>{count} markets</span>
  </div>
)

/** The markets of a trading type, by what they are quoted in; all, or those of one base. */
function useOfType(instruments: readonly Instrument[], tradingType: TradingType) {
  const [chosen, setBase] = useState(EVERY_BASE)
  const ofType = useMemo(
    () => instruments.filter((instrument) => instrument.trading_type === tradingType),
    [instruments, tradingType],
  )
  const bases = useMemo(() => [EVERY_BASE, ...new Set(ofType.map((one) => one.base))], [ofType])
  const base = bases.includes(chosen) ? chosen : EVERY_BASE
  const byQuote = Map.groupBy(
    ofType.filter((one) => base === EVERY_BASE || one.base === base),
    (one) => one.quote,
  )
  return { bases, base, setBase, groups: [...byQuote].map(([quote, rows]) => ({ title: `Against ${quote}`, rows })) }
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
      <span className="visually-hidden">Search markets</span>
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
        placeholder="Search markets, such as bitcoin or xrp eur"
        value={typed}
        onChange={(event) => onTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  )
}

interface GroupProps {
  listId: string
  title: string
  rows: readonly Instrument[]
  current: Instrument | undefined
  symbol: string
  onTake: (instrument: Instrument) => void
  favourites: readonly string[]
  onToggle: (symbol: string) => void
  lines: Record<string, readonly number[]>
}

function Group({ listId, title, rows, current, symbol, onTake, favourites, onToggle, lines }: GroupProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by role
    <div role="group" aria-label={title}>
      <p className={styles.group} aria-hidden>
        {title}
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
  const paused = pausedWord(instrument)
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
          {paused && <span className={styles.paused}>{paused}</span>}
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
