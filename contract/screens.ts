/** The client-rendered screens below `/auth` and `/user`. Anything not listed is 404. */
export const AUTH_SCREENS = [
  'signin',
  'signup',
  'forgot-password',
  'reset-password',
  'complete-profile',
  'user-identification',
] as const
export const USER_SCREENS = [
  'home',
  'trade-history',
  'statistics',
  'automatic',
  'strategies',
  'deposit',
  'deposit-log',
  'withdraw-fund',
  'withdraw-log',
  'earnings',
  'plan',
  'solvency',
  'edit-profile',
  'change-password',
  'verify',
  'security',
  'limits',
  'account',
  'alerts',
  'notifications',
  'complaints',
] as const

const SCREENS: ReadonlySet<string> = new Set([
  '/auth',
  ...AUTH_SCREENS.map((screen) => `/auth/${screen}`),
  '/user',
  ...USER_SCREENS.map((screen) => `/user/${screen}`),
])

/** Whether a path below `/auth` or `/user`, without a trailing slash, is one of their screens. */
export const isScreen = (path: string): boolean => SCREENS.has(path)
