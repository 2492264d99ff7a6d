/** Where the signed-in begin. */
export const HOME = '/user/home'
