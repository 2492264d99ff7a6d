import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Navigate, Outlet, useLocation, useMatches, useNavigate } from 'react-router'
import {
  clearAuthRedirect,
  queryClient,
  readUser,
  returnHereAfterSignIn,
  startPush,
  takeMoneyMessage,
  takeNotice,
  tryDemo,
  updateUser,
  useAsksPassword,
  useIsGuest,
  useMode,
  useSignedIn,
  useTimeZone,
  useUserMessages,
} from '#web/api/index.ts'
import { RealityCheck } from '#web/trader/limits/index.ts'
import { signOf } from '#web/trader/notices/index.ts'
import { Statement } from '#web/trader/statement/index.ts'
import { cx, toast } from '#web/ui/index.ts'
import serviceWorkerUrl from '../service-worker.ts?worker&url'
import { StepUp } from '../step-up/step-up.tsx'
import { ConfirmedElsewhere } from './account/confirmed-elsewhere.tsx'
import { FinishAccount } from './account/finish-account.tsx'
import { LiveQuestion } from './account/live-question.tsx'
import { Header } from './header/header.tsx'
import { hasChatted, listenForChat } from './live-chat.ts'
import { BottomNav, useHasBottomNav } from './menus/bottom-nav.tsx'
import { IconNav } from './menus/icon-nav.tsx'
import { HOME } from './menus/places.ts'
import { SlideMenu } from './menus/slide-menu.tsx'
import { SearchLayer } from './search/search-layer.tsx'
import styles from './user.module.css'

/** The user area's guard: requires sign-in; in demo mode, redirects real-only pages to home. */
export default function UserLayout() {
  const isSignedIn = useSignedIn()
  const isGuest = useIsGuest()
  const asksPassword = useAsksPassword()
  const mode = useMode()
  const { pathname, search } = useLocation()
  const isHome = pathname.replace(/\/+$/, '') === HOME
  const isRealOnly = useMatches().some((match) => (match.handle as { realOnly?: boolean } | undefined)?.realOnly)
  if (!isSignedIn && isHome && new URLSearchParams(search).has('demo')) return <ToDemo />
  if (!isSignedIn && !asksPassword && !(isGuest && isHome)) return <ToSignIn />
  if (isRealOnly && mode === 'demo') return <Navigate to={HOME} replace />
  return (
    <QueryClientProvider client={queryClient}>
      <Frame />
    </QueryClientProvider>
  )
}

/** Begins the demo for a visitor, without an account. */
function ToDemo() {
  const navigate = useNavigate()
  useEffect(() => {
    tryDemo()
    void navigate(HOME, { replace: true })
  }, [navigate])
  return null
}

/** Redirects to sign-in, which returns here. */
function ToSignIn() {
  const { pathname, search, hash } = useLocation()
  const recorded = useRef(false)
  useEffect(() => {
    if (recorded.current) return
    recorded.current = true
    returnHereAfterSignIn(pathname + search + hash)
  }, [pathname, search, hash])
  return <Navigate to="/auth/signin" replace />
}

const KeepAccount = lazy(() => import('./account/keep-account.tsx'))

/** What a guest may open. */
const GUESTS: readonly string[] = [
  HOME,
  '/user/trade-history',
  '/user/statistics',
  '/user/alerts',
  '/user/notifications',
]

/** The screen, or to a guest how to keep the account that the screen needs. */
function OutletOrKeep() {
  const { pathname } = useLocation()
  if (!useIsGuest() || GUESTS.includes(pathname.replace(/\/+$/, ''))) return <Outlet />
  return (
    <Suspense>
      <KeepAccount />
    </Suspense>
  )
}

/** Shows what a previous page had to say, and prepares what the first screen doesn't need at once. */
function useArrival() {
  useEffect(() => {
    clearAuthRedirect()
    const notice = takeNotice()
    if (notice) toast[notice.kind](notice.message)
    const atRest = setTimeout(() => {
      if (hasChatted()) listenForChat()
      void startPush(serviceWorkerUrl)
    }, 2_000)
    // Before the first press is answered: a toast must also show when the server is gone.
    const prepare = () => toast.prepare()
    const events = ['pointerdown', 'keydown'] as const
    for (const event of events) addEventListener(event, prepare, { once: true, capture: true })
    return () => {
      clearTimeout(atRest)
      for (const event of events) removeEventListener(event, prepare, { capture: true })
      // Data loaded by one user must not be shown to the next.
      queryClient.clear()
    }
  }, [])
}

/** Takes what the server sends about the user: money, trades, their chat and their checks. */
function useNews() {
  useUserMessages(
    (message) => {
      takeMoneyMessage(message)
      if (message.op === 'chat') listenForChat()
      if (message.op === 'trade') signOf(message.data)
      if (message.op === 'balance' || message.op === 'plan') updateUser(message.data)
      // Progress of a complaint arrives as a notice.
      if (message.op === 'notice') {
        void queryClient.invalidateQueries({ queryKey: ['GET /complaints'] })
        void queryClient.invalidateQueries({ queryKey: ['GET /complaints/of'] })
      }
      if (message.op === 'verification') {
        void queryClient.invalidateQueries({ queryKey: ['GET /profile/user-verification'] })
        void queryClient.invalidateQueries({ queryKey: ['GET /profile/address-verification'] })
        void queryClient.invalidateQueries({ queryKey: ['GET /withdraw/requirements'] })
      }
    },
    () => {
      void readUser()
      void queryClient.invalidateQueries()
    },
  )
}

function Frame() {
  const [menuOpen, setMenuOpen] = useState(false)
  const [noticesOpen, setNoticesOpen] = useState(false)
  const { pathname } = useLocation()

  useArrival()
  const mode = useMode()
  useLayoutEffect(() => {
    document.documentElement.dataset.mode = mode
    return () => {
      delete document.documentElement.dataset.mode
    }
  }, [mode])

  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the menu
  useEffect(() => setMenuOpen(false), [pathname])

  useNews()

  return (
    <div className={cx(styles.frame, !useHasBottomNav() && styles.noBottomNav)}>
      {pathname.replace(/\/+$/, '') === HOME && (
        <a className={styles.skip} href="#order">
          Skip to order
        </a>
      )}
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <Header onMenu={() => setMenuOpen(true)} noticesOpen={noticesOpen} onNotices={setNoticesOpen} />
      <IconNav />
      <main id="content" tabIndex={-1} className={styles.main}>
        <FinishAccount />
        <OutletOrKeep key={useTimeZone()} />
      </main>
      <BottomNav />
      <SlideMenu open={menuOpen} onClose={() => setMenuOpen(false)} onNotices={() => setNoticesOpen(true)} />
      <SearchLayer />
      <Statement />
      <StepUp />
      <ConfirmedElsewhere />
      <RealityCheck />
      <LiveQuestion />
    </div>
  )
}
