import { useQuery } from '@tanstack/react-query'
import { Clock, Plus } from 'lucide-react'
import { type Dispatch, type FormEvent, type SetStateAction, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { ruleSentence } from '#contract/rules/sentence.ts'
import { SIGNAL_DURATIONS } from '#contract/terms.ts'
import { CONDITIONS_MAX, OWN_STRATEGIES, type OwnStrategy, type RuleSide } from '#contract/trading/own-strategies.ts'
import { first } from '#kernel/must.ts'
import { CallError, call, queryClient, queryOf, useMode, useRequest } from '#web/api/index.ts'
import { BacktestPanel, type BacktestRange } from '#web/backtest/index.ts'
import { Alert, Button, Card, Choices, Field, formatDuration, Select, toast } from '#web/ui/index.ts'
import { ConditionRow } from './condition-row.tsx'
import {
  bodyOf,
  type ConditionDraft,
  type Draft,
  draftOf,
  type Errors,
  freshLook,
  freshTimes,
  nameErrors,
  ruleOf,
  rulesErrors,
  type Start,
} from './draft.ts'
import styles from './editor.module.css'
import { Symbols } from './symbols.tsx'

interface EditorProps {
  start: Start
  /** The strategy that is changed; a new one without it. */
  strategy?: OwnStrategy
  onDone: () => void
}

/** The form of a strategy: its conditions, the sentence that reads them back, and the back-test of what is in it. */
export function Editor({ start, strategy, onDone }: EditorProps) {
  const [draft, setDraft] = useState(() => draftOf(start))
  const [tried, setTried] = useState<'not' | 'rule' | 'all'>('not')
  const errors: Errors = { ...rulesErrors(draft, tried !== 'not'), ...(tried === 'all' && nameErrors(draft)) }
  const form = useRef<HTMLFormElement>(null)
  const [attempt, setAttempt] = useState(0)
  // Once the errors of an attempt are shown.
  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempt])
  const { loading, error, run } = useRequest()
  const [isStale, setIsStale] = useState(false)

  /** Shows what is wrong; returns whether nothing is. */
  const isRight = (what: 'rule' | 'all'): boolean => {
    const found = { ...rulesErrors(draft, true), ...(what === 'all' && nameErrors(draft)) }
    const isWrong = Object.keys(found).length > 0
    setTried(isWrong ? what : 'not')
    if (isWrong) setAttempt(attempt + 1)
    return !isWrong
  }

  const save = (event: FormEvent) => {
    event.preventDefault()
    if (!isRight('all')) return
    void run(async () => {
      try {
        const body = bodyOf(draft)
        const { message } = strategy
          ? await call('PUT /strategies/:id', {
              params: { id: strategy.id },
              body: { ...body, version: strategy.version },
            })
          : await call('POST /strategies', { body })
        toast.success(message)
        await queryClient.invalidateQueries({ queryKey: ['GET /strategies'] })
        onDone()
      } catch (problem) {
        setIsStale(problem instanceof CallError && problem.code === 'wrong_state')
        throw problem
      }
    })
  }

  return (
    <div className={styles.columns}>
      <form ref={form} className={styles.form} noValidate aria-label="Strategy" onSubmit={save}>
        <About draft={draft} errors={errors} onChange={setDraft} />
        <SideEditor side="buy" draft={draft} errors={errors} onChange={setDraft} />
        <SideEditor side="sell" draft={draft} errors={errors} onChange={setDraft} />
        <Sentence draft={draft} />
        <Alert>{error}</Alert>
        {Object.keys(errors).length > 0 && tried !== 'not' && (
          <p className={styles.note}>Correct what is marked above first.</p>
        )}
        <div className={styles.buttons}>
          <Button type="submit" size="large" loading={loading}>
            {strategy ? 'Save changes' : 'Save strategy'}
          </Button>
          <Button look="secondary" size="large" onClick={onDone}>
            {isStale ? 'Back to the list' : 'Cancel'}
          </Button>
        </div>
      </form>
      <Backtest draft={draft} isRight={() => isRight('rule')} />
    </div>
  )
}

interface PartProps {
  draft: Draft
  errors: Errors
  onChange: Dispatch<SetStateAction<Draft>>
}

function About({ draft, errors, onChange }: PartProps) {
  const change = (part: Partial<Draft>) => onChange((now) => ({ ...now, ...part }))
  return (
    <Card>
      <div className={styles.about}>
        <Field
          label="Name"
          autoComplete="off"
          maxLength={OWN_STRATEGIES.name}
          value={draft.name}
          error={errors.name}
          hint="Only you see it."
          onChange={(event) => change({ name: event.target.value })}
        />
        <Select
          label="Candles"
          value={draft.duration}
          hint="Each trade lasts as long."
          onChange={(event) => change({ duration: Number(event.target.value) })}
        >
          {SIGNAL_DURATIONS.map((seconds) => (
            <option key={seconds} value={seconds}>
              {formatDuration(seconds)}
            </option>
          ))}
        </Select>
        {hasTimes(draft) && <Zone zone={draft.zone} onChange={(zone) => change({ zone })} />}
      </div>
      <Symbols chosen={draft.symbols} error={errors.symbols} onChange={(chosen) => change({ symbols: chosen })} />
    </Card>
  )
}

