import { lazy } from 'react'

export { ReportProblem } from './report-problem.tsx'

/**
 * A complaint in a list. Loaded when it is shown, because item details import this room and rarely show a complaint.
 */
export const ComplaintSummary = lazy(() => import('./complaint-summary.tsx'))
