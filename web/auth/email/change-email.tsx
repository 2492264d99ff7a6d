import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { call } from '#web/api/index.ts'
import { titled } from '#web/ui/index.ts'
import { PressedLink } from './pressed-link.tsx'

export const meta = () => [{ title: titled('Change of e-mail address') }]

/** Confirms a change of address through the link that was mailed to the old or to the new one. */
export default function ChangeEmail() {
  const hash = useSearchParams()[0].get('hash') ?? ''
  const [email, setEmail] = useState('')
  useEffect(() => {
    if (hash === '') return
    // The button says what is wrong with a link.
    void call('GET /auth/email-change/details', { query: { hash } }).then(
      ({ data }) => setEmail(data.email),
      () => undefined,
    )
  }, [hash])
  return (
    <PressedLink
      title="Confirm the change?"
      intro={
        email ? (
          <>
            The account's new e-mail address will be <strong>{email}</strong>, once both addresses have confirmed.
          </>
        ) : (
          "The account's e-mail address changes once both addresses have confirmed."
        )
      }
      button="Confirm the change"
      press={(pressed) => call('POST /auth/email-change/confirm', { body: { hash: pressed } })}
      done="Confirmed"
      next={{ href: '/user/account', label: 'Go to my account' }}
    />
  )
}
