import { cx, Field, Select, type useRules } from '#web/ui/index.ts'
import styles from './automatic.module.css'
import { FollowedStrategies } from './followed-strategies.tsx'
import type { SettingsForm } from './rules.ts'
import { SettingsGroup } from './settings-group.tsx'
import { DAY_ORDER, DAYS, hourText, pauseText, readBack, stopsText, timesText } from './settings-text.ts'
import type { StrategyNames } from './strategy-names.ts'

const HOURS = Array.from({ length: 25 }, (_, hour) => hourText(hour))

interface SettingsFieldsProps {
  form: ReturnType<typeof useRules<SettingsForm>>
  strategies: readonly StrategyNames[]
  symbols: readonly string[]
  /** The zones to choose from: the trader's first. */
  zones: readonly string[]
  /** While automatic trades run, settings can only be read. */
  disabled: boolean
}

/** All settings of automatic trades, in the order in which they are decided. */
export function SettingsFields({ form, strategies, symbols, zones, disabled }: SettingsFieldsProps) {
  const { errors } = form.formState
  const values = form.watch()
  const group: GroupProps = {
    form,
    values,
    isWrong: (...names) => names.some((name) => errors[name] !== undefined),
  }
  const nameOf = (key: string) => strategies.find((one) => one.id === key)?.name
  return (
    <fieldset className={styles.settings} disabled={disabled}>
      <legend className="visually-hidden">Settings</legend>
      <FollowedStrategies form={form} strategies={strategies} symbols={symbols} disabled={disabled} />
      <WhenToStop {...group} />
      <PauseAfterLosses {...group} />
      <DaysAndHours {...group} zones={zones} />
      <div className={styles.readBack}>
        {readBack(values, nameOf).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </fieldset>
  )
}

/** What the groups of common settings share. */
interface GroupProps extends Pick<SettingsFieldsProps, 'form'> {
  values: SettingsForm
  /** Whether any of these fields is wrong. */
  isWrong: (...names: (keyof SettingsForm)[]) => boolean
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
      <p className={styles.note}>A trade that you sell below its stake counts as a loss.</p>
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
  form: { field, setValue },
  values,
  isWrong,
  zones,
}: GroupProps & Pick<SettingsFieldsProps, 'zones'>) {
  const endsNextDay = Number(values.to_hour) < Number(values.from_hour)
  return (
    <SettingsGroup
      title="Days and hours"
      summary={timesText(values)}
      isWrong={isWrong('from_hour', 'to_hour', 'time_zone')}
    >
      <Days chosen={values.days} onChange={(days) => setValue('days', days, { shouldDirty: true })} />
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

function Days({ chosen, onChange }: { chosen: readonly number[]; onChange: (days: number[]) => void }) {
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
