import { lazy } from 'react'
import { createBrowserRouter, Navigate, Outlet, useLocation } from 'react-router'
// This export can navigate synchronously (`flushSync`).
import { RouterProvider } from 'react-router/dom'
import { Join } from './access/join.tsx'
import { SignIn } from './access/sign-in.tsx'
import { QUEUE_SCREENS } from './queues/index.ts'
import { useSession } from './session.ts'
import { Frame } from './shell/frame.tsx'
import { Start } from './shell/start.tsx'

const Proposals = lazy(() => import('./shell/proposals.tsx'))
const Users = lazy(() => import('./users/users.tsx'))
const UserPage = lazy(() => import('./users/user-page.tsx'))
const Trades = lazy(() => import('./risk/trades.tsx'))
const Exposure = lazy(() => import('./risk/exposure.tsx'))
const Money = lazy(() => import('./risk/money.tsx'))
const Reconciliation = lazy(() => import('./risk/reconciliation.tsx'))
const PayoutBatches = lazy(() => import('./queues/money/payout-batches.tsx'))
const Emergency = lazy(() => import('./risk/emergency.tsx'))
const Automatic = lazy(() => import('./risk/automatic.tsx'))
const PublishedStrategies = lazy(() => import('./risk/published-strategies.tsx'))
const PriceLists = lazy(() => import('./price-lists/price-lists.tsx'))
const Instruments = lazy(() => import('./risk/instruments/instruments.tsx'))
const Feeds = lazy(() => import('./risk/feeds.tsx'))
const Operators = lazy(() => import('./office/operators.tsx'))
const Settings = lazy(() => import('./office/settings/settings.tsx'))
const MyAccount = lazy(() => import('./access/my-account.tsx'))
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
        { path: '/proposals', element: <Proposals /> },
        ...Object.entries(QUEUE_SCREENS).map(([queue, { Screen }]) => ({
          path: `/${queue}/:id?`,
          element: <Screen />,
        })),
        { path: '/users', element: <Users /> },
        { path: '/users/:id', element: <UserPage /> },
        { path: '/trades', element: <Trades /> },
        { path: '/exposure', element: <Exposure /> },
        { path: '/money', element: <Money /> },
        { path: '/reconciliation', element: <Reconciliation /> },
        { path: '/payout-batches', element: <PayoutBatches /> },
        { path: '/emergency', element: <Emergency /> },
        { path: '/automatic', element: <Automatic /> },
        { path: '/published-strategies', element: <PublishedStrategies /> },
        { path: '/feeds', element: <Feeds /> },
        { path: '/instruments', element: <Instruments /> },
        { path: '/odds', element: <PriceLists /> },
        { path: '/operators', element: <Operators /> },
        { path: '/settings', element: <Settings /> },
        { path: '/audit', element: <Audit /> },
        { path: '/account', element: <MyAccount /> },
        { path: '*', element: null },
      ],
    },
  ],
  { basename: '/desk' },
)

export const Desk = () => <RouterProvider router={router} />
