import { lazy } from 'react'
import { createBrowserRouter, Navigate, Outlet, useLocation } from 'react-router'
// This export can navigate synchronously (`flushSync`).
import { RouterProvider } from 'react-router/dom'
import { Frame } from './frame.tsx'
import { Join } from './join.tsx'
import { useSession } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { Start } from './start.tsx'

const IdentityChecks = lazy(() => import('./identity-checks.tsx'))
const Deposits = lazy(() => import('./deposits.tsx'))
const Withdrawals = lazy(() => import('./withdrawals.tsx'))
const PlanRequests = lazy(() => import('./plan-requests.tsx'))
const Messages = lazy(() => import('./messages.tsx'))
const Chats = lazy(() => import('./chats.tsx'))
const Adjustments = lazy(() => import('./adjustments.tsx'))
const Reversals = lazy(() => import('./reversals.tsx'))
const FactorResets = lazy(() => import('./factor-resets.tsx'))
const Users = lazy(() => import('./users.tsx'))
const UserPage = lazy(() => import('./user-page.tsx'))
const Trades = lazy(() => import('./trades.tsx'))
const Exposure = lazy(() => import('./exposure.tsx'))
const Feeds = lazy(() => import('./feeds.tsx'))
const Operators = lazy(() => import('./operators.tsx'))
const Settings = lazy(() => import('./settings.tsx'))
const Audit = lazy(() => import('./audit.tsx'))

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
