import { useQuery } from '@tanstack/react-query'
import { type ChangeEvent, type FormEvent, useState } from 'react'
import type { DeskSettings, DeskSettingsChange, SettingsBody } from '#contract/desk/office/settings.ts'
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
  type Refusal,
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
  worst_loss_percent: 'Share of the equity that one scenario may cost',
  loss_limits: 'Limits of loss by factor or symbol',
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
      {data && (
        <Form
          key={JSON.stringify({ ...data, waiting: [], symbol_limits: [], loss_limits: [] })}
          settings={data}
          may={may}
        />
      )}
      {data && <SymbolLimits settings={data} may={may} />}
      {data && <LossLimits settings={data} may={may} />}
    </Page>
  )
}

/** A limit of a symbol's open stakes, or of a loss on a factor or symbol. */
interface LimitRow {
  symbol?: string
  name?: string
  open_max?: number | null
  loss_max?: number | null
}
const limitOf = ({ open_max, loss_max }: LimitRow): number | null => open_max ?? loss_max ?? null

const shown = (key: string, value: unknown): string =>
  value === null || value === undefined
    ? '–'
    : typeof value === 'boolean'
      ? value
        ? 'yes'
        : 'no'
      : typeof value === 'number'
        ? key.endsWith('percent')
          ? `${value}%`
          : formatUsd(value)
        : Array.isArray(value)
          ? value
              .map(
                (row: LimitRow) =>
                  `${row.symbol ?? row.name} ${limitOf(row) === null ? 'no limit' : formatUsd(limitOf(row) ?? 0)}`,
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

/** What the house may lose in one scenario: a share of its equity, and less on single factors and symbols. */
function LossLimits({ settings: { worst_loss_percent, loss_limits }, may }: { settings: DeskSettings; may: boolean }) {
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

interface LossTyped {
  share: string
  name: string
  limit: string
  reason: string
}

/** What a typed limit of loss changes; an amount that can't be read is undefined. */
function lossChanges({ share, name, limit }: LossTyped, percent: number): Partial<SettingsBody> | undefined {
  const amount = limit.trim() === '' ? null : dollarsOf(limit)
  if (amount === undefined) return undefined
  return {
    ...(Number(share) === percent ? {} : { worst_loss_percent: Number(share) }),
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
          type="submit"
          look="secondary"
          loading={loading}
          disabled={Object.keys(changes ?? {}).length === 0 || reason === ''}
        >
          Propose a limit of loss
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
        error={errorOf('worst_loss_percent')}
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
