import { lazy, Suspense } from 'react'
import { closeStatement, useStatement } from './open-statement.ts'

const StatementModal = lazy(() => import('./statement-modal.tsx'))

/** Mounts the statement modal, once in the layout of all screens. */
export function Statement() {
  const { modal } = useStatement()
  if (modal === 'unopened') return null
  return (
    <Suspense>
      <StatementModal open={modal === 'open'} onClose={closeStatement} />
    </Suspense>
  )
}
