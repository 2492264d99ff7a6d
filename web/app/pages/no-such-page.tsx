import { notFoundHead, SiteFrame } from '#web/site/index.ts'

export const handle = { still: true }
export const meta = notFoundHead

/** What unknown addresses get, with status 404: an empty container between header and footer. */
export default function NoSuchPage() {
  return (
    <SiteFrame>
      <div data-not-found />
    </SiteFrame>
  )
}
