import { X } from 'lucide-react'
import type { Instrument } from '#contract/prices.ts'
import { TRADE_SIDES, TRADE_STATUSES } from '#contract/terms.ts'
import type { TradeSide, TradeStatus } from '#contract/trading.ts'
import { Button, Field, Select, statusWord } from '#web/ui/index.ts'
import { type Filter, isFiltered, NO_FILTER } from './filter.ts'
import styles from './filters.module.css'

interface FiltersProps {
  filter: Filter
  onFilter: (filter: Filter) => void
  instruments: readonly Instrument[]
}

/** Filters by status, symbol, Buy or Sell, and the days of the reader. */
export function Filters({ filter, onFilter, instruments }: FiltersProps) {
  const symbols = instruments.filter((one) => one.trading_type !== null).map((one) => one.symbol)
  // Keep the symbol from the address selectable while the symbols are loading.
  if (filter.symbol && !symbols.includes(filter.symbol)) symbols.unshift(filter.symbol)
  const isReversed = filter.from !== undefined && filter.to !== undefined && filter.to < filter.from
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
      {isFiltered(filter) && (
        <Button look="quiet" className={styles.clear} onClick={() => onFilter(NO_FILTER)}>
          <X aria-hidden />
          Clear
        </Button>
      )}
    </search>
  )
}
