import { lazy, Suspense } from 'react'
import { useStepUp } from '#web/api/index.ts'
import { Modal, Skeleton } from '#web/ui/index.ts'

const ConfirmForm = lazy(() => import('./confirm-form.tsx'))

/** Opens over everything where a call wants the second factor again; the call goes on by itself when it is confirmed. */
export function StepUp() {
  const answer = useStepUp((state) => state.answer)
  return (
    <Modal open={answer !== undefined} onClose={() => answer?.(undefined)} title="Confirm it is you" sheet>
      {answer && (
        <Suspense fallback={<Skeleton kind="block" />}>
          <ConfirmForm onToken={answer} />
        </Suspense>
      )}
    </Modal>
  )
}
