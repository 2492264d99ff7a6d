import { VerifyEmail } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Confirm your e-mail') }]

export default function VerifyEmailPage() {
  return <VerifyEmail />
}
