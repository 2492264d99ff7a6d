import { DESKTOP_MIN_PX, MOBILE_MAX_PX } from '#web/ui/index.ts'
import { forgetAnswers } from './account/live-question.ts'
import { call, stream } from './browser.ts'
import { followOtherTabs, type ScreenSize, setScreen, updateUser, useStore } from './store.ts'

/** Give up after this many reads: balances that change all the time never settle. */
const READ_ATTEMPTS = 3

/** Returns the size class: at most 768 px mobile, below 1200 px tablet, else desktop. */
export const screenOf = (widthPx: number): ScreenSize =>
  widthPx <= MOBILE_MAX_PX ? 'mobile' : widthPx < DESKTOP_MIN_PX ? 'tablet' : 'desktop'

const balancesShown = (): string => {
  const user = useStore.getState().auth.user_data
  return `${user?.balance} ${user?.demo_balance}`
}

/**
 * Reloads the user; signs out if the session is over. A response that an order or a message has overtaken would restore
 * an old balance, so it is requested again.
 */
export async function readUser(): Promise<void> {
  if (!useStore.getState().auth.tokens) return
  try {
    for (let attempt = 1; ; attempt++) {
      const before = balancesShown()
      const { data } = await call('GET /users/me')
      // Signed out meanwhile: there is no user to show.
      if (!useStore.getState().auth.tokens) return
      if (before !== balancesShown() && attempt < READ_ATTEMPTS) continue
      updateUser(data)
      return
    }
  } catch {
    // Keep showing what is stored; the client has already signed out a session that ended.
  }
}

function trackScreen(): () => void {
  const onResize = () => {
    const screen = screenOf(window.innerWidth)
    if (useStore.getState().screen !== screen) setScreen(screen)
  }
  onResize()
  window.addEventListener('resize', onResize)
  return () => window.removeEventListener('resize', onResize)
}

/** Runs once when the app starts: loads the user, tracks the screen size, follows other tabs and the session. */
export function startUp(): () => void {
  void readUser()
  let token = useStore.getState().auth.tokens?.access.token
  const endSession = useStore.subscribe(({ auth }) => {
    const next = auth.tokens?.access.token
    if (next === undefined) forgetAnswers()
    // A renewed token belongs to the same session, which the socket already has.
    if ((next === undefined) !== (token === undefined)) stream.sessionChanged()
    token = next
  })
  const onOnline = () => stream.retryNow()
  window.addEventListener('online', onOnline)
  document.addEventListener('visibilitychange', onOnline)
  const ends = [trackScreen(), followOtherTabs(), endSession]
  return () => {
    window.removeEventListener('online', onOnline)
    document.removeEventListener('visibilitychange', onOnline)
    for (const end of ends) end()
  }
}
