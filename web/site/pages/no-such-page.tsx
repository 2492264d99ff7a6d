import { buttonClass, NotFoundMessage } from '#web/ui/index.ts'
import { notFoundHead } from '../head.ts'
import { SiteFrame } from '../layout/site-frame.tsx'

export const handle = { still: true }
export const meta = notFoundHead

/** The page for unknown addresses, with status 404, between header and footer. */
export default function NoSuchPage() {
  return (
    <SiteFrame>
      <NotFoundMessage>
        <a className={buttonClass()} href="/">
          Home
        </a>
        <a className={buttonClass({ look: 'secondary' })} href="/contact-us">
          Contact us
        </a>
      </NotFoundMessage>
    </SiteFrame>
  )
}
