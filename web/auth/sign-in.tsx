import { Link, useSearchParams } from 'react-router'
import { isVisitor, useIsGuest } from '#web/api/index.ts'
import { Alert, titled } from '#web/ui/index.ts'
import { Screen } from './screen.tsx'
import { SignInForm } from './sign-in-form.tsx'

export const meta = () => [{ title: titled('Sign in') }]

/** The sign-in screen. The guard handles the redirect (home, or the requested page) when the session appears. */
export default function SignIn() {
  const link = useSearchParams()[0].get('link') ?? undefined
  const losesDemo = useIsGuest() && !isVisitor()
  return (
    <Screen
      title="Welcome back"
      intro="Sign in to your trading account."
      foot={
        <span>
          New here? <Link to="/auth/signup">Create an account</Link>
        </span>
      }
    >
      {losesDemo && (
        <Alert kind="warning">
          Signing in leaves your guest demo and its trades: nobody can open them again.{' '}
          <Link to="/auth/signup">Keep this account</Link> gives it an e-mail address and a password instead.
        </Alert>
      )}
      <SignInForm asksToRemember link={link} forgot={<Link to="/auth/forgot-password">Forgot password?</Link>} />
    </Screen>
  )
}
