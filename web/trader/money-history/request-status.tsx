import type { Deposit, Withdrawal } from '#contract/money/cashier.ts'
import { Fact, formatDateTime } from '#web/ui/index.ts'

/** Who is working on a request and by when, or when it was closed. */
export function RequestStatus({ of: { status, held_by, since, due_by } }: { of: Deposit | Withdrawal }) {
  if (status !== 'Pending' && status !== 'Processing') return <Fact name="Closed">{formatDateTime(since)}</Fact>
  return (
    <>
      <Fact name="Handled by">{held_by}</Fact>
      <Fact name="Since">{formatDateTime(since)}</Fact>
      {due_by && <Fact name="Due by">{formatDateTime(due_by)}</Fact>}
    </>
  )
}
