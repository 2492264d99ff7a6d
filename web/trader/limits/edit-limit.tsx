import { useEffect, useState } from 'react'
import { type GuardLimit, TIME_MAX, TIME_MIN } from '#contract/account/guardrails.ts'
import { usdToNumber } from '#kernel/money.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, Field, formatUsd, Modal, readUsd, toast, useLast } from '#web/ui/index.ts'
import styles from './limits.module.css'
import { showGuardrails } from './use-guardrails.ts'
import { amountText, changeText, HEADINGS, PERIOD_WORDS } from './words.ts'

/** Sets, changes or removes one limit, and says when that applies. */
export function EditLimit({ limit, onClose }: { limit: GuardLimit | undefined; onClose: () => void }) {
  const shown = useLast(limit)
  const [text, setText] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const { loading, error, errorOf, run } = useRequest()
  useEffect(() => {
    if (!limit) return
    setText(limit.max === null ? '' : String(limit.max))
    setIsChecked(false)
  }, [limit])
  if (!shown) return null
  const { guarded, period, max } = shown
  const isTime = guarded === 'time'
  const { amount, wrong } = parsed(shown, text)
  const name = `${PERIOD_WORDS[period].adjective} ${HEADINGS[guarded].noun}`

  const save = (to: number | null) =>
    run(async () => {
      const { data } = await call('PUT /guardrails/limits', { body: { guarded, period, max: to } })
      showGuardrails(data)
      const saved = data.limits.find((one) => one.guarded === guarded && one.period === period)
      toast.success(saved?.pending ? 'You can confirm this in 24 hours.' : 'Your limit is set.')
      onClose()
    })

  return (
    <Modal open={limit !== undefined} onClose={onClose} title={`${max === null ? 'Set' : 'Change'} your ${name}`} sheet>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setIsChecked(true)
          if (amount !== undefined && amount !== max) void save(amount)
        }}
      >
        <Field
          label={isTime ? 'Minutes' : 'Amount'}
          unit={isTime ? undefined : '$'}
          inputMode={isTime ? 'numeric' : 'decimal'}
          autoComplete="off"
          value={text}
          error={isChecked ? (wrong ?? errorOf('max')) : undefined}
          hint={
            amount === undefined
              ? `You have used ${amountText(guarded, Math.max(0, shown.used))} so far.`
              : `${isTime ? `${amountText(guarded, amount)}. ` : ''}${changeText(max, amount)}`
          }
          onChange={(event) => setText(event.target.value)}
        />
        <Alert>{error}</Alert>
        <div className={styles.buttons}>
          {max !== null && (
            <Button look="secondary" loading={loading} onClick={() => void save(null)}>
              Remove after 24 hours
            </Button>
          )}
          <Button type="submit" loading={loading}>
            {max !== null && amount !== undefined && amount > max ? 'Ask for this limit' : 'Set limit'}
            {amount !== undefined && !isTime && `: ${formatUsd(amount)}`}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/** Reads the field: an amount, or what is wrong with it. */
function parsed({ guarded, period }: GuardLimit, text: string): { amount?: number; wrong?: string } {
  const typed = text.trim()
  if (typed === '') return { wrong: 'must not be empty' }
  if (guarded !== 'time') {
    const { amount, problem } = readUsd(typed)
    if (amount === undefined) return { wrong: problem }
    return amount < 100n ? { wrong: 'must be at least 1' } : { amount: usdToNumber(amount) }
  }
  if (!/^\d{1,6}$/.test(typed)) return { wrong: 'must be a whole number' }
  const minutes = Number(typed)
  if (minutes < TIME_MIN) return { wrong: `must be at least ${TIME_MIN}` }
  return minutes > TIME_MAX[period] ? { wrong: `must be at most ${TIME_MAX[period]}` } : { amount: minutes }
}
