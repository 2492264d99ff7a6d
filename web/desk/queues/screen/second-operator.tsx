import { Link } from 'react-router'
import { PAGES } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { Alert } from '#web/ui/index.ts'
import { useMay } from '../../session.ts'
import { usePeople } from '../pending.ts'

interface SecondOperatorProps {
  /** The roles that may decide. */
  roles: readonly OperatorRole[]
  /** The operator who proposed or approved it, whose other accounts don't count either. */
  by: string | undefined
}

/** Says that an item waits for a second operator while there is none, and how to invite one. */
export function SecondOperator({ roles, by }: SecondOperatorProps) {
  const people = usePeople()
  const others = people?.filter((one) => by === undefined || !one.operators.includes(by))
  const canDecide = others?.filter((one) => roles.some((role) => one.roles.includes(role))).length
  // Before anyone acted on it, it needs two.
  if (canDecide === undefined || canDecide >= (by === undefined ? 2 : 1)) return null
  return <NoSecond roles={roles} admins={people?.filter((one) => one.roles.includes('admin')).length ?? 0} />
}

function NoSecond({ roles, admins }: { roles: readonly OperatorRole[]; admins: number }) {
  const may = useMay(PAGES.operators.acts)
  return (
    <Alert kind="warning">
      Needs a second operator: no other person has the {roles.join(' or ')} role.{' '}
      {admins < 2 ? (
        'Invite one from the host: '
      ) : (
        <>
          {may ? (
            <>
              <Link to="/operators">Invite an operator</Link>, which takes two admins
            </>
          ) : (
            'Ask two admins to invite one'
          )}
          , or invite one from the host:{' '}
        </>
      )}
      <code>npm run desk -- invite EMAIL {roles[0]}</code>
    </Alert>
  )
}
