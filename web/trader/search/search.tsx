import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, Search as Lens, X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Instrument, PriceSource } from '#contract/prices/prices.ts'
import { historyOf, queryOf, takeFrame, useFrame, useScreenChoices } from '#web/api/index.ts'
import {
  closeSearch,
  type MarketTab,
  symbolFor,
  tabChoices,
  useFavourites,
  useOpenSearch,
  useSparklines,
} from '#web/markets/index.ts'
import { Button, Choices, DEFAULT_SYMBOL, Modal, SourceBadge } from '#web/ui/index.ts'
import type { SearchPage } from './find-pages.ts'
import { OptionRow } from './option-row.tsx'
import { useRecentSearches } from './recent-searches.ts'
import styles from './search.module.css'
import { EVERY_KIND, type Kind, type Option, type Section, useFound, useMarketLists } from './use-found.ts'
import { useMarked } from './use-marked.ts'

const EVERY_SYMBOL = ['*']
const NONE: readonly Instrument[] = []
const HOME = '/user/home'
const TYPES = [
  { value: 'Cryptocurrency', label: 'Cryptocurrency' },
  { value: 'Currencies', label: 'Currencies' },
] as const

/** The search over markets, own trades and pages. With nothing typed, it has the lists of markets. */
export function Search({ pages }: { pages: readonly SearchPage[] }) {
  const { tab, times } = useOpenSearch()
  return (
    <Modal open={tab !== undefined} onClose={closeSearch} title="Search" hasOwnHead wide sheet>
      {/* Opened again while it still fades, it begins empty. */}
      <SearchContent key={times} pages={pages} first={tab ?? 'favourites'} />
    </Modal>
  )
}

function SearchContent({ pages, first }: { pages: readonly SearchPage[]; first: MarketTab }) {
  const listId = useId()
  const [text, setText] = useState('')
  const [kind, setKind] = useState<Kind>(EVERY_KIND)
  const typed = text.trim()
  const market = useQuery(queryOf('GET /prices/instruments')).data
  const instruments = market?.data ?? NONE
  const symbol = useScreenChoices()?.symbol ?? DEFAULT_SYMBOL
  useFrame(EVERY_SYMBOL, takeFrame)
  const { toggle } = useFavourites()
  const { recent, note } = useRecentSearches()
  const open = useOpen()
  const lists = useMarketLists(instruments, first, symbol)
  const found = useFound(instruments, pages, typed, kind)
  const sections = typed === '' ? withRecent(recent, lists) : found.sections
  const options = sections.flatMap((section) => section.options)
  const take = (option: Option) => {
    if (option.off !== undefined) return
    if (option.is === 'search') return setText(option.text)
    note(typed)
    closeSearch()
    open(option)
  }
  const { list, current, onKeyDown } = useMarked(options, typed === '' ? symbol : '', { typed, take, star: toggle })

  return (
    <div className={styles.search}>
      <SearchField listId={listId} current={current} text={text} onText={setText} onKeyDown={onKeyDown} />
      <div className={styles.filters}>
        {typed !== '' ? (
          <Choices label="What to search" quiet value={kind} onChange={setKind} options={found.kinds} />
        ) : (
          <ListChoices {...lists} instruments={instruments} symbol={symbol} />
        )}
      </div>
      <div ref={list} id={listId} role="listbox" aria-label="Results" className={styles.list}>
        {options.length === 0 && <p className={styles.none}>{noneText(instruments, typed)}</p>}
        {sections.map((section) => (
          <Group
            key={section.title}
            {...section}
            listId={listId}
            typed={typed}
            current={current}
            shown={symbol}
            onTake={take}
          />
        ))}
      </div>
      <Foot source={market?.source} />
    </div>
  )
}

interface GroupProps extends Section {
  listId: string
  typed: string
  current: Option | undefined
  /** The market on the chart. */
  shown: string
  onTake: (option: Option) => void
}

function Group({ title, options, listId, typed, current, shown, onTake }: GroupProps) {
  const lines = useSparklines()
  const { favourites, toggle } = useFavourites()
  return (
    // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by role
    <div role="group" aria-label={title}>
      <p className={styles.title} aria-hidden>
        {title}
      </p>
      {options.map((option) => (
        <OptionRow
          key={option.id}
          id={`${listId}-${option.id}`}
          option={option}
          typed={typed}
          isMarked={option === current}
          isShown={option.id === shown}
          isStarred={favourites.includes(option.id)}
          line={lines[option.id]}
          onTake={() => onTake(option)}
          onToggle={toggle}
        />
      ))}
    </div>
  )
}

