import { lazy, Suspense } from 'react'
import { closeStatement, useStatement } from './open-statement.ts'

const StatementModal = lazy(() => import('./statement-modal.tsx'))

/** The place of the statement's modal: once in the frame of all screens. */
export function Statement() {
  const { modal } = useStatement()
  if (modal === 'unopened') return null
  return (
    <Suspense>
      <StatementModal open={modal === 'open'} onClose={closeStatement} />
    </Suspense>
  )
}
