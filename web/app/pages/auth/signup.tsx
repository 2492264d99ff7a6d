import { SignUp } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Create your account') }]

export default function SignUpPage() {
  return <SignUp />
}