/** Puts the recent searches before the favourites. */
function withRecent(recent: readonly string[], { tab, sections }: { tab: MarketTab; sections: readonly Section[] }) {
  if (tab !== 'favourites' || recent.length === 0) return sections
  const options = recent.map((text) => ({ is: 'search', id: `search-${text}`, text }) as const)
  return [{ title: 'Recent searches', options }, ...sections]
}

const noneText = (instruments: readonly Instrument[], typed: string): string =>
  instruments.length === 0
    ? 'Loading markets…'
    : `Nothing found for "${typed}". Try a coin or currency, such as bitcoin or EUR, a trade's ID, or a page.`

/** Opens what was chosen: a market on the chart, trades in the history, or a page. */
function useOpen(): (option: Option) => void {
  const navigate = useNavigate()
  const isHome = useLocation().pathname.replace(/\/+$/, '') === HOME
  const { note } = useFavourites()
  return (option) => {
    if (option.is === 'market') {
      note(option.id)
      void navigate(`${HOME}?symbol=${encodeURIComponent(option.id)}`, { replace: isHome })
    }
    if (option.is === 'trades') void navigate(historyOf({ symbol: option.on.symbol }))
    if (option.is === 'trade') void navigate(`${historyOf({})}?trade=${encodeURIComponent(option.trade.trade_id)}`)
    if (option.is === 'page' && option.page.isPublic) location.assign(option.page.to)
    else if (option.is === 'page') void navigate(option.page.to)
  }
}

type ListChoicesProps = ReturnType<typeof useMarketLists> & { instruments: readonly Instrument[]; symbol: string }

/** Which markets are listed. On the trading screen, another trading type is one of the order. */
function ListChoices({ tab, setTab, type, setType, bases, base, setBase, instruments, symbol }: ListChoicesProps) {
  const navigate = useNavigate()
  const isHome = useLocation().pathname.replace(/\/+$/, '') === HOME
  return (
    <>
      <Choices label="Which markets" quiet value={tab} onChange={setTab} options={tabChoices(instruments)} />
      {tab === 'all' && (
        <>
          <Choices
            label="Trading type"
            quiet
            value={type}
            onChange={(next) => {
              setType(next)
              if (isHome) void navigate(`${HOME}?symbol=${symbolFor(next, symbol, instruments)}`, { replace: true })
            }}
            options={TYPES}
          />
          <Choices
            label="Base"
            quiet
            className={styles.bases}
            value={base}
            onChange={setBase}
            options={bases.map((value) => ({ value, label: value }))}
          />
        </>
      )}
    </>
  )
}

/** The dialog focuses the element with this attribute, so the search is ready for typing when it opens. */
const focusFirst = (input: HTMLInputElement | null): void => input?.setAttribute('autofocus', '')

interface SearchFieldProps {
  listId: string
  current: Option | undefined
  text: string
  onText: (text: string) => void
  onKeyDown: (event: KeyboardEvent) => void
}

const SearchField = ({ listId, current, text, onText, onKeyDown }: SearchFieldProps) => (
  <div className={styles.head}>
    <Lens aria-hidden />
    <input
      ref={focusFirst}
      type="text"
      role="combobox"
      aria-label="Search"
      aria-expanded
      aria-controls={listId}
      aria-activedescendant={current ? `${listId}-${current.id}` : undefined}
      aria-autocomplete="list"
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      placeholder="Search markets, trades, pages"
      value={text}
      onChange={(event) => onText(event.target.value)}
      onKeyDown={onKeyDown}
    />
    <Button look="quiet" icon aria-label="Close" onClick={closeSearch}>
      <X aria-hidden />
    </Button>
  </div>
)

const Foot = ({ source }: { source: PriceSource | undefined }) => (
  <div className={styles.foot}>
    <span className={styles.keys} aria-hidden>
      <kbd>
        <ArrowUp aria-hidden />
      </kbd>
      <kbd>
        <ArrowDown aria-hidden />
      </kbd>
      choose
      <kbd>Enter</kbd>
      open
      <kbd>S</kbd>
      star
    </span>
    <SourceBadge source={source} />
  </div>
)