const hasTimes = ({ buy, sell }: Draft): boolean =>
  [...buy.conditions, ...sell.conditions].some((condition) => 'days' in condition)

function Zone({ zone, onChange }: { zone: string; onChange: (zone: string) => void }) {
  const zones = [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])]
  return (
    <Select
      label="Time zone"
      value={zone}
      hint="Of the times below, wherever you are."
      onChange={(event) => onChange(event.target.value)}
    >
      {zones.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </Select>
  )
}

const TITLES: Record<RuleSide, string> = { buy: 'Buy', sell: 'Sell' }

function SideEditor({ side, draft, errors, onChange }: PartProps & { side: RuleSide }) {
  const { join, conditions } = draft[side]
  const list = useRef<HTMLUListElement>(null)
  const isFull = draft.buy.conditions.length + draft.sell.conditions.length >= CONDITIONS_MAX
  const change = (next: readonly ConditionDraft[]) =>
    onChange((now) => ({ ...now, [side]: { ...now[side], conditions: next } }))
  const add = (condition: ConditionDraft) => {
    change([...conditions, condition])
    // To its first field, once it's there.
    requestAnimationFrame(() => list.current?.lastElementChild?.querySelector<HTMLElement>('select, input')?.focus())
  }
  return (
    <Card>
      <section className={styles.side} aria-label={`When to ${side}`}>
        <div className={styles.sideHead}>
          <h2 className={styles.sideTitle}>{TITLES[side]} when</h2>
          {conditions.length > 1 && (
            <Choices
              label={`Conditions to ${side}`}
              quiet
              value={join}
              onChange={(value) => onChange((now) => ({ ...now, [side]: { ...now[side], join: value } }))}
              options={[
                { value: 'all', label: 'all are true' },
                { value: 'any', label: 'any is true' },
              ]}
            />
          )}
        </div>
        {conditions.length === 0 && <p className={styles.note}>Never: add a condition to {side}.</p>}
        <ul className={styles.conditions} ref={list}>
          {conditions.map((condition, at) => (
            <ConditionRow
              key={condition.key}
              condition={condition}
              place={at + 1}
              zone={draft.zone}
              errorOf={(part) => errors[`${side}.conditions.${at}.${part}`]}
              onChange={(changed) => change(conditions.with(at, changed))}
              onRemove={() => change(conditions.toSpliced(at, 1))}
            />
          ))}
        </ul>
        <Alert>{errors[side]}</Alert>
        <div className={styles.add}>
          <Button
            look="secondary"
            size="small"
            disabled={isFull}
            aria-label={`Add a condition to ${side}`}
            onClick={() => add(freshLook())}
          >
            <Plus aria-hidden /> Condition
          </Button>
          <Button
            look="secondary"
            size="small"
            disabled={isFull}
            aria-label={`Add a time to ${side}`}
            onClick={() => add(freshTimes())}
          >
            <Clock aria-hidden /> Time
          </Button>
          {isFull && <p className={styles.note}>{CONDITIONS_MAX} conditions are the most, Buy and Sell together.</p>}
        </div>
      </section>
    </Card>
  )
}

function Sentence({ draft }: { draft: Draft }) {
  const isReadable =
    draft.symbols.length > 0 &&
    draft.buy.conditions.length + draft.sell.conditions.length > 0 &&
    Object.keys(rulesErrors(draft, true)).length === 0
  return (
    <div className={styles.sentence}>
      <h2 className={styles.sideTitle}>What it does</h2>
      <p role="status">
        {isReadable
          ? ruleSentence(ruleOf(draft), draft)
          : 'Complete the symbols and conditions to read your rule here.'}
      </p>
    </div>
  )
}

/** Tries the rule with the stake and stops of the trader's automatic trades. */
function Backtest({ draft, isRight }: { draft: Draft; isRight: () => boolean }) {
  const mode = useMode()
  const automation = useQuery(queryOf('GET /automatic', { query: { mode } }))
  const test = async (range: BacktestRange) => {
    if (!isRight()) throw new Error('Correct the strategy first.')
    const { settings } = (automation.data ?? (await automation.refetch({ throwOnError: true })).data)?.data ?? {}
    if (!settings) throw new Error("We couldn't load your settings. Try again in a moment.")
    const { strategies, ...limits } = settings
    const strategy = { rule: ruleOf(draft), zone: draft.zone }
    const body = {
      ...{
        ...first(strategies),
        ...limits,
        strategy,
        duration: draft.duration,
        symbols: [...draft.symbols],
        sides: 'both' as const,
      },
      ...range,
    }
    return (await call('POST /strategies/backtest', { body })).data
  }
  return (
    <div className={styles.aside}>
      <BacktestPanel
        note={
          <>
            This rule on stored prices, with the stake, hours and stops of your{' '}
            <Link to="/user/automatic">automatic trades</Link>.
          </>
        }
        symbols={draft.symbols.length || 1}
        test={test}
      />
    </div>
  )
}
