const KEY = 'redirect'

/**
 * A place of the user area that sign-in may lead to, undefined for anything else. An address of another site never
 * passes: it is read as a browser reads it, and only its path is used.
 */
export function userPlace(unchecked: string | null, origin: string): string | undefined {
  if (unchecked === null || !unchecked.startsWith('/') || !URL.canParse(unchecked, origin)) return undefined
  const url = new URL(unchecked, origin)
  const isOurs = url.origin === origin && /^\/user(\/|$)/.test(url.pathname)
  return isOurs ? url.pathname + url.search + url.hash : undefined
}

/** Remembers where to go after sign-in; survives the way from a still page (session storage). */
export function setAuthRedirect(place: string): void {
  sessionStorage.setItem(KEY, place)
}
export const authRedirect = (): string | undefined => userPlace(sessionStorage.getItem(KEY), window.location.origin)
export const clearAuthRedirect = (): void => sessionStorage.removeItem(KEY)

let returns = true
/** For a sign-out that the trader asked for: the next sign-in goes home, not back to where they left. */
export const leaveWithoutReturn = (): void => {
  returns = false
}
/** The guard of the user area sends a visitor to sign-in: they come back to this place. */
export function returnHereAfterSignIn(place: string): void {
  if (returns) setAuthRedirect(place)
  else clearAuthRedirect()
  returns = true
}
