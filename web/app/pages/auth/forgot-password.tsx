import { ForgotPassword } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Forgot password') }]

export default function ForgotPasswordPage() {
  return <ForgotPassword />
}
