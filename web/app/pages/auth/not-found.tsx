export const meta = () => [{ title: 'Page not found – Cleartick' }]

/** The not-found screen is an empty container. */
export default function NotFound() {
  return <div data-not-found />
}
