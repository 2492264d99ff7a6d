import { Navigate, Outlet } from 'react-router'
import { authRedirect, useIsGuest, useSignedIn } from '#web/api/index.ts'
import { AuthFrame } from '#web/auth/index.ts'
import { openLiveChat } from './live-chat.ts'
import { HOME } from './menus/places.ts'

/** Auth screens are for visitors and guests: signed-in users are redirected to the page they requested, else home. */
export default function AuthLayout() {
  const isGuest = useIsGuest()
  if (useSignedIn() && !isGuest) return <Navigate to={authRedirect() ?? HOME} replace />
  return (
    <AuthFrame onChat={openLiveChat}>
      <Outlet />
    </AuthFrame>
  )
}
