import { Link } from 'react-router'
import { buttonClass, NotFoundMessage, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Page not found') }]

export default function NotFound() {
  return (
    <NotFoundMessage>
      <Link className={buttonClass()} to="/auth/signin">
        Sign in
      </Link>
      <a className={buttonClass({ look: 'secondary' })} href="/">
        Home
      </a>
    </NotFoundMessage>
  )
}
