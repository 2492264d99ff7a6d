import { useState } from 'react'
import { Choices, cx, Field } from '#web/ui/index.ts'
import styles from './automatic.module.css'
import { symbolsText } from './settings-text.ts'

interface SymbolsProps {
  all: readonly string[]
  /** Empty: all. */
  chosen: readonly string[]
  onChange: (symbols: string[]) => void
}

/** The symbols that a strategy trades. */
export function Symbols({ all, chosen, onChange }: SymbolsProps) {
  const [isSome, setIsSome] = useState(chosen.length > 0)
  const [search, setSearch] = useState('')
  const found = all.filter((symbol) => symbol.includes(search.trim().toUpperCase()))
  return (
    <div className={styles.symbols}>
      <Choices
        label="Symbols"
        value={isSome ? 'some' : 'all'}
        onChange={(value) => {
          setIsSome(value === 'some')
          onChange(value === 'all' ? [] : [...chosen])
        }}
        options={[
          { value: 'all', label: `All ${all.length}` },
          { value: 'some', label: chosen.length > 0 ? `Chosen (${chosen.length})` : 'Choose' },
        ]}
      />
      {isSome && (
        <>
          <Field
            label="Find a symbol"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            hint={chosen.length === 0 ? 'Choose at least one, or all symbols are followed.' : symbolsText(chosen)}
          />
          <ul className={styles.symbolList}>
            {found.map((symbol) => (
              <li key={symbol}>
                <label className={cx(styles.day, chosen.includes(symbol) && styles.dayOn)}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(symbol)}
                    onChange={() =>
                      onChange(
                        chosen.includes(symbol)
                          ? chosen.filter((one) => one !== symbol)
                          : [...chosen, symbol].toSorted(),
                      )
                    }
                  />
                  {symbol}
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
