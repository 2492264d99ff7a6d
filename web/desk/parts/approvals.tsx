import { Link } from 'react-router'
import { PAGES } from '#contract/desk/terms.ts'
import { Alert, Fact, formatDateTime, formatUsd } from '#web/ui/index.ts'
import { useMay } from '../session.ts'
import styles from './side-by-side.module.css'

interface ApprovalsProps {
  approvals: number
  approvals_needed: number
  approved_by: readonly { email: string; amount?: number | undefined; at: string }[]
}

/** Says that an item waits for a second operator while there is none, and how to invite one. */
export function SecondOperator({ needs_second_operator }: { needs_second_operator: boolean }) {
  const may = useMay(PAGES.operators.acts)
  if (!needs_second_operator) return null
  return (
    <Alert kind="warning">
      Needs a second operator: only one person has the finance role.{' '}
      {may ? <Link to="/operators">Invite an operator</Link> : 'Ask two admins to invite one'}
      {may && ', which takes two admins'}, or invite one from the host:{' '}
      <code>npm run desk -- invite EMAIL finance</code>
    </Alert>
  )
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
