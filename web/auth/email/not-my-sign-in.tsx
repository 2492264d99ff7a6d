import { call } from '#web/api/index.ts'
import { titled } from '#web/ui/index.ts'
import { PressedLink } from './pressed-link.tsx'

export const meta = () => [{ title: titled('Not my sign-in') }]

/** Ends all sessions and freezes withdrawals, through the link of the e-mail about a sign-in. */
export default function NotMySignIn() {
  return (
    <PressedLink
      title="Wasn't this you?"
      intro="We'll sign out every device and freeze withdrawals, also those that wait. They continue once you've set a new password by e-mail and signed in with it. Open trades settle as usual."
      button="Secure my account"
      press={(hash) => call('POST /auth/sign-in/disown', { body: { hash } })}
      done="Your account is secured"
      next={{ href: '/auth/forgot-password', label: 'Set a new password' }}
    />
  )
}
