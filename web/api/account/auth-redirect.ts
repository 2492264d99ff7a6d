const KEY = 'redirect'

/**
 * Returns a path of the user area that sign-in may redirect to, `undefined` for anything else. The input is parsed as a
 * browser does and only its path is used, so a URL of another site never passes.
 */
export function userPlace(unchecked: string | null, origin: string): string | undefined {
  if (unchecked === null || !unchecked.startsWith('/') || !URL.canParse(unchecked, origin)) return undefined
  const url = new URL(unchecked, origin)
  const isOurs = url.origin === origin && /^\/user(\/|$)/.test(url.pathname)
  return isOurs ? url.pathname + url.search + url.hash : undefined
}

/** Stores where to go after sign-in. Session storage survives the load of a static page. */
export function setAuthRedirect(place: string): void {
  sessionStorage.setItem(KEY, place)
}
export const authRedirect = (): string | undefined => userPlace(sessionStorage.getItem(KEY), window.location.origin)
export const clearAuthRedirect = (): void => sessionStorage.removeItem(KEY)

let returns = true
/** For a sign-out by the trader: the next sign-in goes to the home screen, not back to where they left. */
export const leaveWithoutReturn = (): void => {
  returns = false
}
/** Used by the guard of the user area: after sign-in, the visitor returns to this page. */
export function returnHereAfterSignIn(place: string): void {
  if (returns) setAuthRedirect(place)
  else clearAuthRedirect()
  returns = true
}
