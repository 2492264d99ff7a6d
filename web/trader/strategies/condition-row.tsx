import { X } from 'lucide-react'
import { useId } from 'react'
import { conditionWords } from '#contract/rules/sentence.ts'
import { BEFORE_MAX, RULE_PRICES } from '#contract/trading/own-strategies.ts'
import { indicatorOf } from '#kernel/indicators/list.ts'
import { Alert, Button, cx, Field, Select } from '#web/ui/index.ts'
import {
  type ConditionDraft,
  conditionIn,
  freshOperand,
  INDICATORS_BY_NAME,
  type LookDraft,
  type OperandDraft,
  type TimesDraft,
  VERBS,
  type Verb,
  withLeft,
} from './draft.ts'
import styles from './editor.module.css'

const CANDLES_BACK = Array.from({ length: BEFORE_MAX + 1 }, (_, before) => before)

interface ConditionRowProps {
  condition: ConditionDraft
  /** Its place in the side, from 1. */
  place: number
  zone: string
  /** By part: `left`. */
  errorOf: (part: string) => string | undefined
  onChange: (condition: ConditionDraft) => void
  onRemove: () => void
}

/** One condition, as fields in the order of its sentence. */
export function ConditionRow({ condition, place, zone, errorOf, onChange, onRemove }: ConditionRowProps) {
  const words = wordsOf(condition, zone)
  const problem = errorOf('left') ?? errorOf('right') ?? errorOf('from') ?? errorOf('days')
  return (
    <li>
      <fieldset className={cx(styles.condition, problem !== undefined && styles.isWrong)}>
        <legend className="visually-hidden">{`Condition ${place}`}</legend>
        <div className={styles.conditionHead}>
          <p className={styles.words}>{words}</p>
          <Button look="quiet" icon size="small" aria-label={`Remove condition ${place}: ${words}`} onClick={onRemove}>
            <X aria-hidden />
          </Button>
        </div>
        {'days' in condition ? (
          <TimesFields times={condition} isWrong={problem !== undefined} onChange={onChange} />
        ) : (
          <LookFields look={condition} errorOf={errorOf} onChange={onChange} />
        )}
        <Alert>{problem}</Alert>
      </fieldset>
    </li>
  )
}

function wordsOf(condition: ConditionDraft, zone: string): string {
  const isOpen = !('days' in condition) && [condition.left, condition.right].some(isOpenNumber)
  const words = conditionWords(conditionIn(condition), zone)
  return isOpen ? `${words.trim()} …` : words.charAt(0).toUpperCase() + words.slice(1)
}

const isOpenNumber = ({ what, number }: OperandDraft) => what === 'number' && number.trim() === ''

interface LookFieldsProps {
  look: LookDraft
  errorOf: (part: string) => string | undefined
  onChange: (look: LookDraft) => void
}

function LookFields({ look, errorOf, onChange }: LookFieldsProps) {
  return (
    <div className={styles.look}>
      <OperandFields
        label="Value"
        operand={look.left}
        isWrong={errorOf('left') !== undefined}
        onChange={(left) => onChange(withLeft(look, left))}
      />
      <div className={styles.verb}>
        <Select
          label="Comparison"
          value={look.verb}
          onChange={(event) => onChange({ ...look, verb: event.target.value as Verb })}
        >
          {VERBS.map((verb) => (
            <option key={verb}>{verb}</option>
          ))}
        </Select>
      </div>
      <OperandFields
        label="Compared with"
        takesNumber
        operand={look.right}
        isWrong={errorOf('right') !== undefined}
        onChange={(right) => onChange({ ...look, right })}
      />
    </div>
  )
}

interface OperandFieldsProps {
  label: string
  takesNumber?: boolean
  operand: OperandDraft
  isWrong: boolean
  onChange: (operand: OperandDraft) => void
}

