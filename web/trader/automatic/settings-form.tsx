import { useState } from 'react'
import type { AutomationSettings } from '#contract/automatic.ts'
import type { StrategyStatistics } from '#contract/signals.ts'
import { percentOf, SIGNAL_DURATIONS, STRATEGY_IDS, STRIKE_RATES } from '#contract/terms.ts'
import { Choices, cx, Field, formatDuration, Select, type useRules } from '#web/ui/index.ts'
import styles from './automatic.module.css'
import type { SettingsForm } from './rules.ts'
import { SettingsGroup } from './settings-group.tsx'
import { DAY_ORDER, DAYS, followText, hourText, stakeText, stopsText, symbolsText, timesText } from './settings-text.ts'

const HOURS = Array.from({ length: 25 }, (_, hour) => hourText(hour))

export interface Chosen {
  symbols: AutomationSettings['symbols']
  days: AutomationSettings['days']
}

interface SettingsFieldsProps {
  form: ReturnType<typeof useRules<SettingsForm>>
  chosen: Chosen
  onChoose: (chosen: Chosen) => void
  strategies: readonly Pick<StrategyStatistics, 'id' | 'name' | 'rule'>[]
  symbols: readonly string[]
  /** While automatic trades run, settings can only be read. */
  disabled: boolean
}

/** All settings of automatic trades, in the order in which they are decided. */
export function SettingsFields({ form, chosen, onChoose, strategies, symbols, disabled }: SettingsFieldsProps) {
  const { field, watch, setValue } = form
  const strategy = strategies.find((one) => one.id === watch('strategy'))
  const choose = (change: Partial<Chosen>) => onChoose({ ...chosen, ...change })
  const values = watch()
  const { errors } = form.formState
  const isWrong = (...names: (keyof SettingsForm)[]) => names.some((name) => errors[name] !== undefined)
  return (
    <fieldset className={styles.settings} disabled={disabled}>
      <legend className="visually-hidden">Settings</legend>
      <SettingsGroup
        title="What to follow"
        summary={followText(values, strategy?.name, chosen.symbols)}
        opens={!disabled}
        isWrong={isWrong('strategy', 'duration', 'strike_rate', 'sides')}
      >
        <Select label="Strategy" hint={strategy?.rule} {...field('strategy')}>
          {/* Before the names have loaded, too: a select without its option would show another one than the form has. */}
          {STRATEGY_IDS.map((id) => (
            <option key={id} value={id}>
              {strategies.find((one) => one.id === id)?.name ?? id}
            </option>
          ))}
        </Select>
        <Select label="Duration" {...field('duration')}>
          {SIGNAL_DURATIONS.map((seconds) => (
            <option key={seconds} value={seconds}>
              {formatDuration(seconds)}
            </option>
          ))}
        </Select>
        <Select label="Strike rate" {...field('strike_rate')}>
          <option value="best">Best for each side</option>
          {STRIKE_RATES.map((rate) => (
            <option key={rate} value={rate}>
              {rate} (Buy {percentOf(rate, 'Buy')} %, Sell {percentOf(rate, 'Sell')} %)
            </option>
          ))}
        </Select>
        <Choices
          label="Signals"
          value={watch('sides')}
          onChange={(value) => setValue('sides', value, { shouldDirty: true })}
          options={[
            { value: 'both', label: 'Buy and Sell' },
            { value: 'Buy', label: 'Buy only' },
            { value: 'Sell', label: 'Sell only' },
          ]}
        />
        <Symbols all={symbols} chosen={chosen.symbols} onChange={(picked) => choose({ symbols: picked })} />
      </SettingsGroup>

      <SettingsGroup
        title="How much"
        summary={stakeText(values)}
        opens={!disabled}
        isWrong={isWrong('stake', 'stake_percent')}
      >
        <Choices
          label="Stake"
          value={watch('stakeBy')}
          onChange={(value) => setValue('stakeBy', value, { shouldDirty: true, shouldValidate: true })}
          options={[
            { value: 'fixed', label: 'Fixed amount' },
            { value: 'percent', label: 'Percent of balance' },
          ]}
        />
        <div className={styles.pair}>
          {watch('stakeBy') === 'percent' && (
            <Field label="Percent of balance" inputMode="numeric" {...field('stake_percent')} />
          )}
          <Field
            label={watch('stakeBy') === 'percent' ? 'At most' : 'Amount'}
            unit="$"
            inputMode="decimal"
            {...field('stake')}
          />
        </div>
      </SettingsGroup>

      <SettingsGroup
        title="When to stop"
        summary={stopsText(values)}
        isWrong={isWrong('loss_a_day', 'loss_in_all', 'trades_a_day', 'losses_in_row')}
      >
        <div className={styles.pair}>
          <Field label="Maximum loss per day" unit="$" inputMode="decimal" {...field('loss_a_day')} />
          <Field label="Maximum total loss" unit="$" inputMode="decimal" {...field('loss_in_all')} />
        </div>
        <div className={styles.pair}>
          <Field label="Trades per day" inputMode="numeric" {...field('trades_a_day')} />
          <Field label="Losses in a row" inputMode="numeric" placeholder="No limit" {...field('losses_in_row')} />
        </div>
      </SettingsGroup>

      <SettingsGroup
        title="Days and hours (UTC)"
        summary={timesText(values, chosen.days)}
        isWrong={isWrong('from_hour', 'to_hour')}
      >
        <fieldset className={styles.days}>
          <legend className="visually-hidden">Days</legend>
          {DAY_ORDER.map((day) => {
            const isOn = chosen.days.includes(day)
            return (
              <label key={day} className={cx(styles.day, isOn && styles.dayOn)}>
                <input
                  type="checkbox"
                  checked={isOn}
                  // At least one day stays.
                  disabled={isOn && chosen.days.length === 1}
                  onChange={() =>
                    choose({ days: isOn ? chosen.days.filter((one) => one !== day) : [...chosen.days, day].sort() })
                  }
                />
                {DAYS[day]}
              </label>
            )
          })}
        </fieldset>
        <div className={styles.pair}>
          <Select label="From" {...field('from_hour')}>
            {HOURS.slice(0, 24).map((text, hour) => (
              <option key={text} value={hour}>
                {text}
              </option>
            ))}
          </Select>
          <Select label="Until" {...field('to_hour')}>
            {HOURS.slice(1).map((text, hour) => (
              <option key={text} value={hour + 1}>
                {text}
              </option>
            ))}
          </Select>
        </div>
      </SettingsGroup>
    </fieldset>
  )
}

interface SymbolsProps {
  all: readonly string[]
  /** Empty: all. */
  chosen: readonly string[]
  onChange: (symbols: string[]) => void
}

function Symbols({ all, chosen, onChange }: SymbolsProps) {
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
