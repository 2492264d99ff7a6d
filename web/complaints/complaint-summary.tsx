import type { ReactNode } from 'react'
import type { Complaint } from '#contract/trading/complaints.ts'
import { ComplaintBadge, ComplaintEvidence, ComplaintFacts } from './complaint-status.tsx'
import styles from './complaints.module.css'

/** A complaint with its title: status, who is working on it or the decision, and the server's checks. */
export default function ComplaintSummary({ complaint, title }: { complaint: Complaint; title: ReactNode }) {
  return (
    <>
      <div className={styles.head}>
        {title}
        <ComplaintBadge status={complaint.status} />
      </div>
      <ComplaintFacts complaint={complaint} />
      <ComplaintEvidence complaint={complaint} />
    </>
  )
}
