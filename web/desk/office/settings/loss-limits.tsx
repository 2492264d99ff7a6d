import { type ChangeEvent, type FormEvent, useState } from 'react'
import type { DeskSettings, SettingsBody } from '#contract/desk/office/settings.ts'
import {
  Alert,
  Button,
  Card,
  decimalOf,
  dollarsOf,
  Field,
  formatUsd,
  type Refusal,
  readDecimal,
} from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import { meaningOf } from './amount-meaning.ts'
import { type LossTyped, lossButton } from './confirming-buttons.ts'
import styles from './settings.module.css'

/** What the house may lose in one scenario: a share of its equity, and less on single factors and symbols. */
export function LossLimits({
  settings: { worst_loss_percent, loss_limits },
  may,
}: {
  settings: DeskSettings
  may: boolean
}) {
  return (
    <Card title="What the house may lose">
      <p>
        {worst_loss_percent}% of the equity in one scenario, for each factor and symbol in each direction.
        {loss_limits.length === 0 && ' No factor or symbol has a lower limit.'}
      </p>
      <ul className={styles.limits}>
        {loss_limits.map(({ name, loss_max }) => (
          <li key={name}>
            <span className={styles.symbol}>{name}</span> at most {formatUsd(loss_max)}
          </li>
        ))}
      </ul>
      {may && <LossLimitForm percent={worst_loss_percent} />}
    </Card>
  )
}

/** What a typed limit of loss changes; undefined if a number can't be read. */
function lossChanges({ share, name, limit }: LossTyped, percent: number): Partial<SettingsBody> | undefined {
  const amount = limit.trim() === '' ? null : dollarsOf(limit)
  const { decimal } = readDecimal(share, 0)
  if (amount === undefined || decimal === undefined) return undefined
  return {
    ...(decimalOf(decimal, 0) === percent ? {} : { worst_loss_percent: decimalOf(decimal, 0) }),
    ...(name.trim() === '' ? {} : { loss_limits: [{ name: name.trim().toUpperCase(), loss_max: amount }] }),
  }
}

function LossLimitForm({ percent }: { percent: number }) {
  const nothing: LossTyped = { share: String(percent), name: '', limit: '', reason: '' }
  const [typed, setTyped] = useState(nothing)
  const { loading, error, errorOf, act } = useAction()
  const changes = lossChanges(typed, percent)
  const reason = typed.reason.trim()
  async function propose(event: FormEvent) {
    event.preventDefault()
    if (!changes || reason === '') return
    const done = await act(async () => {
      await send('PATCH /desk/settings', { body: { ...changes, reason } })
      return 'Proposed. Another admin decides.'
    })
    if (done) setTyped(nothing)
  }
  return (
    <form className={styles.form} noValidate onSubmit={(event) => void propose(event)}>
      <Alert>{error}</Alert>
      <LossFields typed={typed} onType={setTyped} errorOf={errorOf} />
      <div>
        <Button
          className={styles.amounts}
          type="submit"
          look="secondary"
          loading={loading}
          disabled={Object.keys(changes ?? {}).length === 0 || reason === ''}
        >
          {lossButton(typed, percent)}
        </Button>
      </div>
    </form>
  )
}

interface LossFieldsProps {
  typed: LossTyped
  onType: (typed: LossTyped) => void
  errorOf: (field: string) => Refusal | undefined
}

function LossFields({ typed, onType, errorOf }: LossFieldsProps) {
  const field = (key: keyof LossTyped) => ({
    value: typed[key],
    autoComplete: 'off',
    onChange: (event: ChangeEvent<HTMLInputElement>) => onType({ ...typed, [key]: event.target.value }),
  })
  return (
    <div className={styles.fields}>
      <Field
        label="Share of the equity, %"
        inputMode="numeric"
        error={readDecimal(typed.share, 0).problem ?? errorOf('worst_loss_percent')}
        {...field('share')}
      />
      <Field
        label="Factor or symbol"
        placeholder="BTC"
        error={errorOf('loss_limits') ?? errorOf('loss_limits.0.name')}
        {...field('name')}
      />
      <Field
        label="Largest loss"
        unit="$"
        hint="Leave blank for no limit."
        inputMode="decimal"
        {...meaningOf(typed.limit.trim() === '' ? '0' : typed.limit, undefined)}
        {...field('limit')}
      />
      <Field label="Reason" error={errorOf('reason')} {...field('reason')} />
    </div>
  )
}
