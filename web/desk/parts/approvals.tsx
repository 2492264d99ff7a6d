import { Fact, formatDateTime, formatUsd } from '#web/ui/index.ts'
import styles from './side-by-side.module.css'

interface ApprovalsProps {
  approvals: number
  approvals_needed: number
  approved_by: readonly { email: string; amount?: number | undefined; at: string }[]
}

/** Who has approved, and how many approvals are needed. */
export function Approvals({ approvals, approvals_needed, approved_by }: ApprovalsProps) {
  return (
    <Fact name="Approvals">
      {approvals} of {approvals_needed}
      {approved_by.length > 0 && (
        <ul className={styles.approvals}>
          {approved_by.map((one) => (
            <li key={one.email} className={styles.by}>
              {one.email}
              {one.amount !== undefined && `, ${formatUsd(one.amount)}`}, {formatDateTime(one.at)}
            </li>
          ))}
        </ul>
      )}
    </Fact>
  )
}
