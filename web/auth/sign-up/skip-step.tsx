import { useNavigate } from 'react-router'
import { call, setMode, takeSignIn, useRequest } from '#web/api/index.ts'
import { Button } from '#web/ui/index.ts'

/**
 * Skips this step: the demo needs none of them, and the app shows what is missing. Signs in by the onboarding session,
 * which works once; otherwise by the password.
 */
export function SkipStep({ session }: { session: string }) {
  const navigate = useNavigate()
  const { loading, run } = useRequest(() => void navigate('/auth/signin'))
  const skip = () =>
    run(async () => {
      setMode('demo')
      takeSignIn(await call('POST /auth/login/onboarding', { body: { session } }))
    })
  return (
    <Button look="quiet" size="large" wide loading={loading} onClick={() => void skip()}>
      Skip for now and try the demo
    </Button>
  )
}
