import { lazy, Suspense } from 'react'
import type { ComplaintItem } from '#contract/terms.ts'
import { useIsGuest } from '#web/api/index.ts'

const ProblemSection = lazy(() => import('./problem-section.tsx'))

interface ReportProblemProps {
  item: ComplaintItem
  itemId: string
  /** Whether the details are open: nothing is read before. */
  isOpen: boolean
}

/**
 * The last part of an item's details: the complaint about it, the money returned for it, and a button to report a
 * problem. Its code is loaded when it is shown.
 */
export function ReportProblem(props: ReportProblemProps) {
  // A guest has nothing that could be returned.
  if (useIsGuest()) return null
  return (
    <section aria-label="Problems">
      <Suspense fallback={null}>
        <ProblemSection {...props} />
      </Suspense>
    </section>
  )
}
