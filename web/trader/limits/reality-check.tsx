import { lazy, Suspense, useState } from 'react'
import { call, useRequest } from '#web/api/index.ts'
import { Modal, SkeletonRows, useLast } from '#web/ui/index.ts'
import { showGuardrails, useGuardrails } from './use-guardrails.ts'

/** Every screen has this check, and few ever show it. */
const RealityCheckFacts = lazy(() => import('./reality-check-facts.tsx'))

/**
 * The reality check that is due: time, trades and result of the session. The server accepts no real trade before it's
 * confirmed. Another tab's confirmation closes it here too.
 */
export function RealityCheck() {
  const { data, dataUpdatedAt } = useGuardrails()
  const due = data?.data.check_due ?? undefined
  // Closing it only uncovers the screen, for example a trade that is about to settle: the next trade brings it back.
  const [closedAt, setClosedAt] = useState(0)
  const shown = useLast(due)
  const { loading, error, run } = useRequest()
  const confirm = () =>
    run(async () => {
      if (!due) return
      const confirmed = await call('POST /guardrails/reality-check/confirm', { body: { number: due.number } })
      showGuardrails(confirmed.data)
    })
  return (
    <Modal
      open={due !== undefined && closedAt !== dataUpdatedAt}
      onClose={() => setClosedAt(dataUpdatedAt)}
      title="Reality check"
      sheet
    >
      {shown && (
        <Suspense fallback={<SkeletonRows rows={3} label="Loading the reality check" />}>
          <RealityCheckFacts check={shown} error={error} loading={loading} onConfirm={() => void confirm()} />
        </Suspense>
      )}
    </Modal>
  )
}
