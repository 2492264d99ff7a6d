import { Link, useSearchParams } from 'react-router'
import { Screen } from './screen.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Sign-in. What follows (home, or the place that was asked for) is the guard's, which sees the session appear. */
export function SignIn() {
  const link = useSearchParams()[0].get('link') ?? undefined
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
      <SignInForm asksToRemember link={link} forgot={<Link to="/auth/forgot-password">Forgot password?</Link>} />
    </Screen>
  )
}
