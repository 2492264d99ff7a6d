/** Where signed-in users start. */
export const HOME = '/user/home'
