import { lazy } from 'react'

export { ReportProblem } from './report-problem.tsx'

/** A complaint in a list. Its code is loaded when it is shown: items' details need this room's door, but none of it. */
export const ComplaintSummary = lazy(() => import('./complaint-summary.tsx'))
