import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useFieldArray } from 'react-hook-form'
import { percentOf, SIGNAL_DURATIONS, type StrikeRate } from '#contract/terms.ts'
import { FOLLOWED_MAX } from '#contract/trading/automatic.ts'
import { useListedPairs } from '#web/api/index.ts'
import { Button, Choices, Field, formatDuration, Select, type useRules } from '#web/ui/index.ts'
import styles from './automatic.module.css'
import { anotherOf, type FollowedForm, type SettingsForm } from './rules.ts'
import { SettingsGroup } from './settings-group.tsx'
import { followText, stakeText } from './settings-text.ts'
import type { StrategyNames } from './strategy-names.ts'
import { Symbols } from './symbols.tsx'
import { WhyNoDoubling } from './why-no-doubling.tsx'

interface FollowedStrategiesProps {
  form: ReturnType<typeof useRules<SettingsForm>>
  strategies: readonly StrategyNames[]
  symbols: readonly string[]
  disabled: boolean
}

/** The strategies that are followed: one as plain fields; several fold to a line each and can be ordered. */
export function FollowedStrategies({ form, strategies, symbols, disabled }: FollowedStrategiesProps) {
  const { fields, append, remove, move } = useFieldArray({ control: form.control, name: 'strategies' })
  /** The one that was added last begins open. */
  const [added, setAdded] = useState<number>()
  const values = form.watch('strategies')
  const areSeveral = fields.length > 1
  return (
    <div className={styles.followed}>
      {fields.map(({ id }, at) => {
        const one = values[at]
        if (!one) return null
        const name = strategies.find((named) => named.id === one.strategy)?.name
        return (
          <SettingsGroup
            key={id}
            title={
              areSeveral
                ? `${at + 1}. ${name ?? one.strategy}, ${formatDuration(Number(one.duration))}`
                : 'What to follow'
            }
            summary={`${followText(one, name)}, ${stakeText(one)}`}
            folds={areSeveral}
            opens={!disabled && (!areSeveral || added === at)}
            isWrong={form.formState.errors.strategies?.[at] !== undefined}
          >
            <OneStrategy {...{ form, at, one, strategies, symbols }} />
            {areSeveral && !disabled && (
              <OrderButtons
                at={at}
                isLast={at === fields.length - 1}
                onMove={(to) => move(at, to)}
                onRemove={() => {
                  setAdded(undefined)
                  remove(at)
                }}
              />
            )}
          </SettingsGroup>
        )
      })}
      {areSeveral && (
        <p className={styles.note}>
          If two give a signal at the same moment, the upper one is traded. Limits and stops below count all of them
          together.
        </p>
      )}
      {!disabled && fields.length < FOLLOWED_MAX && (
        <Button
          look="secondary"
          onClick={() => {
            setAdded(fields.length)
            append(anotherOf(values), { shouldFocus: false })
          }}
        >
          <Plus aria-hidden /> Follow another strategy
        </Button>
      )}
    </div>
  )
}

interface OrderButtonsProps {
  at: number
  isLast: boolean
  onMove: (to: number) => void
  onRemove: () => void
}

function OrderButtons({ at, isLast, onMove, onRemove }: OrderButtonsProps) {
  return (
    <div className={styles.order}>
      <Button
        look="secondary"
        size="small"
        disabled={at === 0}
        onClick={() => onMove(at - 1)}
        aria-label={`Move strategy ${at + 1} up`}
      >
        <ArrowUp aria-hidden /> Up
      </Button>
      <Button
        look="secondary"
        size="small"
        disabled={isLast}
        onClick={() => onMove(at + 1)}
        aria-label={`Move strategy ${at + 1} down`}
      >
        <ArrowDown aria-hidden /> Down
      </Button>
      <Button look="secondary" size="small" onClick={onRemove} aria-label={`Remove strategy ${at + 1}`}>
        <Trash2 aria-hidden /> Remove
      </Button>
    </div>
  )
}

interface OneStrategyProps extends Omit<FollowedStrategiesProps, 'disabled'> {
  at: number
  one: FollowedForm
}

function OneStrategy({ form: { field, setValue }, at, one, strategies, symbols }: OneStrategyProps) {
  const pairs = useListedPairs(one.strike_rate, { symbols: one.symbols, duration: Number(one.duration) })
  const named = strategies.find(({ id }) => id === one.strategy)
  const chosen = field(`strategies.${at}.strategy`)
  /** A trader's strategy has one duration, and only its symbols. */
  function fit(key: string): void {
    const duration = strategies.find(({ id }) => id === key)?.duration
    if (duration === undefined) return
    setValue(`strategies.${at}.duration`, String(duration), { shouldDirty: true })
    setValue(`strategies.${at}.symbols`, [], { shouldDirty: true })
  }
  return (
    <>
      <Select
        label="Strategy"
        hint={named?.rule}
        {...chosen}
        onChange={(event) => {
          void chosen.onChange(event)
          fit(event.target.value)
        }}
      >
        {/* Before the names have loaded, too: a select without its option would show another one than the form has. */}
        {!named && <option value={one.strategy}>A trader’s strategy</option>}
        {strategies.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select label="Duration" {...field(`strategies.${at}.duration`)}>
        {(named?.duration === undefined ? SIGNAL_DURATIONS : [named.duration]).map((seconds) => (
          <option key={seconds} value={seconds}>
            {formatDuration(seconds)}
          </option>
        ))}
      </Select>
      <Select label="Strike rate" {...field(`strategies.${at}.strike_rate`)}>
        <option value="best">Best for each side</option>
        {pairs.map((rate) => (
          <option key={rate} value={rate}>
            {rate} (Buy {percentOf(rate as StrikeRate, 'Buy')}%, Sell {percentOf(rate as StrikeRate, 'Sell')}%)
          </option>
        ))}
      </Select>
      <Choices
        label="Signals"
        value={one.sides}
        onChange={(value) => setValue(`strategies.${at}.sides`, value, { shouldDirty: true })}
        options={[
          { value: 'both', label: 'Buy and Sell' },
          { value: 'Buy', label: 'Buy only' },
          { value: 'Sell', label: 'Sell only' },
        ]}
      />
      <Symbols
        all={named?.symbols ?? symbols}
        chosen={one.symbols}
        onChange={(picked) => setValue(`strategies.${at}.symbols`, picked, { shouldDirty: true })}
      />
      <Stake {...{ form: { field, setValue }, at, one }} />
    </>
  )
}

function Stake({
  form: { field, setValue },
  at,
  one,
}: Pick<OneStrategyProps, 'at' | 'one'> & { form: Pick<OneStrategyProps['form'], 'field' | 'setValue'> }) {
  return (
    <>
      <Choices
        label="Stake"
        value={one.stakeBy}
        onChange={(value) => setValue(`strategies.${at}.stakeBy`, value, { shouldDirty: true, shouldValidate: true })}
        options={[
          { value: 'fixed', label: 'Fixed amount' },
          { value: 'percent', label: 'Percent of balance' },
        ]}
      />
      <div className={styles.pair}>
        {one.stakeBy === 'percent' && (
          <Field label="Percent of balance" inputMode="numeric" {...field(`strategies.${at}.stake_percent`)} />
        )}
        <Field
          label={one.stakeBy === 'percent' ? 'At most' : 'Amount'}
          unit="$"
          inputMode="decimal"
          {...field(`strategies.${at}.stake`)}
        />
      </div>
      {at === 0 && <WhyNoDoubling />}
    </>
  )
}
