import { DESKTOP_MIN_PX, MOBILE_MAX_PX } from '#web/ui/index.ts'
import { call, stream } from './browser.ts'
import { followOtherTabs, type ScreenSize, setScreen, updateUser, useStore } from './store.ts'

/** Balances that change all the time are not waited for to stand still. */
const READ_ATTEMPTS = 3

/** The size class: at most 768 px mobile, below 1200 px tablet, else desktop. */
export const screenOf = (widthPx: number): ScreenSize =>
  widthPx <= MOBILE_MAX_PX ? 'mobile' : widthPx < DESKTOP_MIN_PX ? 'tablet' : 'desktop'

const balancesShown = (): string => {
  const user = useStore.getState().auth.user_data
  return `${user?.balance} ${user?.demo_balance}`
}

/**
 * Reads the user anew; a session that is over ends here. An answer that an order or a message has overtaken would bring
 * an old balance back, so it is asked for once more.
 */
export async function readUser(): Promise<void> {
  if (!useStore.getState().auth.tokens) return
  try {
    for (let attempt = 1; ; attempt++) {
      const before = balancesShown()
      const { data } = await call('GET /users/me')
      // Signed out meanwhile: there is nobody to show any more.
      if (!useStore.getState().auth.tokens) return
      if (before !== balancesShown() && attempt < READ_ATTEMPTS) continue
      updateUser(data)
      return
    }
  } catch {
    // What is stored stays shown; a session that ended has been signed out by the client.
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

/** What runs once when the app starts: fetch the user, track the screen size, follow other tabs and the session. */
export function startUp(): () => void {
  void readUser()
  let token = useStore.getState().auth.tokens?.access.token
  const endSession = useStore.subscribe(({ auth }) => {
    const next = auth.tokens?.access.token
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
