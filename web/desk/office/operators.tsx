import { useState } from 'react'
import * as z from 'zod/mini'
import type { DeskOperator } from '#contract/desk/office/operators.ts'
import { PAGES } from '#contract/desk/terms.ts'
import { email } from '#contract/fields.ts'
import { OPERATOR_ROLES, type OperatorRole } from '#contract/terms.ts'
import { Alert, Badge, Button, CardLine, Checkbox, Field, formatDateTime, Modal, useRules } from '#web/ui/index.ts'
import { call } from '../api.ts'
import { ListPage } from '../parts/list-page.tsx'
import { useAction } from '../parts/use-action.ts'
import { useMay } from '../session.ts'
import { OperatorChanges } from './operator-changes.tsx'
import styles from './operators.module.css'

const TONE = { Invited: 'accent', Active: 'up', Ended: 'neutral' } as const
const WHAT: Record<OperatorRole, string> = {
  support: 'answers messages, writes notes; never moves money',
  compliance: 'decides identity checks, locks accounts',
  finance: 'deposits, withdrawals, plans, adjustments',
  risk: 'trades and exposure, voids, locks, automatic trades',
  admin: 'operators and settings',
  auditor: 'sees everything, changes nothing',
}

/** All operators. */
export default function Operators() {
  const may = useMay(PAGES.operators.acts)
  const [inviting, setInviting] = useState(false)
  const [chosen, setChosen] = useState<DeskOperator>()
  return (
    <ListPage<DeskOperator>
      title="Operators"
      intro="Who has access, and to what. Inviting an operator, changing roles and ending an admin take two admins."
      of="operator"
      path="/desk/operators"
      filter={{}}
      read={(query, signal) => call('GET /desk/operators', { query, signal })}
      keyOf={(operator) => operator.id}
      filters={
        may && (
          <div>
            <Button onClick={() => setInviting(true)}>Invite an operator</Button>
          </div>
        )
      }
      columns={[
        { head: 'Operator', kind: 'name', cell: (operator) => operator.email },
        { head: 'Roles', cell: (operator) => operator.roles.join(', ') },
        { head: 'Status', cell: (operator) => <Badge tone={TONE[operator.status]}>{operator.status}</Badge> },
        {
          head: 'Last seen',
          kind: 'quiet',
          cell: (operator) => (operator.last_seen_at ? formatDateTime(operator.last_seen_at) : '–'),
        },
        { head: 'Since', kind: 'quiet', cell: (operator) => formatDateTime(operator.created_at) },
      ]}
      card={(operator) => (
        <>
          <CardLine>
            <span>{operator.email}</span>
            <Badge tone={TONE[operator.status]}>{operator.status}</Badge>
          </CardLine>
          <CardLine quiet>{operator.roles.join(', ')}</CardLine>
        </>
      )}
      {...(may ? { onOpen: setChosen, openLabel: (operator: DeskOperator) => `Change ${operator.email}` } : {})}
    >
      <OperatorChanges may={may} />
      <Modal open={inviting} onClose={() => setInviting(false)} title="Invite an operator">
        <Invite onDone={() => setInviting(false)} />
      </Modal>
      <Modal open={chosen !== undefined} onClose={() => setChosen(undefined)} title={chosen?.email ?? ''}>
        {chosen && <Change key={chosen.id} operator={chosen} onDone={() => setChosen(undefined)} />}
      </Modal>
    </ListPage>
  )
}

function Roles({ value, onChange }: { value: OperatorRole[]; onChange: (roles: OperatorRole[]) => void }) {
  return (
    <fieldset className={styles.roles}>
      <legend>Roles</legend>
      {OPERATOR_ROLES.map((role) => (
        <Checkbox
          key={role}
          checked={value.includes(role)}
          onChange={(event) => onChange(event.target.checked ? [...value, role] : value.filter((one) => one !== role))}
        >
          <strong>{role}</strong> <span className={styles.quiet}>{WHAT[role]}</span>
        </Checkbox>
      ))}
    </fieldset>
  )
}

const Rules = z.object({ email })

function Invite({ onDone }: { onDone: () => void }) {
  const { field, submit, refuse } = useRules(Rules, { email: '' })
  const [roles, setRoles] = useState<OperatorRole[]>([])
  const { loading, error, act } = useAction(refuse)
  const invite = submit(async (form) => {
    const proposed = await act(async () => {
      await call('POST /desk/operators', { body: { email: form.email, roles } })
      return 'Proposed. The invitation is e-mailed once another admin approves it.'
    })
    if (proposed) onDone()
  })
  return (
    <form className={styles.form} noValidate onSubmit={invite}>
      <Alert>{error}</Alert>
      <Field label="Email" type="email" autoComplete="off" autoFocus {...field('email')} />
      <Roles value={roles} onChange={setRoles} />
      <Button type="submit" loading={loading} disabled={roles.length === 0}>
        Propose the invitation
      </Button>
    </form>
  )
}

function Change({ operator, onDone }: { operator: DeskOperator; onDone: () => void }) {
  const [roles, setRoles] = useState(operator.roles)
  const [reason, setReason] = useState('')
  const { loading, error, errorOf, act } = useAction()
  const params = { id: operator.id }
  if (operator.own) return <p>This is you. Ask another admin to change your roles.</p>
  if (operator.status === 'Ended')
    return (
      <p>
        Access ended {operator.ended_at && formatDateTime(operator.ended_at)}. To give access again, invite this address
        as a new operator.
      </p>
    )
  const ready = reason.trim() !== ''
  const run = async (work: () => Promise<string>) => {
    if (await act(work)) onDone()
  }
  return (
    <div className={styles.form}>
      <Alert>{error}</Alert>
      <Roles value={roles} onChange={setRoles} />
      <Field
        label="Reason"
        error={errorOf('reason')}
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className={styles.acts}>
        <Button
          loading={loading}
          disabled={!ready || roles.length === 0}
          onClick={() =>
            void run(async () => {
              await call('POST /desk/operators/:id/roles', { params, body: { roles, reason: reason.trim() } })
              return 'Proposed. The roles change once another admin approves.'
            })
          }
        >
          Propose these roles
        </Button>
        <Button
          look="danger"
          disabled={!ready || loading}
          onClick={() =>
            void run(async () => {
              const { data } = await call('POST /desk/operators/:id/end', { params, body: { reason: reason.trim() } })
              return data.ended
                ? `${operator.email} no longer has access.`
                : 'Proposed. Their access ends once another admin approves.'
            })
          }
        >
          {operator.roles.includes('admin') ? 'Propose to end access' : 'End access now'}
        </Button>
      </div>
    </div>
  )
}
