import { SignUp } from '#web/auth/index.ts'

export const meta = () => [{ title: 'Create your account – Cleartick' }]

export default function SignUpPage() {
  return <SignUp />
}
