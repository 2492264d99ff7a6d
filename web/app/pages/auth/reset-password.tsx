import { ResetPassword } from '#web/auth/index.ts'

export const meta = () => [{ title: 'Reset password – Cleartick' }]

export default function ResetPasswordPage() {
  return <ResetPassword />
}
