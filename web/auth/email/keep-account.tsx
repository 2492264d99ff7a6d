import { call } from '#web/api/index.ts'
import { titled } from '#web/ui/index.ts'
import { PressedLink } from './pressed-link.tsx'

export const meta = () => [{ title: titled('Keep my account') }]

/** Keeps an account that is being closed, through the e-mailed link. */
export default function KeepAccount() {
  return (
    <PressedLink
      title="Keep your account?"
      intro="You asked to close it. If you keep it, everything stays as it is."
      button="Keep my account"
      press={(hash) => call('POST /auth/closure/keep', { body: { hash } })}
      done="Your account stays open"
      next={{ href: '/auth/signin', label: 'Sign in' }}
    />
  )
}
