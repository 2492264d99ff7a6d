import { ChevronDown, SlidersHorizontal, X } from 'lucide-react'
import { useState } from 'react'
import type { Instrument } from '#contract/prices/prices.ts'
import { TRADE_SIDES, TRADE_STATUSES } from '#contract/terms.ts'
import type { TradeSide, TradeStatus } from '#contract/trading/trading.ts'
import { endsOf, isFiltered, NO_FILTER, type TradeFilter, timeZone } from '#web/api/index.ts'
import {
  Badge,
  Button,
  Field,
  formatDateTime,
  formatDuration,
  hourWord,
  originWord,
  Select,
  statusWord,
  weekdayWord,
} from '#web/ui/index.ts'
import styles from './filters.module.css'

interface FiltersProps {
  filter: TradeFilter
  onFilter: (filter: TradeFilter) => void
  instruments: readonly Instrument[]
  /** The tags of the mode's trades. */
  tags: readonly string[]
}

const HOURS = 24

/** What the figures of the statistics filter by; each can be taken away. */
function MoreFilters({ filter, onFilter }: Pick<FiltersProps, 'filter' | 'onFilter'>) {
  const { odds, duration, origin, hour, weekday } = filter
  const ends = endsOf(filter)
  const inZone = `(${timeZone()})`
  const named = {
    ended:
      ends && `Ended ${ends[0] > 0 ? `${formatDateTime(ends[0])} to` : 'before'} ${formatDateTime(ends[1])} ${inZone}`,
    odds: odds !== undefined && `Odds ${odds}%`,
    duration: duration !== undefined && formatDuration(duration),
    origin: origin && originWord(origin),
    hour: hour !== undefined && `Ended ${hourWord(hour)} to ${hourWord((hour + 1) % HOURS)} ${inZone}`,
    weekday: weekday !== undefined && `Ended on a ${weekdayWord(weekday)} ${inZone}`,
  }
  return Object.entries(named).map(
    ([name, text]) =>
      text && (
        <Button
          key={name}
          look="secondary"
          className={styles.more}
          aria-label={`Remove filter: ${text}`}
          onClick={() => onFilter({ ...filter, [name]: undefined })}
        >
          {text}
          <X aria-hidden />
        </Button>
      ),
  )
}

/** The filters: on a phone behind one line, so that the trades are in sight. */
export function Filters({ isMobile, ...props }: FiltersProps & { isMobile: boolean }) {
  const [isOpen, setOpen] = useState(() => isFiltered(props.filter))
  const count = Object.values(props.filter).filter((value) => value !== undefined).length
  return (
    // The same element at every width: a day that is being typed stays when the phone is turned.
    <details
      className={styles.fold}
      open={isOpen || !isMobile}
      onToggle={(event) => isMobile && setOpen(event.currentTarget.open)}
    >
      <summary className={styles.summary}>
        <SlidersHorizontal aria-hidden />
        Filters
        {count > 0 && <Badge tone="accent">{count} set</Badge>}
        <ChevronDown className={styles.arrow} aria-hidden />
      </summary>
      <AllFilters {...props} />
    </details>
  )
}

/** Filters by status, symbol, Buy or Sell, and the days of the reader. */
function AllFilters({ filter, onFilter, instruments, tags }: FiltersProps) {
  const symbols = instruments.filter((one) => one.trading_type !== null).map((one) => one.symbol)
  // Keep the symbol from the address selectable while the symbols are loading.
  if (filter.symbol && !symbols.includes(filter.symbol)) symbols.unshift(filter.symbol)
  return (
    <search className={styles.filters} aria-label="Filter trades">
      <Select
        label="Status"
        value={filter.status ?? ''}
        onChange={(event) =>
          onFilter({ ...filter, status: (event.target.value || undefined) as TradeStatus | undefined })
        }
      >
        <option value="">All</option>
        {TRADE_STATUSES.map((status) => (
          <option key={status} value={status}>
            {statusWord(status)}
          </option>
        ))}
      </Select>
      <Select
        label="Symbol"
        value={filter.symbol ?? ''}
        onChange={(event) => onFilter({ ...filter, symbol: event.target.value || undefined })}
      >
        <option value="">All</option>
        {symbols.map((symbol) => (
          <option key={symbol}>{symbol}</option>
        ))}
      </Select>
      <Select
        label="Direction"
        value={filter.side ?? ''}
        onChange={(event) => onFilter({ ...filter, side: (event.target.value || undefined) as TradeSide | undefined })}
      >
        <option value="">Buy and Sell</option>
        {TRADE_SIDES.map((side) => (
          <option key={side}>{side}</option>
        ))}
      </Select>
      {(tags.length > 0 || filter.tag !== undefined) && <TagSelect {...{ filter, onFilter, tags }} />}
      <DayFields filter={filter} onFilter={onFilter} />
      <MoreFilters filter={filter} onFilter={onFilter} />
      {isFiltered(filter) && (
        <Button look="quiet" className={styles.clear} onClick={() => onFilter(NO_FILTER)}>
          <X aria-hidden />
          Clear
        </Button>
      )}
    </search>
  )
}

function TagSelect({ filter, onFilter, tags }: Omit<FiltersProps, 'instruments'>) {
  return (
    <Select
      label="Tag"
      value={filter.tag ?? ''}
      onChange={(event) => onFilter({ ...filter, tag: event.target.value || undefined })}
    >
      <option value="">All</option>
      {[...new Set([...tags, ...(filter.tag === undefined ? [] : [filter.tag])])].map((tag) => (
        <option key={tag}>{tag}</option>
      ))}
    </Select>
  )
}

function DayFields({ filter, onFilter }: Pick<FiltersProps, 'filter' | 'onFilter'>) {
  const isReversed = filter.from !== undefined && filter.to !== undefined && filter.to < filter.from
  return (
    <>
      <Field
        label="First day"
        type="date"
        value={filter.from ?? ''}
        max={filter.to}
        onChange={(event) => onFilter({ ...filter, from: event.target.value || undefined })}
      />
      <Field
        label="Last day"
        type="date"
        value={filter.to ?? ''}
        min={filter.from}
        error={isReversed ? 'must not be before the first day' : undefined}
        onChange={(event) => onFilter({ ...filter, to: event.target.value || undefined })}
      />
      {(filter.from !== undefined || filter.to !== undefined) && (
        <p className={styles.zone}>{`Days are those in ${timeZone()}.`}</p>
      )}
    </>
  )
}
