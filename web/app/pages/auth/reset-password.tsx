import { ResetPassword } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Reset password') }]

export default function ResetPasswordPage() {
  return <ResetPassword />
}
