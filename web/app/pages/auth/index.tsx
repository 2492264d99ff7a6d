import { SignIn } from '#web/auth/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Sign in') }]

export default function SignInPage() {
  return <SignIn />
}
