import { titled } from '#web/ui/index.ts'
export const meta = () => [{ title: titled('Page not found') }]

/** The not-found screen is an empty container. */
export default function NotFound() {
  return <div data-not-found />
}
