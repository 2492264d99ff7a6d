import { useUser } from '#web/api/index.ts'
import { Alert } from '#web/ui/index.ts'

/** Shown before anything is typed: deposits require a confirmed e-mail address. */
export function EmailFirst() {
  const { email, email_verified } = useUser()
  if (email_verified) return null
  return (
    <Alert kind="warning">
      A deposit needs a confirmed e-mail. Please click the link in the letter to {email} first.
    </Alert>
  )
}
