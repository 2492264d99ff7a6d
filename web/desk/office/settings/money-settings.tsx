import { useState } from 'react'
import type { DeskSettings, SettingsBody } from '#contract/desk/office/settings.ts'
import { must } from '#kernel/must.ts'
import { Alert, Button, Card, Checkbox, dollarsOf, Field, type Refusal } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import { meaningOf } from './amount-meaning.ts'
import { settingsButton } from './confirming-buttons.ts'
import { ADDRESSES, AMOUNTS } from './setting-names.ts'
import styles from './settings.module.css'

/** The form's fields, and what they change. */
function useSettingsForm(settings: DeskSettings) {
  const [amounts, setAmounts] = useState<Record<string, string>>(
    Object.fromEntries(AMOUNTS.map(([key]) => [key, settings[key].toFixed(2)])),
  )
  const [addresses, setAddresses] = useState<Record<string, string>>(
    Object.fromEntries(ADDRESSES.map(([key]) => [key, settings[key] ?? ''])),
  )
  const [needsIdentity, setNeedsIdentity] = useState(settings.withdrawals_need_identity)
  const changes: Partial<SettingsBody> = {}
  for (const [key] of AMOUNTS) {
    const amount = dollarsOf(must(amounts[key]))
    if (amount !== undefined && amount !== settings[key]) changes[key] = amount
  }
  const isWrong = AMOUNTS.some(([key]) => dollarsOf(must(amounts[key])) === undefined)
  for (const [key] of ADDRESSES) {
    const address = must(addresses[key]).trim() || null
    if (address !== settings[key]) changes[key] = address
  }
  if (needsIdentity !== settings.withdrawals_need_identity) changes.withdrawals_need_identity = needsIdentity
  return { amounts, setAmounts, addresses, setAddresses, needsIdentity, setNeedsIdentity, changes, isWrong }
}

/** Limits, thresholds of a second person, and where deposits go. */
export function MoneySettings({ settings, may }: { settings: DeskSettings; may: boolean }) {
  const form = useSettingsForm(settings)
  const { changes } = form
  const count = Object.keys(changes).length
  const amounts = AMOUNTS.flatMap(([key]) => (changes[key] === undefined ? [] : [must(form.amounts[key])]))
  const [reason, setReason] = useState('')
  const { loading, error, errorOf, act } = useAction()
  return (
    <Card title="Limits and money">
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void act(async () => {
            await send('PATCH /desk/settings', { body: { ...changes, reason: reason.trim() } })
            setReason('')
            return 'Proposed. Another admin decides.'
          })
        }}
      >
        <AmountFields form={form} may={may} errorOf={errorOf} />
        <AddressFields form={form} may={may} errorOf={errorOf} />
        <Checkbox
          disabled={!may}
          checked={form.needsIdentity}
          onChange={(event) => form.setNeedsIdentity(event.target.checked)}
        >
          Withdrawals need an approved identity
        </Checkbox>
        {count > 0 && may && (
          <>
            <Alert>{error}</Alert>
            <Field
              label="Reason"
              error={errorOf('reason')}
              autoComplete="off"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
            <div>
              <Button
                className={styles.amounts}
                type="submit"
                loading={loading}
                disabled={form.isWrong || reason.trim() === ''}
              >
                {settingsButton(amounts, count)}
              </Button>
            </div>
          </>
        )}
      </form>
    </Card>
  )
}

interface FieldsProps {
  form: ReturnType<typeof useSettingsForm>
  may: boolean
  errorOf: (field: string) => Refusal | undefined
}

function AmountFields({ form: { amounts, setAmounts, changes }, may, errorOf }: FieldsProps) {
  return (
    <div className={styles.fields}>
      {AMOUNTS.map(([key, label]) => (
        <Field
          key={key}
          label={label}
          unit="$"
          inputMode="decimal"
          readOnly={!may}
          value={amounts[key]}
          error={errorOf(key)}
          {...meaningOf(must(amounts[key]), changes[key])}
          onChange={(event) => setAmounts({ ...amounts, [key]: event.target.value })}
        />
      ))}
    </div>
  )
}

function AddressFields({ form: { addresses, setAddresses }, may, errorOf }: FieldsProps) {
  return (
    <>
      {ADDRESSES.map(([key, label, hint]) => (
        <Field
          key={key}
          label={label}
          hint={hint}
          readOnly={!may}
          autoComplete="off"
          spellCheck={false}
          value={addresses[key]}
          error={errorOf(key)}
          onChange={(event) => setAddresses({ ...addresses, [key]: event.target.value })}
        />
      ))}
    </>
  )
}
