import type { Instrument } from '#contract/prices/prices.ts'
import { livePrice, tapeNow } from '#web/api/index.ts'
import { Choices, Field, Select } from '#web/ui/index.ts'
import { nextTime, useWait, VALID_FOR, type WaitProblems, type When } from './wait.ts'
import styles from './when-fields.module.css'

const WHEN: readonly { value: When; label: string }[] = [
  { value: 'now', label: 'Now' },
  { value: 'price', label: 'At a price' },
  { value: 'time', label: 'At a time' },
]

interface WhenFieldsProps {
  symbol: Instrument['symbol']
  problems: WaitProblems
}

/** When the order is placed: now, or when the price or the time is there. */
export function WhenFields({ symbol, problems }: WhenFieldsProps) {
  const wait = useWait()
  return (
    <div className={styles.when}>
      <Choices
        label="When the order is placed"
        quiet
        className={styles.choices}
        value={wait.when}
        options={WHEN}
        onChange={(when) =>
          useWait.setState({ when, ...(when === 'price' && { level: livePrice(symbol)?.price ?? '' }) })
        }
      />
      {wait.when === 'price' && (
        <div className={styles.pair}>
          <Field
            label="Price"
            inputMode="decimal"
            autoComplete="off"
            value={wait.level}
            aria-invalid={problems.level !== undefined}
            onChange={(event) => useWait.setState({ level: event.target.value })}
          />
          <Select
            label="Valid for"
            value={wait.validMs}
            onChange={(event) => useWait.setState({ validMs: Number(event.target.value) })}
          >
            {VALID_FOR.map(({ ms, name }) => (
              <option key={ms} value={ms}>
                {name}
              </option>
            ))}
          </Select>
        </div>
      )}
      {wait.when === 'time' && (
        <div className={styles.pair}>
          <Field
            label="Time"
            type="time"
            value={wait.time}
            onChange={(event) => useWait.setState({ time: event.target.value })}
          />
          <p className={styles.note}>{timeNote(wait.time)}</p>
        </div>
      )}
    </div>
  )
}

/** How long it is until a time. */
function timeNote(time: string): string {
  const now = tapeNow()
  const at = nextTime(time, now)
  if (at === undefined) return 'The next time that a clock here shows it.'
  const minutes = Math.max(1, Math.round((at - now) / 60_000))
  const words = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `In ${words}.`
}
