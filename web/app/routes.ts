import { index, layout, type RouteConfig, route } from '@react-router/dev/routes'
import { NOT_FOUND_PAGE, PUBLIC_PAGES } from '../../contract/site.ts'

export default [
  index('pages/home.tsx'),
  ...PUBLIC_PAGES.slice(1).map((path) => route(path, `pages${path}.tsx`)),
  route(NOT_FOUND_PAGE, 'pages/no-such-page.tsx'),
  route('auth', 'layouts/auth.tsx', [
    index('pages/auth/index.tsx'),
    route('signin', 'pages/auth/signin.tsx'),
    route('signup', 'pages/auth/signup.tsx'),
    route('forgot-password', 'pages/auth/forgot-password.tsx'),
    route('reset-password', 'pages/auth/reset-password.tsx'),
    route('complete-profile', 'pages/auth/complete-profile.tsx'),
    route('user-identification', 'pages/auth/user-identification.tsx'),
    route('*', 'pages/auth/not-found.tsx'),
  ]),
  route('user', 'layouts/user.tsx', [
    index('pages/user/index.tsx'),
    route('home', 'pages/user/home.tsx'),
    route('trade-history', 'pages/user/trade-history.tsx'),
    route('deposit', 'pages/user/deposit.tsx'),
    route('deposit-log', 'pages/user/deposit-log.tsx'),
    route('withdraw-fund', 'pages/user/withdraw-fund.tsx'),
    route('withdraw-log', 'pages/user/withdraw-log.tsx'),
    route('earnings', 'pages/user/earnings.tsx'),
    route('plan', 'pages/user/plan.tsx'),
    route('edit-profile', 'pages/user/edit-profile.tsx'),
    route('change-password', 'pages/user/change-password.tsx'),
    route('verify', 'pages/user/verify.tsx'),
    route('*', 'pages/user/not-found.tsx'),
  ]),
  layout('layouts/public.tsx', [
    route('verify-email', 'pages/verify-email.tsx'),
    route('stop-factor-reset', 'pages/stop-factor-reset.tsx'),
    route('*', 'pages/not-found.tsx'),
  ]),
] satisfies RouteConfig
