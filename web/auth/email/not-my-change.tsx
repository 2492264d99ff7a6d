import { call } from '#web/api/index.ts'
import { titled } from '#web/ui/index.ts'
import { PressedLink } from './pressed-link.tsx'

export const meta = () => [{ title: titled('Not my change') }]

/** Cancels a change of address through the link that was mailed to the old or to the new one. */
export default function NotMyChange() {
  return (
    <PressedLink
      title="Wasn't this you?"
      intro="Cancelling keeps the account's address. If this is the account's own address, it also signs out every device and freezes withdrawals until you set a new password."
      button="Cancel the change"
      press={(hash) => call('POST /auth/email-change/disown', { body: { hash } })}
      done="The change is cancelled"
      next={{ href: '/auth/forgot-password', label: 'Set a new password' }}
    />
  )
}
