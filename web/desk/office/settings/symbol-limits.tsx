import { useState } from 'react'
import type { DeskSettings } from '#contract/desk/office/settings.ts'
import { Alert, Badge, Button, Card, dollarsOf, Field, formatUsd, type Refusal, withAmount } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { useAction } from '../../parts/use-action.ts'
import { meaningOf } from './amount-meaning.ts'
import styles from './settings.module.css'

/** Limits of open stakes by symbol, and how full they are. */
export function SymbolLimits({ settings, may }: { settings: DeskSettings; may: boolean }) {
  return (
    <Card title="Open stakes by symbol, real account">
      <ul className={styles.limits}>
        {settings.symbol_limits.map((row) => (
          <li key={row.symbol}>
            <span className={styles.symbol}>{row.symbol}</span>
            <meter
              className={styles.meter}
              min={0}
              max={Math.max(row.open_max, 1)}
              value={row.open}
              aria-label={`Open stake of ${row.symbol}`}
            />
            <span className={styles.quiet}>
              {formatUsd(row.open)} of {formatUsd(row.open_max)}
            </span>
            {row.open >= row.open_max && <Badge tone="warn">Full</Badge>}
          </li>
        ))}
      </ul>
      {may && <SymbolLimitForm />}
    </Card>
  )
}

interface SymbolFieldProps {
  value: string
  onChange: (symbol: string) => void
  error: Refusal | undefined
}

const SymbolField = ({ value, onChange, error }: SymbolFieldProps) => (
  <Field
    label="Symbol"
    error={error}
    placeholder="BCHBTC"
    autoComplete="off"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)

function SymbolLimitForm() {
  const [symbol, setSymbol] = useState('')
  const [limit, setLimit] = useState('')
  const [reason, setReason] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const amount = limit.trim() === '' ? null : dollarsOf(limit)
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void act(async () => {
          await send('PATCH /desk/settings', {
            body: {
              symbol_limits: [{ symbol: symbol.trim().toUpperCase(), open_max: amount ?? null }],
              reason: reason.trim(),
            },
          })
          setSymbol('')
          setLimit('')
          setReason('')
          return 'Proposed. Another admin decides.'
        })
      }}
    >
      <Alert>{error}</Alert>
      <div className={styles.fields}>
        <SymbolField value={symbol} onChange={setSymbol} error={errorOf('symbol_limits.0.symbol')} />
        <Field
          label="Limit"
          unit="$"
          hint="Leave blank for no limit."
          inputMode="decimal"
          value={limit}
          {...(amount === undefined ? meaningOf(limit, undefined) : {})}
          onChange={(event) => setLimit(event.target.value)}
        />
        <Field
          label="Reason"
          error={errorOf('reason')}
          autoComplete="off"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
      <div>
        <Button
          type="submit"
          look="secondary"
          loading={loading}
          disabled={symbol.trim() === '' || reason.trim() === '' || amount === undefined}
        >
          {withAmount('Propose the limit', limit, amount === null ? ': none' : '')}
        </Button>
      </div>
    </form>
  )
}
