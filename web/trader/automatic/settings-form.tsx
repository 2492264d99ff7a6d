import { useState } from 'react'
import { percentOf, SIGNAL_DURATIONS, STRATEGY_IDS, STRIKE_RATES, TRADE_SIDES } from '#contract/terms.ts'
import type { AutomationSettings } from '#contract/trading/automatic.ts'
import type { StrategyStatistics } from '#contract/trading/signals.ts'
import { Choices, cx, Field, formatDuration, formatUsd, Select, type useRules } from '#web/ui/index.ts'
import styles from './automatic.module.css'
import type { SettingsForm } from './rules.ts'
import { SettingsGroup } from './settings-group.tsx'
import {
  DAY_ORDER,
  DAYS,
  followText,
  hourText,
  pauseText,
  stakeText,
  stopsText,
  symbolsText,
  timesText,
} from './settings-text.ts'

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
  /** The zones to choose from: the trader's first. */
  zones: readonly string[]
  /** While automatic trades run, settings can only be read. */
  disabled: boolean
}

/** All settings of automatic trades, in the order in which they are decided. */
export function SettingsFields({ form, chosen, onChoose, strategies, symbols, zones, disabled }: SettingsFieldsProps) {
  const { errors } = form.formState
  const group: GroupProps = {
    form,
    values: form.watch(),
    chosen,
    choose: (change) => onChoose({ ...chosen, ...change }),
    isWrong: (...names) => names.some((name) => errors[name] !== undefined),
    disabled,
  }
  return (
    <fieldset className={styles.settings} disabled={disabled}>
      <legend className="visually-hidden">Settings</legend>
      <WhatToFollow {...group} strategies={strategies} symbols={symbols} />
      <HowMuch {...group} />
      <WhenToStop {...group} />
      <PauseAfterLosses {...group} />
      <DaysAndHours {...group} zones={zones} />
    </fieldset>
  )
}

/** What the groups of settings share. */
interface GroupProps extends Pick<SettingsFieldsProps, 'form' | 'chosen' | 'disabled'> {
  values: SettingsForm
  choose: (change: Partial<Chosen>) => void
  /** Whether any of these fields is wrong. */
  isWrong: (...names: (keyof SettingsForm)[]) => boolean
}

function WhatToFollow({
  form: { field, setValue },
  values,
  chosen,
  choose,
  isWrong,
  disabled,
  strategies,
  symbols,
}: GroupProps & Pick<SettingsFieldsProps, 'strategies' | 'symbols'>) {
  const strategy = strategies.find((one) => one.id === values.strategy)
  return (
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
            {rate} (Buy {percentOf(rate, 'Buy')}%, Sell {percentOf(rate, 'Sell')}%)
          </option>
        ))}
      </Select>
      <Choices
        label="Signals"
        value={values.sides}
        onChange={(value) => setValue('sides', value, { shouldDirty: true })}
        options={[
          { value: 'both', label: 'Buy and Sell' },
          { value: 'Buy', label: 'Buy only' },
          { value: 'Sell', label: 'Sell only' },
        ]}
      />
      <Symbols all={symbols} chosen={chosen.symbols} onChange={(picked) => choose({ symbols: picked })} />
    </SettingsGroup>
  )
}

function HowMuch({ form: { field, setValue }, values, isWrong, disabled }: GroupProps) {
  return (
    <SettingsGroup
      title="How much"
      summary={stakeText(values)}
      opens={!disabled}
      isWrong={isWrong('stake', 'stake_percent')}
    >
      <Choices
        label="Stake"
        value={values.stakeBy}
        onChange={(value) => setValue('stakeBy', value, { shouldDirty: true, shouldValidate: true })}
        options={[
          { value: 'fixed', label: 'Fixed amount' },
          { value: 'percent', label: 'Percent of balance' },
        ]}
      />
      <div className={styles.pair}>
        {values.stakeBy === 'percent' && (
          <Field label="Percent of balance" inputMode="numeric" {...field('stake_percent')} />
        )}
        <Field
          label={values.stakeBy === 'percent' ? 'At most' : 'Amount'}
          unit="$"
          inputMode="decimal"
          {...field('stake')}
        />
      </div>
      <WhyNoDoubling />
    </SettingsGroup>
  )
}

/** Losses in a row of the example, and its first stake in dollars. */
const EXAMPLE = { losses: 10, stake: 10 }

