import { useUser } from '#web/api/index.ts'
import { Alert } from '#web/ui/index.ts'

/** Shown before anything is typed: deposits require a confirmed e-mail address. */
export function EmailFirst() {
  const { email, email_verified } = useUser()
  if (email_verified) return null
  return <Alert kind="warning">Confirm your e-mail address before you deposit: open the link we sent to {email}.</Alert>
}
