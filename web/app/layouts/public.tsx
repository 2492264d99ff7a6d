import { Outlet } from 'react-router'
import { SiteFrame } from '#web/site/index.ts'

/** Public screens that are part of the app, inside the site's header and footer. */
export default function PublicLayout() {
  return (
    <SiteFrame>
      <Outlet />
    </SiteFrame>
  )
}