/** Why there is no stake progression, with the figures. */
function WhyNoDoubling() {
  const { losses, stake } = EXAMPLE
  const lost = (count: number) => formatUsd(stake * (2 ** count - 1))
  const best = Math.max(...STRIKE_RATES.flatMap((rate) => TRADE_SIDES.map((side) => percentOf(rate, side))))
  return (
    <details className={styles.why}>
      <summary>Why no doubling after losses?</summary>
      <p>
        Doubling makes losses rarer and much larger. {losses} losses in a row that begin at {formatUsd(stake)} cost{' '}
        {lost(losses)}, and the next stake would be {formatUsd(stake * 2 ** losses)}. With a hit rate of 50%, one row in{' '}
        {(2 ** losses).toLocaleString('en-US')} is that long.
      </p>
      <p>
        It doesn't win the losses back, either: a win pays {best}% at most. After three losses ({lost(3)}), a stake of{' '}
        {formatUsd(stake * 8)} wins {formatUsd((stake * 8 * best) / 100)}. What a trade wins or loses on average depends
        on your hit rate, not on the order of your stakes.
      </p>
    </details>
  )
}

function WhenToStop({ form: { field }, values, isWrong }: GroupProps) {
  return (
    <SettingsGroup
      title="When to stop"
      summary={stopsText(values)}
      isWrong={isWrong(
        ...(['loss_a_day', 'loss_in_all', 'profit_a_day', 'profit_in_all', 'trades_a_day', 'losses_in_row'] as const),
      )}
    >
      <div className={styles.pair}>
        <Field label="Maximum loss per day" unit="$" inputMode="decimal" {...field('loss_a_day')} />
        <Field label="Maximum total loss" unit="$" inputMode="decimal" {...field('loss_in_all')} />
      </div>
      <div className={styles.pair}>
        <Field
          label="Take-profit per day"
          unit="$"
          inputMode="decimal"
          placeholder="None"
          {...field('profit_a_day')}
          hint="Waits for the next UTC day."
        />
        <Field
          label="Take-profit in total"
          unit="$"
          inputMode="decimal"
          placeholder="None"
          {...field('profit_in_all')}
          hint="Stops until you start again."
        />
      </div>
      <div className={styles.pair}>
        <Field label="Trades per day" inputMode="numeric" {...field('trades_a_day')} />
        <Field label="Losses in a row" inputMode="numeric" placeholder="No limit" {...field('losses_in_row')} />
      </div>
    </SettingsGroup>
  )
}

function PauseAfterLosses({ form: { field }, values, isWrong }: GroupProps) {
  return (
    <SettingsGroup
      title="Pause after losses"
      summary={pauseText(values)}
      isWrong={isWrong('pause_losses', 'pause_minutes')}
    >
      <div className={styles.pair}>
        <Field
          label="Pause after losses in a row"
          inputMode="numeric"
          placeholder="No pause"
          {...field('pause_losses')}
        />
        <Field label="Minutes of pause" inputMode="numeric" placeholder="No pause" {...field('pause_minutes')} />
      </div>
      <p className={styles.note}>
        Signals are skipped until the pause ends by itself. The pause then counts from zero; the stop above counts on.
      </p>
    </SettingsGroup>
  )
}

function DaysAndHours({
  form: { field },
  values,
  chosen,
  choose,
  isWrong,
  zones,
}: GroupProps & Pick<SettingsFieldsProps, 'zones'>) {
  const endsNextDay = Number(values.to_hour) < Number(values.from_hour)
  return (
    <SettingsGroup
      title="Days and hours"
      summary={timesText(values, chosen.days)}
      isWrong={isWrong('from_hour', 'to_hour', 'time_zone')}
    >
      <Days chosen={chosen.days} onChange={(days) => choose({ days })} />
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
      <Select
        label="Time zone"
        {...field('time_zone')}
        hint={`${endsNextDay ? 'Hours after midnight belong to the day on which they began. ' : ''}Limits per day count UTC days.`}
      >
        {zones.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </Select>
    </SettingsGroup>
  )
}

function Days({ chosen, onChange }: { chosen: Chosen['days']; onChange: (days: Chosen['days']) => void }) {
  return (
    <fieldset className={styles.days}>
      <legend className="visually-hidden">Days</legend>
      {DAY_ORDER.map((day) => {
        const isOn = chosen.includes(day)
        return (
          <label key={day} className={cx(styles.day, isOn && styles.dayOn)}>
            <input
              type="checkbox"
              checked={isOn}
              // At least one day stays.
              disabled={isOn && chosen.length === 1}
              onChange={() => onChange(isOn ? chosen.filter((one) => one !== day) : [...chosen, day].sort())}
            />
            {DAYS[day]}
          </label>
        )
      })}
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
