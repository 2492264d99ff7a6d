import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeskSettings, DeskSettingsChange, SettingsBody } from '#contract/desk/settings.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { must } from '#kernel/must.ts'
import { problemOf } from '#web/client/index.ts'
import {
  Alert,
  Badge,
  Button,
  Card,
  Checkbox,
  dollarsOf,
  Field,
  formatDateTime,
  formatUsd,
  ListError,
  Page,
  readUsd,
  SkeletonRows,
  withAmount,
} from '#web/ui/index.ts'
import { OFTEN_MS, queryOf, send } from '../api.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { useAction } from '../parts/use-action.ts'
import { AdminDecision } from '../queues/screen/proposal.tsx'
import { useMay } from '../session.ts'
import styles from './settings.module.css'
import { WaitingKeys } from './waiting-keys.tsx'

const AMOUNTS = [
  ['stake_max', 'Largest stake of one trade'],
  ['open_stake_max', 'Largest open stake of one trader'],
  ['deposit_two_person_amount', 'Deposits above this take two people'],
  ['withdraw_two_person_amount', 'Withdrawals above this take two people'],
  ['deposit_operator_day_amount', 'Deposits that one person may approve alone in 24 hours'],
  ['withdraw_operator_day_amount', 'Withdrawals that one person may approve alone in 24 hours'],
] as const
const ADDRESSES = [
  [
    'btc_address',
    'Bitcoin address for deposits',
    'An address, or an extended public key (zpub, xpub) that gives each trader their own address.',
  ],
  ['eth_address', 'Ethereum address for deposits', 'An address, or an extended public key (xpub).'],
] as const
const WORDS: Record<string, string> = {
  ...Object.fromEntries([...AMOUNTS, ...ADDRESSES].map(([key, label]) => [key, label])),
  withdrawals_need_identity: 'Withdrawals need an approved identity',
  symbol_limits: 'Open stake limits by symbol',
}

/** The settings of the installation. Every change needs a second admin. */
export default function Settings() {
  const settings = useQuery(queryOf('GET /desk/settings', undefined, OFTEN_MS))
  const may = useMay(PAGES.settings.acts)
  const problem = problemOf(settings)
  const data = settings.data?.data
  return (
    <Page title="Settings" intro="One admin proposes a change. It takes effect once another admin approves it.">
      <DeskTitle>Settings</DeskTitle>
      {problem && <ListError {...problem} />}
      {settings.isPending && !problem && <SkeletonRows rows={8} label="Loading the settings" />}
      <WaitingKeys />
      {data?.waiting.map((change) => (
        <Waiting key={change.id} change={change} may={may} />
      ))}
      {data && <Form key={JSON.stringify({ ...data, waiting: [], symbol_limits: [] })} settings={data} may={may} />}
      {data && <SymbolLimits settings={data} may={may} />}
    </Page>
  )
}

const shown = (key: string, value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : typeof value === 'number'
        ? formatUsd(value)
        : Array.isArray(value)
          ? value
              .map(
                (row: { symbol: string; open_max: number | null }) =>
                  `${row.symbol} ${row.open_max === null ? 'no limit' : formatUsd(row.open_max)}`,
              )
              .join(', ')
          : key.endsWith('address')
            ? String(value)
            : JSON.stringify(value)

function Waiting({ change, may }: { change: DeskSettingsChange; may: boolean }) {
  const params = { id: change.id }
  return (
    <Card title="Change awaiting approval">
      <dl className={styles.change}>
        {Object.entries(change.changes).map(([key, value]) => (
          <div key={key}>
            <dt>{WORDS[key] ?? key}</dt>
            <dd>
              <s>{shown(key, change.before[key])}</s> {shown(key, value)}
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.quiet}>
        {change.proposed_by.email}, {formatDateTime(change.created_at)}: {change.reason}
      </p>
      <AdminDecision
        may={may}
        own={change.own}
        decision={{
          what: 'this change of the settings',
          approve: () => send('POST /desk/settings/changes/:id/approve', { params }),
          approved: 'The change is in effect.',
          reject: (reason) => send('POST /desk/settings/changes/:id/reject', { params, body: { reason } }),
          rejected: 'The change was rejected.',
        }}
      />
    </Card>
  )
}

/** What a field says about its amount: why it can't be read, or what it changes to. */
const meaningOf = (typed: string, changesTo: number | undefined) => {
  const { problem } = readUsd(typed)
  if (problem !== undefined) return { error: problem }
  return changesTo === undefined ? {} : { hint: `Changes to ${formatUsd(changesTo)}.` }
}

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

function Form({ settings, may }: { settings: DeskSettings; may: boolean }) {
  const form = useSettingsForm(settings)
  const { changes } = form
  const count = Object.keys(changes).length
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
              <Button type="submit" loading={loading} disabled={form.isWrong || reason.trim() === ''}>
                Propose {count === 1 ? 'this change' : `these ${count} changes`}
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
  errorOf: (field: string) => string | undefined
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

function SymbolLimits({ settings, may }: { settings: DeskSettings; may: boolean }) {
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
  error: string | undefined
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
