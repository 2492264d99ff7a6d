import { Minus, Plus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import { Button, cx, dollarsOf, errorText, STAKE } from '#web/ui/index.ts'
import { QUICK_STAKES, stepStake } from './order.ts'
import styles from './stake-field.module.css'

interface StakeFieldProps {
  value: string
  onChange: (typed: string) => void
  /** The largest stake that would be accepted, US dollars, and the limit that caps it. */
  max: number
  maxWords: string
  problem: string | undefined
  /** Without the quick steps, for the phone's bar. */
  compact?: boolean
}

/**
 * The stake: any amount to the cent from 1 to the balance; the arrows step by 120. A text field, because one of type
 * number turns `12,50` into 1250 in some browsers, and shows what it doesn't send.
 */
export function StakeField({ value, onChange, max, maxWords, problem, compact }: StakeFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const message = useRef<HTMLParagraphElement>(null)
  // On a low screen the panel ends right below the field.
  useEffect(() => {
    if (problem !== undefined && document.activeElement === input.current)
      message.current?.scrollIntoView({ block: 'nearest' })
  }, [problem])
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    onChange(stepStake(value, event.key === 'ArrowUp' ? 1 : -1))
  }
  return (
    <div className={styles.amount}>
      <label className={compact ? 'visually-hidden' : styles.label} htmlFor={id}>
        Amount
      </label>
      <div className={styles.group}>
        <button
          type="button"
          className={styles.step}
          aria-label={`Decrease by ${STAKE.step}`}
          onClick={() => onChange(stepStake(value, -1))}
        >
          <Minus aria-hidden />
        </button>
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
            aria-describedby={cx(problem !== undefined && `${id}-problem`, !compact && `${id}-most`) || undefined}
          />
        </span>
        <button
          type="button"
          className={styles.step}
          aria-label={`Increase by ${STAKE.step}`}
          onClick={() => onChange(stepStake(value, 1))}
        >
          <Plus aria-hidden />
        </button>
      </div>
      <p ref={message} className={styles.problem} id={`${id}-problem`} role="alert">
        {problem && errorText('Amount', problem)}
      </p>
      {!compact && (
        <fieldset className={styles.quick}>
          <legend className="visually-hidden">Quick amounts</legend>
          {QUICK_STAKES.map((stake) => (
            <Button key={stake} look="secondary" size="small" onClick={() => onChange(String(stake))}>
              {stake}
            </Button>
          ))}
          <Button look="secondary" size="small" title={maxWords} onClick={() => onChange(String(max))}>
            Max
          </Button>
        </fieldset>
      )}
      {!compact && (
        <p className={styles.most} id={`${id}-most`}>
          {maxWords}
        </p>
      )}
    </div>
  )
}
