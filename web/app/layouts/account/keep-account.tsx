import { UserPlus } from 'lucide-react'
import { Link } from 'react-router'
import { GUEST_DAYS } from '#contract/terms.ts'
import { buttonClass, EmptyState } from '#web/ui/index.ts'
import { KEEP } from '../menus/places.ts'

/** Shown to a guest in place of a screen that needs an account with an e-mail address. */
const KeepAccount = () => (
  <EmptyState
    icon={<UserPlus />}
    title="Keep this account first"
    actions={
      <Link className={buttonClass()} to={KEEP}>
        Keep this account
      </Link>
    }
  >
    This page needs an e-mail address and a password. You keep your demo balance and trades. Otherwise your guest
    account closes after {GUEST_DAYS} days.
  </EmptyState>
)

export default KeepAccount
