import type { DeskSettingsChange } from '#contract/desk/office/settings.ts'
import { Card, formatDateTime, formatUsd } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { AdminDecision } from '../../queues/screen/proposal.tsx'
import { ADDRESSES, AMOUNTS } from './setting-names.ts'
import styles from './settings.module.css'

const WORDS: Record<string, string> = {
  ...Object.fromEntries([...AMOUNTS, ...ADDRESSES].map(([key, label]) => [key, label])),
  withdrawals_need_identity: 'Withdrawals need an approved identity',
  symbol_limits: 'Open stake limits by symbol',
  worst_loss_percent: 'Share of the equity that one scenario may cost',
  loss_limits: 'Limits of loss by factor or symbol',
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

/** A change that a second admin decides. */
export function SettingsChange({ change, may }: { change: DeskSettingsChange; may: boolean }) {
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
        by={change.proposed_by.operator_id}
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
