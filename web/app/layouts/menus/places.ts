/** Where signed-in users start. */
export const HOME = '/user/home'
/** Where a guest gives an e-mail address and a password. */
export const KEEP = '/auth/signup'
