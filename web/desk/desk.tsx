import { lazy } from 'react'
import { createBrowserRouter, Navigate, Outlet, useLocation } from 'react-router'
// This export can navigate synchronously (`flushSync`).
import { RouterProvider } from 'react-router/dom'
import { Join } from './access/join.tsx'
import { SignIn } from './access/sign-in.tsx'
import { useSession } from './session.ts'
import { Frame } from './shell/frame.tsx'
import { Start } from './shell/start.tsx'

const IdentityChecks = lazy(() => import('./queues/identity-checks.tsx'))
const Deposits = lazy(() => import('./queues/deposits.tsx'))
const Withdrawals = lazy(() => import('./queues/withdrawals.tsx'))
const PlanRequests = lazy(() => import('./queues/plan-requests.tsx'))
const Messages = lazy(() => import('./queues/messages.tsx'))
const Chats = lazy(() => import('./queues/chats.tsx'))
const Adjustments = lazy(() => import('./queues/adjustments.tsx'))
const Reversals = lazy(() => import('./queues/reversals.tsx'))
const FactorResets = lazy(() => import('./queues/factor-resets.tsx'))
const Users = lazy(() => import('./users/users.tsx'))
const UserPage = lazy(() => import('./users/user-page.tsx'))
const Trades = lazy(() => import('./risk/trades.tsx'))
const Exposure = lazy(() => import('./risk/exposure.tsx'))
const Feeds = lazy(() => import('./risk/feeds.tsx'))
const Operators = lazy(() => import('./office/operators.tsx'))
const Settings = lazy(() => import('./office/settings.tsx'))
const Audit = lazy(() => import('./office/audit.tsx'))

/** Everything but joining by invitation requires sign-in. */
function Guarded() {
  const isSignedIn = useSession((state) => state.tokens !== null)
  const { pathname } = useLocation()
  if (!isSignedIn) return <Navigate to="/signin" replace state={{ from: pathname }} />
  return <Frame />
}

function OnlySignedOut() {
  const isSignedIn = useSession((state) => state.tokens !== null)
  const from = (useLocation().state as { from?: string } | null)?.from
  return isSignedIn ? <Navigate to={from ?? '/'} replace /> : <Outlet />
}

const router = createBrowserRouter(
  [
    { element: <OnlySignedOut />, children: [{ path: '/signin', element: <SignIn /> }] },
    { path: '/join', element: <Join /> },
    {
      element: <Guarded />,
      children: [
        { path: '/', element: <Start /> },
        { path: '/identity-checks/:id?', element: <IdentityChecks /> },
        { path: '/deposits/:id?', element: <Deposits /> },
        { path: '/withdrawals/:id?', element: <Withdrawals /> },
        { path: '/plan-requests/:id?', element: <PlanRequests /> },
        { path: '/messages/:id?', element: <Messages /> },
        { path: '/chats/:id?', element: <Chats /> },
        { path: '/adjustments/:id?', element: <Adjustments /> },
        { path: '/reversals/:id?', element: <Reversals /> },
        { path: '/factor-resets/:id?', element: <FactorResets /> },
        { path: '/users', element: <Users /> },
        { path: '/users/:id', element: <UserPage /> },
        { path: '/trades', element: <Trades /> },
        { path: '/exposure', element: <Exposure /> },
        { path: '/feeds', element: <Feeds /> },
        { path: '/operators', element: <Operators /> },
        { path: '/settings', element: <Settings /> },
        { path: '/audit', element: <Audit /> },
        { path: '*', element: null },
      ],
    },
  ],
  { basename: '/desk' },
)

export const Desk = () => <RouterProvider router={router} />
