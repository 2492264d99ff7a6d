import { Link } from 'react-router'
import { buttonClass, NotFoundMessage, titled } from '#web/ui/index.ts'
import { HOME } from '../../layouts/menus/places.ts'

export const meta = () => [{ title: titled('Page not found') }]

export default function NotFound() {
  return (
    <NotFoundMessage>
      <Link className={buttonClass()} to={HOME}>
        Quick trading
      </Link>
      <Link className={buttonClass({ look: 'secondary' })} to="/user/trade-history">
        Trade history
      </Link>
    </NotFoundMessage>
  )
}