function OperandFields({ label, takesNumber, operand, isWrong, onChange }: OperandFieldsProps) {
  const known = indicatorOf(operand.what)
  const lines = known?.outputs ?? []
  return (
    <div className={styles.operand}>
      <div className={styles.what}>
        <SourceSelect
          label={label}
          value={operand.what}
          takesNumber={takesNumber}
          onChange={(what) => onChange(freshOperand(what, operand.number))}
        />
      </div>
      {operand.what === 'number' && (
        <div className={styles.small}>
          <Field
            label="Number"
            inputMode="decimal"
            autoComplete="off"
            maxLength={30}
            value={operand.number}
            aria-invalid={isWrong}
            onChange={(event) => onChange({ ...operand, number: event.target.value })}
          />
        </div>
      )}
      {known?.inputs.map(({ name }, at) => (
        <div key={name} className={styles.small}>
          <Field
            label={name}
            inputMode="decimal"
            autoComplete="off"
            maxLength={8}
            value={operand.inputs[at] ?? ''}
            aria-invalid={isWrong}
            onChange={(event) => onChange({ ...operand, inputs: operand.inputs.with(at, event.target.value) })}
          />
        </div>
      ))}
      {lines.length > 1 && (
        <div className={styles.medium}>
          <Select
            label="Line"
            value={operand.output}
            onChange={(event) => onChange({ ...operand, output: event.target.value })}
          >
            {lines.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </Select>
        </div>
      )}
      {operand.what !== 'number' && (
        <div className={styles.medium}>
          <Select
            label="Candle"
            value={operand.before}
            onChange={(event) => onChange({ ...operand, before: Number(event.target.value) })}
          >
            {CANDLES_BACK.map((before) => (
              <option key={before} value={before}>
                {before === 0 ? 'The newest' : `${before} earlier`}
              </option>
            ))}
          </Select>
        </div>
      )}
    </div>
  )
}

interface SourceSelectProps {
  label: string
  value: OperandDraft['what']
  takesNumber: boolean | undefined
  onChange: (what: string) => void
}

/** Chooses what an operand is: a number, a price of the candle or an indicator. */
function SourceSelect({ label, value, takesNumber, onChange }: SourceSelectProps) {
  return (
    <Select label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {takesNumber && <option value="number">Number</option>}
      <optgroup label="Price">
        {RULE_PRICES.map((price) => (
          <option key={price} value={price}>
            {price.charAt(0).toUpperCase() + price.slice(1)}
          </option>
        ))}
      </optgroup>
      <optgroup label="Indicator">
        {INDICATORS_BY_NAME.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </optgroup>
    </Select>
  )
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const DAY_ORDER = [1, 2, 3, 4, 5, 6, 0] as const

interface TimesFieldsProps {
  times: TimesDraft
  isWrong: boolean
  onChange: (times: TimesDraft) => void
}

function TimesFields({ times, isWrong, onChange }: TimesFieldsProps) {
  const group = useId()
  return (
    <div className={styles.look}>
      <div className={styles.operand}>
        {(['from', 'to'] as const).map((end) => (
          <div key={end} className={styles.medium}>
            <Field
              label={end === 'from' ? 'From' : 'Until'}
              type="time"
              value={times[end]}
              aria-invalid={isWrong}
              onChange={(event) => onChange({ ...times, [end]: event.target.value })}
            />
          </div>
        ))}
      </div>
      <fieldset className={styles.days} aria-labelledby={group}>
        <p id={group} className={styles.groupLabel}>
          Days
        </p>
        <div className={styles.chips}>
          {DAY_ORDER.map((day) => {
            const isOn = times.days.includes(day)
            return (
              <label key={day} className={cx(styles.chip, isOn && styles.chipOn)}>
                <input
                  type="checkbox"
                  checked={isOn}
                  // At least one day stays.
                  disabled={isOn && times.days.length === 1}
                  onChange={() =>
                    onChange({
                      ...times,
                      days: isOn ? times.days.filter((one) => one !== day) : [...times.days, day].sort(),
                    })
                  }
                />
                {DAYS[day]}
              </label>
            )
          })}
        </div>
      </fieldset>
    </div>
  )
}
