import { ForgotPassword } from '#web/auth/index.ts'

export const meta = () => [{ title: 'Forgot password – Cleartick' }]

export default function ForgotPasswordPage() {
  return <ForgotPassword />
}
