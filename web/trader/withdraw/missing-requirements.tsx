import { Link } from 'react-router'
import { Alert } from '#web/ui/index.ts'

/** Shown in a form whose request would be rejected: says so before anything is typed, and lists what is missing. */
export function MissingRequirements({ missing }: { missing: string }) {
  if (missing === '') return null
  return (
    <Alert kind="warning">
      You can withdraw once these steps are done: {missing}.{' '}
      {missing.includes('identity') && <Link to="/user/verify">Verify identity</Link>}
    </Alert>
  )
}
