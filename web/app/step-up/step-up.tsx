import { lazy, Suspense } from 'react'
import { useStepUp } from '#web/api/index.ts'
import { Modal, Skeleton } from '#web/ui/index.ts'

const ConfirmForm = lazy(() => import('./confirm-form.tsx'))

/** Opens over everything when a call requires the second factor again; the call continues by itself once confirmed. */
export function StepUp() {
  const answer = useStepUp((state) => state.answer)
  return (
    <Modal open={answer !== undefined} onClose={() => answer?.(undefined)} title="Confirm it's you" sheet>
      {answer && (
        <Suspense fallback={<Skeleton kind="block" />}>
          <ConfirmForm onToken={answer} />
        </Suspense>
      )}
    </Modal>
  )
}
