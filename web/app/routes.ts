import { index, layout, type RouteConfig, route } from '@react-router/dev/routes'
import { AUTH_SCREENS, USER_SCREENS } from '../../contract/screens.ts'
import { NOT_FOUND_PAGE, PUBLIC_PAGES } from '../../contract/site.ts'

export default [
  index('pages/home.tsx'),
  ...PUBLIC_PAGES.slice(1).map((path) => route(path, `pages${path}.tsx`)),
  route(NOT_FOUND_PAGE, 'pages/no-such-page.tsx'),
  route('auth', 'layouts/auth.tsx', [
    index('pages/auth/index.tsx'),
    ...AUTH_SCREENS.map((screen) => route(screen, `pages/auth/${screen}.tsx`)),
    route('*', 'pages/auth/not-found.tsx'),
  ]),
  route('user', 'layouts/user.tsx', [
    index('pages/user/index.tsx'),
    ...USER_SCREENS.map((screen) => route(screen, `pages/user/${screen}.tsx`)),
    route('*', 'pages/user/not-found.tsx'),
  ]),
  layout('layouts/public.tsx', [
    route('verify-email', 'pages/verify-email.tsx'),
    route('stop-factor-reset', 'pages/stop-factor-reset.tsx'),
    route('*', 'pages/not-found.tsx'),
  ]),
] satisfies RouteConfig
