import type { Withdrawal } from '#contract/money/cashier.ts'
import { formatDateTime } from '#web/ui/index.ts'

/** The steps of a withdrawal. One that ended otherwise has only those that it took. */
export function withdrawalSteps({ status, createdAt, approved_at, since, due_by }: Withdrawal) {
  const requested = { name: 'Requested', at: createdAt }
  const approved = { name: 'Approved', at: approved_at }
  if (status === 'Rejected' || status === 'Cancelled')
    return [
      requested,
      ...(approved_at === undefined ? [] : [approved]),
      { name: status === 'Rejected' ? 'Rejected' : 'Cancelled by you', at: since },
    ]
  const note = due_by === undefined ? undefined : `by ${formatDateTime(due_by)}`
  return [requested, approved, status === 'Paid' ? { name: 'Paid', at: since } : { name: 'Paid', note }]
}
