import { Link } from 'react-router'
import { call, useIsGuest, useRequest } from '#web/api/index.ts'
import { Button, buttonClass, toast } from '#web/ui/index.ts'
import { KEEP } from '../menus/places.ts'

/** Requests another confirmation link; a guest, who has no address yet, keeps the account first. */
export function SendLink() {
  const { loading, run } = useRequest((message) => toast.error(message))
  const send = () => run(async () => toast.success((await call('GET /auth/verify-email')).message))
  if (useIsGuest()) {
    return (
      <Link className={buttonClass({ look: 'secondary', size: 'small' })} to={KEEP}>
        Keep this account
      </Link>
    )
  }
  return (
    <Button look="secondary" size="small" loading={loading} onClick={() => void send()}>
      Send Link
    </Button>
  )
}
