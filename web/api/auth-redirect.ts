const KEY = 'redirect'
/** The only places a sign-in may lead to other than home. */
const PLACES = ['/user/plan', '/user/deposit'] as const

/** Remembers where to go after sign-in; survives the way from a still page (session storage). */
export function setAuthRedirect(place: (typeof PLACES)[number]): void {
  sessionStorage.setItem(KEY, place)
}
export function authRedirect(): string | undefined {
  const place = sessionStorage.getItem(KEY)
  return PLACES.find((known) => known === place)
}
export const clearAuthRedirect = (): void => sessionStorage.removeItem(KEY)
