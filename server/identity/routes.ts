import type { authCalls } from '#contract/account/auth.ts'
import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import type { Handlers, RequestInfo } from '../platform/http/index.ts'
import { confirmEmail, disownEmail, sendConfirmation } from './accounts/confirm-email.ts'
import { GUEST_SECONDS, openGuest } from './accounts/guests.ts'
import { completeProfile } from './accounts/profile/complete-profile.ts'
import { register } from './accounts/register.ts'
import { shownUser } from './accounts/store.ts'
import { submitId } from './accounts/submit-id.ts'
import type { IdentityDeps } from './deps.ts'
import { changePassword } from './passwords/change-password.ts'
import { askForReset, resetDetails, resetPassword } from './passwords/reset-password.ts'
import { endOtherSessions, endSession, listSessions, signOut } from './sessions/end-sessions.ts'
import { renewSession } from './sessions/renew-session.ts'
import { signIn } from './sessions/sign-in.ts'
import { signInOnce } from './sessions/sign-in-once.ts'

/** This cookie carries the renewal token, only to the endpoints that renew and end sessions. */
const COOKIE = 'renewal'
const COOKIE_PATH = '/api/auth'
const REMEMBERED_SECONDS = 30 * 86_400

/** The routes of `contract/account/auth.ts`. */
export function identityRoutes(deps: IdentityDeps): Handlers<keyof typeof authCalls> {
  return {
    ...signUpRoutes(deps),
    ...sessionRoutes(deps),
    ...ownAccountRoutes(deps),
  }
}

/** Signing up. */
function signUpRoutes(
  deps: IdentityDeps,
): Handlers<'POST /auth/register' | 'POST /auth/complete-profile' | 'POST /users/user-identification'> {
  return {
    'POST /auth/register': async ({ body, who, request }) => {
      const { session } = await register(deps, body, request, who)
      return { status: true, message: 'Please check your mailbox and confirm your email!', session }
    },
    'POST /auth/complete-profile': async ({ body }) => {
      await completeProfile(deps, body)
      return said('Profile Saved Successfully!')
    },
    'POST /users/user-identification': async ({ form, files }) => {
      await submitId(deps, { ...form, file: must(files.id_file) })
      return said('Government ID Submitted Successfully!')
    },
  }
}

/** Signing in, and the sessions of an account. */
function sessionRoutes(
  deps: IdentityDeps,
): Handlers<
  | 'POST /auth/login'
  | 'POST /auth/login/onboarding'
  | 'POST /auth/guest'
  | 'POST /auth/refresh'
  | 'POST /auth/logout'
  | 'GET /auth/sessions'
  | 'DELETE /auth/sessions'
  | 'DELETE /auth/sessions/:id'
> {
  return {
    'POST /auth/login': async ({ body, request }) => {
      const { user, mode, tokens, renewal, remember } = await signIn(deps, body, request)
      setRenewal(request, renewal, remember ? REMEMBERED_SECONDS : undefined)
      return { status: true, data: user, tokens, ...(mode && { mode }) }
    },
    'POST /auth/login/onboarding': async ({ body, request }) => {
      refuseForeignOrigin(deps, request)
      const { data, tokens, renewal } = await signInOnce(deps, body.session, request)
      setRenewal(request, renewal, undefined)
      return { status: true, data, tokens }
    },
    'POST /auth/guest': async ({ who, request }) => {
      refuseForeignOrigin(deps, request)
      const { data, tokens, renewal } = await openGuest(deps, who, request)
      setRenewal(request, renewal, GUEST_SECONDS)
      return { status: true, data, tokens }
    },
    'POST /auth/refresh': async ({ request }) => {
      refuseForeignOrigin(deps, request)
      const { tokens, renewal, cookieSeconds } = await renewSession(deps, request.cookies[COOKIE])
      setRenewal(request, renewal, cookieSeconds)
      return { status: true, tokens }
    },
    'POST /auth/logout': async ({ who, request }) => {
      refuseForeignOrigin(deps, request)
      await signOut(deps, who, request.cookies[COOKIE])
      request.clearCookie(COOKIE, { path: COOKIE_PATH })
      return said('You are signed out.')
    },
    'GET /auth/sessions': async ({ who }) => ({ status: true, data: await listSessions(deps, who) }),
    'DELETE /auth/sessions': async ({ who }) => {
      await endOtherSessions(deps, who)
      return said('Your other sessions were ended.')
    },
    'DELETE /auth/sessions/:id': async ({ who, params }) => {
      await endSession(deps, who, params.id)
      return said('The session was ended.')
    },
  }
}

/** The password, the e-mail address and the profile of an account. */
function ownAccountRoutes(
  deps: IdentityDeps,
): Handlers<
  | 'GET /auth/reset-password'
  | 'GET /auth/reset-password/details'
  | 'POST /auth/reset-password'
  | 'POST /auth/verify-email'
  | 'POST /auth/disown-email'
  | 'GET /auth/verify-email'
  | 'PATCH /users/change-password'
  | 'GET /users/me'
> {
  return {
    'GET /auth/reset-password': async ({ query, request }) => {
      await askForReset(deps, query.email, request)
      return said("If there's an account with this e-mail, we've sent it a link to reset the password.")
    },
    'GET /auth/reset-password/details': async ({ query }) => ({
      status: true,
      data: await resetDetails(deps, query.hash),
    }),
    'POST /auth/reset-password': async ({ body }) => {
      await resetPassword(deps, body)
      return said('Your password was changed. Sign in to continue.')
    },
    'POST /auth/verify-email': async ({ body, who }) => {
      await confirmEmail(deps, body.hash, who)
      return said('Your e-mail is confirmed. Thank you!')
    },
    'POST /auth/disown-email': async ({ body }) => {
      await disownEmail(deps, body.hash)
      return said('The account was closed, and your address is free.')
    },
    'GET /auth/verify-email': async ({ who }) => {
      await sendConfirmation(deps, who.userId)
      return said("We've e-mailed you a link to confirm your address.")
    },
    'PATCH /users/change-password': async ({ who, body, request }) => {
      await changePassword(deps, who, body, request)
      return said('Password Changed Successfully.')
    },
    'GET /users/me': async ({ who }) => {
      const user = await shownUser(deps.db, who.userId)
      if (!user) throw new Problem('unauthenticated', 'Please sign in.')
      return { status: true, data: user }
    },
  }
}

/** Rejects foreign origins, which browsers send with these requests: another site must not renew or end a session. */
function refuseForeignOrigin(deps: IdentityDeps, request: RequestInfo): void {
  if (request.origin === undefined || deps.isAcceptedOrigin(request.origin)) return
  throw new Problem('forbidden', "Requests from this page aren't allowed.")
}

const setRenewal = (request: RequestInfo, renewal: string, seconds: number | undefined) =>
  request.setCookie(COOKIE, renewal, {
    path: COOKIE_PATH,
    ...(seconds === undefined ? {} : { maxAgeSeconds: seconds }),
  })

const said = (message: string) => ({ status: true as const, message })
