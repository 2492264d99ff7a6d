import { lazy, Suspense } from 'react'
import { leaveScreen, useAsksPassword } from '#web/api/index.ts'
import { Modal, Skeleton } from '#web/ui/index.ts'

const AskPassword = lazy(() => import('./ask-password.tsx'))

/**
 * Asks for the password once after the e-mail address was confirmed elsewhere, over the screen and what was typed.
 * Closing it leads to sign-in.
 */
export function ConfirmedElsewhere() {
  const asks = useAsksPassword()
  return (
    <Modal open={asks} onClose={leaveScreen} title="Your e-mail is confirmed" sheet>
      {asks && (
        <Suspense fallback={<Skeleton kind="block" />}>
          <AskPassword />
        </Suspense>
      )}
    </Modal>
  )
}
