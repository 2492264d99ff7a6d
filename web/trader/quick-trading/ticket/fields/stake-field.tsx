import { Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Button, cx, dollarsOf, errorText, formatUsd, STAKE } from '#web/ui/index.ts'
import { QUICK_STAKES, scaledStake, stepStake } from '../order.ts'
import styles from './stake-field.module.css'

/** Characters that a phone's bar shows between the buttons. */
const FITS_WITH_STEPS = 6

interface StakeFieldProps {
  value: string
  onChange: (typed: string) => void
  /** The largest stake that would be accepted, US dollars, and what is available or the limit that caps it. */
  max: number
  maxWords: string
  problem: string | undefined
  /** Without the quick amounts, and with buttons that move along a scale: for the phone's bar. */
  compact?: boolean
}

/**
 * The stake: any amount to the cent from 1 to the balance; the arrows step by 120. A text field, because one of type
 * number turns `12,50` into 1250 in some browsers, and shows what it doesn't send.
 */
export function StakeField({ value, onChange, max, maxWords, problem, compact }: StakeFieldProps) {
  const id = useId()
  const { input, message } = useSeenProblem(problem)
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    onChange(stepStake(value, event.key === 'ArrowUp' ? 1 : -1))
  }
  return (
    <div className={styles.amount}>
      <div className={compact ? 'visually-hidden' : styles.head}>
        <label className={styles.label} htmlFor={id}>
          Amount
        </label>
        <span className={styles.most} id={`${id}-most`}>
          {maxWords}
        </span>
      </div>
      <div className={cx(styles.group, compact && styles.compact, value.length > FITS_WITH_STEPS && styles.long)}>
        <StepButton direction={-1} value={value} onChange={onChange} scaled={compact} />
        <span className={styles.box}>
          <span className={styles.unit} aria-hidden>
            $
          </span>
          <input
            ref={input}
            id={id}
            className={styles.input}
            type="text"
            role="spinbutton"
            inputMode="decimal"
            autoComplete="off"
            min={STAKE.min}
            step={STAKE.step}
            aria-valuemin={STAKE.min}
            aria-valuemax={Math.max(STAKE.min, max)}
            aria-valuenow={dollarsOf(value)}
            aria-valuetext={value}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            onKeyDown={onKeyDown}
            onFocus={(event) => event.currentTarget.select()}
            aria-invalid={problem !== undefined}
            aria-describedby={cx(problem !== undefined && `${id}-problem`, `${id}-most`) || undefined}
          />
        </span>
        <StepButton direction={1} value={value} onChange={onChange} scaled={compact} />
      </div>
      <p ref={message} className={styles.problem} id={`${id}-problem`} role="alert">
        {problem && errorText('Amount', problem)}
      </p>
      {!compact && <QuickStakes max={max} onChange={onChange} />}
    </div>
  )
}

/** Scrolls to the problem while the field has the focus: on a low screen the panel ends right below it. */
function useSeenProblem(problem: string | undefined) {
  const input = useRef<HTMLInputElement>(null)
  const message = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (problem !== undefined && document.activeElement === input.current)
      message.current?.scrollIntoView({ block: 'nearest' })
  }, [problem])
  return { input, message }
}

interface StepButtonProps extends Pick<StakeFieldProps, 'value' | 'onChange'> {
  direction: 1 | -1
  /** Moves along a scale instead of by 120, which a thumb would not expect. */
  scaled: boolean | undefined
}

/** Not a tab stop: the field's arrow keys do the same. */
function StepButton({ direction, value, onChange, scaled }: StepButtonProps) {
  const word = direction === 1 ? 'Increase' : 'Decrease'
  const to = scaled ? scaledStake(value, direction) : undefined
  const Icon = direction === 1 ? Plus : Minus
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.step}
      aria-label={scaled ? `${word}${to === undefined ? '' : ` to ${formatUsd(to)}`}` : `${word} by ${STAKE.step}`}
      disabled={scaled && to === undefined}
      onClick={() => onChange(to === undefined ? stepStake(value, direction) : String(to))}
    >
      {scaled ? <Icon aria-hidden /> : `${direction === 1 ? '+' : '−'}${STAKE.step}`}
    </button>
  )
}

/** One stop; arrows move between the amounts. */
function QuickStakes({ max, onChange }: Pick<StakeFieldProps, 'max' | 'onChange'>) {
  const [current, setCurrent] = useState(0)
  const all = [...QUICK_STAKES.map((stake) => ({ label: String(stake), stake })), { label: 'Max', stake: max }]
  function onKeyDown(event: KeyboardEvent<HTMLFieldSetElement>) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const next = (current + by + all.length) % all.length
    setCurrent(next)
    event.currentTarget.querySelectorAll('button')[next]?.focus()
  }
  return (
    <fieldset className={styles.quick} onKeyDown={onKeyDown}>
      <legend className="visually-hidden">Quick amounts</legend>
      {all.map(({ label, stake }, index) => (
        <Button
          key={label}
          look="secondary"
          size="small"
          tabIndex={index === current ? 0 : -1}
          onClick={() => {
            setCurrent(index)
            onChange(String(stake))
          }}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  )
}
