import { VerifyEmail } from '#web/auth/index.ts'

export const meta = () => [{ title: 'Confirm your e-mail – Cleartick' }]

export default function VerifyEmailPage() {
  return <VerifyEmail />
}
