import { index, layout, type RouteConfig, route } from '@react-router/dev/routes'
import { must } from '#kernel/must.ts'
import { AUTH_SCREENS, USER_SCREENS } from '../../contract/screens.ts'
import { NOT_FOUND_PAGE, PUBLIC_PAGES } from '../../contract/site.ts'

/** Screens that are one component of a room. The other screens of the user area compose several, in `pages/user`. */
const IN_ROOMS: Record<string, string> = {
  signin: '../auth/sign-in.tsx',
  signup: '../auth/sign-up/sign-up.tsx',
  'forgot-password': '../auth/passwords/forgot-password.tsx',
  'reset-password': '../auth/passwords/reset-password.tsx',
  'complete-profile': '../auth/sign-up/complete-profile.tsx',
  'user-identification': '../auth/sign-up/user-identification.tsx',
  home: '../trader/quick-trading/quick-trading.tsx',
  'trade-history': '../trader/history/trade-history.tsx',
  statistics: '../trader/statistics/statistics.tsx',
}

export default [
  index('../site/home.tsx'),
  ...PUBLIC_PAGES.slice(1).map((path) => route(path, `../site/pages${path}.tsx`)),
  route(NOT_FOUND_PAGE, '../site/pages/no-such-page.tsx'),
  route('auth', 'layouts/auth.tsx', [
    index('../auth/sign-in.tsx', { id: 'auth-index' }),
    ...AUTH_SCREENS.map((screen) => route(screen, must(IN_ROOMS[screen]))),
    route('*', 'pages/auth/not-found.tsx'),
  ]),
  route('user', 'layouts/user.tsx', [
    index('pages/user/index.tsx'),
    ...USER_SCREENS.map((screen) => route(screen, IN_ROOMS[screen] ?? `pages/user/${screen}.tsx`)),
    route('*', 'pages/user/not-found.tsx'),
  ]),
  layout('layouts/public.tsx', [
    route('verify-email', '../auth/sign-up/verify-email.tsx'),
    route('not-my-account', '../auth/sign-up/not-my-account.tsx'),
    route('stop-factor-reset', '../auth/factors/stop-factor-reset.tsx'),
    route('change-email', '../auth/email/change-email.tsx'),
    route('keep-account', '../auth/email/keep-account.tsx'),
    route('not-my-sign-in', '../auth/email/not-my-sign-in.tsx'),
    route('not-my-change', '../auth/email/not-my-change.tsx'),
    route('*', 'pages/not-found.tsx'),
  ]),
] satisfies RouteConfig
