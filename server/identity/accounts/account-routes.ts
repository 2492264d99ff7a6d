import type { closureCalls } from '#contract/account/closure.ts'
import type { emailChangeCalls } from '#contract/account/email-change.ts'
import type { Handlers } from '../../platform/http/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { disownSignIn } from '../sessions/disown-sign-in.ts'
import {
  cancelEmailChange,
  confirmEmailChange,
  disownEmailChange,
  emailChangeDetails,
  emailChangeOf,
  requestEmailChange,
} from './change-email.ts'
import { closureOf, keepAccount, keepAccountByLink, requestClosure } from './close-account.ts'

/** The routes of `contract/account/closure.ts`. */
export const closureRoutes = (deps: IdentityDeps): Handlers<keyof typeof closureCalls> => ({
  'GET /auth/closure': async ({ who }) => ({ status: true, data: await closureOf(deps, who.userId) }),
  'POST /auth/closure': async ({ who, body, request }) => ({
    status: true,
    data: await requestClosure(deps, who, body.password, request),
  }),
  'DELETE /auth/closure': async ({ who }) => {
    await keepAccount(deps, who.userId)
    return { status: true, message: KEPT }
  },
  'POST /auth/closure/keep': async ({ body }) => {
    await keepAccountByLink(deps, body.hash)
    return { status: true, message: KEPT }
  },
})

const KEPT = 'Your account stays open.'

/** The routes of `contract/account/email-change.ts`. */
export const emailChangeRoutes = (deps: IdentityDeps): Handlers<keyof typeof emailChangeCalls> => ({
  'GET /auth/email-change': async ({ who }) => ({ status: true, data: await emailChangeOf(deps.db, who.userId) }),
  'POST /auth/email-change': async ({ who, body, request }) => ({
    status: true,
    message: "We've e-mailed a link to both addresses.",
    data: await requestEmailChange(deps, who, body, request),
  }),
  'DELETE /auth/email-change': async ({ who }) => {
    await cancelEmailChange(deps, who.userId)
    return { status: true, message: 'Cancelled. Your address stays as it is.' }
  },
  'GET /auth/email-change/details': async ({ query }) => ({
    status: true,
    data: await emailChangeDetails(deps, query.hash),
  }),
  'POST /auth/email-change/confirm': async ({ body }) => {
    const done = await confirmEmailChange(deps, body.hash)
    const message = done
      ? 'Your e-mail address has changed. Withdrawals are paused for 24 hours.'
      : 'Thank you. Now open the link that we sent to the other address.'
    return { status: true, message, data: { done } }
  },
  'POST /auth/email-change/disown': async ({ body }) => {
    const { signedOut } = await disownEmailChange(deps, body.hash)
    const message = signedOut
      ? 'The change was cancelled, all sessions were ended, and withdrawals are frozen until you set a new password and sign in with it.'
      : 'The change was cancelled. The account keeps its address.'
    return { status: true, message }
  },
  'POST /auth/sign-in/disown': async ({ body }) => {
    await disownSignIn(deps, body.hash)
    return {
      status: true,
      message:
        'All sessions were ended, and withdrawals are frozen until you set a new password by e-mail and sign in with it.',
    }
  },
})
