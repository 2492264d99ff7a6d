import { buttonClass, NotFoundMessage, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Page not found') }]

export default function NotFound() {
  return (
    <NotFoundMessage>
      <a className={buttonClass()} href="/">
        Home
      </a>
      <a className={buttonClass({ look: 'secondary' })} href="/contact-us">
        Contact us
      </a>
    </NotFoundMessage>
  )
}
