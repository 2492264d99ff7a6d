import { useQuery } from '@tanstack/react-query'
import type { DeskOperator, DeskOperatorChange } from '#contract/desk/office/operators.ts'
import { problemOf } from '#web/client/index.ts'
import { Alert, Badge, Card, CardLine, formatDateTime, ListError } from '#web/ui/index.ts'
import { call, OFTEN_MS, queryOf } from '../api.ts'
import { AdminDecision } from '../queues/screen/proposal.tsx'
import styles from './operators.module.css'

/** What awaits a second admin, and what a sole admin can't do yet. */
export function OperatorChanges({ may }: { may: boolean }) {
  const pending = useQuery(queryOf('GET /desk/operator-changes', { query: { status: 'Pending' } }, OFTEN_MS))
  const active = useQuery(queryOf('GET /desk/operators', { query: { status: 'Active', limit: '200' } }, OFTEN_MS))
  const problem = problemOf(pending)
  const admins = active.data?.data.filter(isAdmin).length
  return (
    <>
      {admins === 1 && (
        <Alert kind="warning">
          There is only one admin. Inviting operators, changing roles and changing settings need a second one. Invite
          them from the host: <code>npm run desk -- invite EMAIL admin</code>
        </Alert>
      )}
      {problem && <ListError {...problem} />}
      {pending.data?.data.map((change) => (
        <PendingChange key={change.id} change={change} may={may} />
      ))}
    </>
  )
}

const isAdmin = (operator: DeskOperator) => operator.roles.includes('admin')

const WORDS: Record<DeskOperatorChange['kind'], (email: string) => { title: string; approved: string }> = {
  invite: (email) => ({ title: `Invite ${email}`, approved: `The invitation was e-mailed to ${email}.` }),
  roles: (email) => ({ title: `Change the roles of ${email}`, approved: `The roles of ${email} were changed.` }),
  end: (email) => ({ title: `End the access of ${email}`, approved: `${email} no longer has access.` }),
}

function PendingChange({ change, may }: { change: DeskOperatorChange; may: boolean }) {
  const params = { id: change.id }
  const { title, approved } = WORDS[change.kind](change.email)
  return (
    <Card title={title}>
      <div className={styles.form}>
        <CardLine>
          <span>{change.roles.join(', ')}</span>
          <Badge tone="accent">Pending</Badge>
        </CardLine>
        <CardLine quiet>
          <span>
            Proposed by {change.proposed_by.email}, {formatDateTime(change.created_at)}
            {change.reason && `: ${change.reason}`}
          </span>
        </CardLine>
        <AdminDecision
          may={may}
          own={change.own}
          by={change.proposed_by.operator_id}
          decision={{
            what: change.kind === 'invite' ? `the invitation of ${change.email}` : `the new roles of ${change.email}`,
            approve: () => call('POST /desk/operator-changes/:id/approve', { params }),
            approved,
            reject: (reason) => call('POST /desk/operator-changes/:id/reject', { params, body: { reason } }),
            rejected: 'The change was rejected.',
          }}
        />
      </div>
    </Card>
  )
}
