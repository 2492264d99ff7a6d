import { SignIn } from '#web/auth/index.ts'

export const meta = () => [{ title: 'Sign in – Cleartick' }]

export default function SignInPage() {
  return <SignIn />
}
