import { create } from 'zustand'
import { createJSONStorage, persist } from 'zustand/middleware'
import type { User } from '#contract/account/user.ts'
import type { Mode } from '#contract/trading/trading.ts'
import type { AccessTokens } from '#web/client/index.ts'

export type ScreenSize = 'mobile' | 'tablet' | 'desktop'

interface State {
  auth: { user_data: User | null; tokens: AccessTokens | null }
  /** The cached mode, which drives menus, lists and the order panel. */
  mode: Mode
  /** The success-alert modal, which survives navigation. The message stays while it closes. */
  successAlert: { open: boolean; message: string }
  screen: ScreenSize
  /**
   * The session ended because the e-mail address was confirmed elsewhere. The screen stays, without its session, until the
   * password is entered once.
   */
  asksPassword: boolean
  /** False while the server is unreachable. */
  reachable: boolean
}

const signedOutAuth: State['auth'] = { user_data: null, tokens: null }

/**
 * The browser's state. Only `auth` and `mode` are persisted, in local storage under `root`, version 1. Local storage is
 * synchronous, so the specification's persist time-out of 5000 ms is always met.
 */
export const useStore = create<State>()(
  persist(
    (): State => ({
      auth: signedOutAuth,
      mode: 'real',
      successAlert: { open: false, message: '' },
      screen: 'desktop',
      asksPassword: false,
      reachable: true,
    }),
    {
      name: 'root',
      version: 1,
      storage: createJSONStorage(() => localStorage),
      partialize: ({ auth, mode }) => ({ auth, mode }),
    },
  ),
)

const { getState } = useStore
const setState = (change: Partial<State>): void => {
  useStore.setState(change)
}

/** Stores the user and tokens returned by sign-in. */
export const signIn = (user: User, tokens: AccessTokens): void =>
  setState({ auth: { user_data: user, tokens }, asksPassword: false })

/** Ends the session in this browser, but keeps the screen and what was typed until the password is entered. */
export function askPassword(): void {
  const { auth } = getState()
  if (auth.tokens) setState({ auth: { ...auth, tokens: null }, asksPassword: true })
}

/** Clears the session in this browser; the guards lead to sign-in, unless the screen asks for the password. */
export function signOut(): void {
  if (!getState().asksPassword) leaveScreen()
}

/** Clears the session and the screen. */
export function leaveScreen(): void {
  setState({ asksPassword: false })
  if (getState().auth.tokens || getState().auth.user_data) setState({ auth: signedOutAuth })
}

/** Replaces parts of the stored user; does nothing when signed out. */
export function updateUser(change: Partial<User>): void {
  const { auth } = getState()
  if (auth.user_data) setState({ auth: { ...auth, user_data: { ...auth.user_data, ...change } } })
}

export function setTokens(tokens: AccessTokens): void {
  setState({ auth: { ...getState().auth, tokens } })
}

/** Sets the cached mode in this browser only; `setMode` remembers it with the account as well. */
export const setModeHere = (mode: Mode): void => setState({ mode })
export const setScreen = (screen: ScreenSize): void => setState({ screen })
export const setReachable = (reachable: boolean): void => {
  if (getState().reachable !== reachable) setState({ reachable })
}

/** Opens the success-alert modal; does nothing for an empty message. */
export function openSuccessAlert(message: string | undefined): void {
  if (message) setState({ successAlert: { open: true, message } })
}
export const closeSuccessAlert = (): void =>
  setState({ successAlert: { open: false, message: getState().successAlert.message } })

/** Returns the signed-in user. Only for screens below the user area's guard, which unmounts them on sign-out. */
export function useUser(): User {
  const user = useStore((state) => state.auth.user_data)
  if (!user) throw new Error('useUser() needs a signed-in user: call it inside the user area')
  return user
}

/** Whether both user data and tokens are present. */
export const useSignedIn = (): boolean => useStore(({ auth }) => auth.user_data !== null && auth.tokens !== null)

export const useAsksPassword = (): boolean => useStore((state) => state.asksPassword)

/** Whether the account has no e-mail address yet: a guest's, or one that opens with the first trade. */
export const useIsGuest = (): boolean => useStore(({ auth }) => auth.user_data?.email === '')

/** Returns the trade mode, which drives menus, lists and the order panel. */
export const useMode = (): Mode => useStore((state) => state.mode)
export const useScreen = (): ScreenSize => useStore((state) => state.screen)

/** Follows sign-in, renewal and sign-out in other tabs. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === 'root' || event.key === null) void useStore.persist.rehydrate()
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}
