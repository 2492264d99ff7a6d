import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { OWN_STRATEGIES } from '#contract/trading/own-strategies.ts'
import { queryOf } from '#web/api/index.ts'
import { cx, Field } from '#web/ui/index.ts'
import styles from './editor.module.css'

interface SymbolsProps {
  chosen: readonly string[]
  error: string | undefined
  onChange: (symbols: string[]) => void
}

/** The symbols of a strategy, up to ten. */
export function Symbols({ chosen, error, onChange }: SymbolsProps) {
  const instruments = useQuery(queryOf('GET /prices/instruments')).data?.data ?? []
  const all = instruments.filter((one) => one.trading_type !== null).map(({ symbol }) => symbol)
  const [search, setSearch] = useState('')
  const label = useId()
  const isFull = chosen.length >= OWN_STRATEGIES.symbols
  const found = all.filter((symbol) => chosen.includes(symbol) || symbol.includes(search.trim().toUpperCase()))
  return (
    <fieldset className={styles.symbols} aria-labelledby={label}>
      <p id={label} className={styles.groupLabel}>
        Symbols ({chosen.length} of at most {OWN_STRATEGIES.symbols})
      </p>
      <Field
        label="Find a symbol"
        value={search}
        error={error}
        autoComplete="off"
        maxLength={20}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div className={cx(styles.chips, styles.symbolList)}>
        {found.map((symbol) => {
          const isOn = chosen.includes(symbol)
          return (
            <label key={symbol} className={cx(styles.chip, isOn && styles.chipOn)}>
              <input
                type="checkbox"
                checked={isOn}
                disabled={!isOn && isFull}
                onChange={() => onChange(isOn ? chosen.filter((one) => one !== symbol) : [...chosen, symbol])}
              />
              {symbol}
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}
