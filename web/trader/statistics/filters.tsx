import { useQuery } from '@tanstack/react-query'
import { NO_FILTER, queryOf, useMode } from '#web/api/index.ts'
import { DownloadTrades } from '#web/receipts/index.ts'
import { Choices, Field, Select } from '#web/ui/index.ts'
import type { Scope } from './links.ts'
import { PERIODS, type Period, type PeriodName } from './period.ts'
import styles from './statistics.module.css'

interface FiltersProps {
  period: Period
  symbol: string | undefined
  scope: Scope
  /** Whether there is something to download. */
  hasTrades: boolean
  onChange: (query: URLSearchParams) => void
}

const NAMES: Record<PeriodName, { label: string; name: string }> = {
  '7': { label: '7 d', name: '7 days' },
  '30': { label: '30 d', name: '30 days' },
  '90': { label: '90 d', name: '90 days' },
  all: { label: 'All', name: 'All' },
  days: { label: 'From–to', name: 'From one day to another' },
}

/** Which trades count: those that ended in a time, and of one symbol. */
export function Filters({ period, symbol, scope, hasTrades, onChange }: FiltersProps) {
  const mode = useMode()
  const instruments = useQuery(queryOf('GET /prices/instruments')).data?.data ?? []
  const symbols = instruments.filter((one) => one.trading_type !== null).map((one) => one.symbol)
  // Keep the symbol from the address selectable while the symbols are loading.
  if (symbol && !symbols.includes(symbol)) symbols.unshift(symbol)
  function change(next: Partial<Period & { symbol: string | undefined }>) {
    const { name, ...rest } = { ...period, symbol, ...next }
    const fields = { period: name, symbol: rest.symbol, ...(name === 'days' && { from: rest.from, to: rest.to }) }
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(fields)) if (value) query.set(key, value)
    onChange(query)
  }
  const isReversed = period.from !== undefined && period.to !== undefined && period.to < period.from
  return (
    <search className={styles.filters} aria-label="Filter statistics">
      <Choices
        label="Time"
        value={period.name}
        onChange={(name) => change({ name })}
        options={PERIODS.map((value) => ({ value, ...NAMES[value] }))}
      />
      {period.name === 'days' && (
        <>
          <Field
            label="First day"
            type="date"
            value={period.from ?? ''}
            max={period.to}
            onChange={(event) => change({ from: event.target.value || undefined })}
          />
          <Field
            label="Last day"
            type="date"
            value={period.to ?? ''}
            min={period.from}
            error={isReversed ? 'must not be before the first day' : undefined}
            onChange={(event) => change({ to: event.target.value || undefined })}
          />
        </>
      )}
      <Select
        label="Symbol"
        value={symbol ?? ''}
        onChange={(event) => change({ symbol: event.target.value || undefined })}
      >
        <option value="">All symbols</option>
        {symbols.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      {hasTrades && <DownloadTrades mode={mode} filter={{ ...NO_FILTER, ...scope }} />}
    </search>
  )
}
