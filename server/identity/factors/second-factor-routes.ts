import type { secondFactorCalls } from '#contract/account/second-factor.ts'
import { Problem } from '#contract/problem.ts'
import type { Handlers } from '../../platform/http/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { checkOwnPassword } from '../passwords/change-password.ts'
import { checkPassword } from '../sessions/sign-in.ts'
import { requireStepUp, stepUp } from '../sessions/step-up.ts'
import { openFactorReset, stopFactorReset, stopFactorResetByLink } from './factor-reset.ts'
import { enrolPasskey, passkeyEnrolment, passkeyQuestion } from './passkeys.ts'
import { noSuchFactor, removeFactor, renewRecoveryCodes, secondFactorOf } from './second-factor.ts'
import { beginTotp, confirmTotp } from './totp-factor.ts'

const STOPPED = 'Stopped. Your second factor stays as it is.'

/** The routes of `contract/account/second-factor.ts`. */
export function secondFactorRoutes(deps: IdentityDeps): Handlers<keyof typeof secondFactorCalls> {
  return {
    ...factorRoutes(deps),
    ...stepUpRoutes(deps),
  }
}

/** The factors that an account has, and how to add and remove them. */
function factorRoutes(
  deps: IdentityDeps,
): Handlers<
  | 'GET /auth/2fa'
  | 'DELETE /auth/2fa/reset'
  | 'POST /auth/2fa/reset/stop'
  | 'POST /auth/2fa/totp'
  | 'POST /auth/2fa/totp/confirm'
  | 'DELETE /auth/2fa/totp'
  | 'POST /auth/2fa/recovery-codes'
  | 'POST /auth/2fa/passkeys/options'
  | 'POST /auth/2fa/passkeys'
  | 'DELETE /auth/2fa/passkeys/:id'
> {
  return {
    ...passkeyRoutes(deps),
    ...codeRoutes(deps),
  }
}

/** Passkeys of an account. */
function passkeyRoutes(
  deps: IdentityDeps,
): Handlers<'POST /auth/2fa/passkeys/options' | 'POST /auth/2fa/passkeys' | 'DELETE /auth/2fa/passkeys/:id'> {
  return {
    'POST /auth/2fa/passkeys/options': async ({ who, body, request }) => {
      await checkOwnPassword(deps, who, body.password, 'password')
      await requireStepUp(deps.db, who, request)
      return { status: true, data: await passkeyEnrolment(deps, who) }
    },
    'POST /auth/2fa/passkeys': async ({ who, body }) => ({
      status: true,
      message: 'Your passkey is set up.',
      data: { recovery_codes: await enrolPasskey(deps, who, body) },
    }),
    'DELETE /auth/2fa/passkeys/:id': async ({ who, params, request }) => {
      const { passkeys } = await secondFactorOf(deps.db, who.userId)
      if (!passkeys.some((key) => key.id === params.id)) throw noSuchFactor()
      await requireStepUp(deps.db, who, request)
      await removeFactor(deps, who, { passkey: params.id })
      return { status: true, message: 'Your passkey was removed.' }
    },
  }
}

/** The other factors of an account, and their removal by support. */
function codeRoutes(
  deps: IdentityDeps,
): Handlers<
  | 'GET /auth/2fa'
  | 'DELETE /auth/2fa/reset'
  | 'POST /auth/2fa/reset/stop'
  | 'POST /auth/2fa/totp'
  | 'POST /auth/2fa/totp/confirm'
  | 'DELETE /auth/2fa/totp'
  | 'POST /auth/2fa/recovery-codes'
> {
  return {
    'GET /auth/2fa': async ({ who }) => {
      const [factors, reset] = await Promise.all([
        secondFactorOf(deps.db, who.userId),
        openFactorReset(deps.db, who.userId),
      ])
      const takesEffect = reset ? { takes_effect_at: reset.dueAt.toISOString() } : null
      return { status: true, data: { ...factors, reset: takesEffect } }
    },
    'DELETE /auth/2fa/reset': async ({ who }) => {
      await stopFactorReset(deps, who.userId)
      return { status: true, message: STOPPED }
    },
    'POST /auth/2fa/reset/stop': async ({ body }) => {
      await stopFactorResetByLink(deps, body.hash)
      return { status: true, message: STOPPED }
    },
    'POST /auth/2fa/totp': async ({ who, body, request }) => {
      await checkOwnPassword(deps, who, body.password, 'password')
      await requireStepUp(deps.db, who, request)
      return { status: true, data: await beginTotp(deps, who) }
    },
    'POST /auth/2fa/totp/confirm': async ({ who, body }) => ({
      status: true,
      message: 'Your authenticator app is set up.',
      data: { recovery_codes: await confirmTotp(deps, who, body.code) },
    }),
    'DELETE /auth/2fa/totp': async ({ who, request }) => {
      await requireStepUp(deps.db, who, request)
      await removeFactor(deps, who, 'totp')
      return { status: true, message: 'Your authenticator app was removed.' }
    },
    'POST /auth/2fa/recovery-codes': async ({ who, request }) => {
      await requireStepUp(deps.db, who, request)
      return { status: true, data: { recovery_codes: await renewRecoveryCodes(deps, who) } }
    },
  }
}

/** How a factor confirms a sign-in or a call. */
function stepUpRoutes(
  deps: IdentityDeps,
): Handlers<'POST /auth/login/passkey-options' | 'POST /auth/step-up/passkey-options' | 'POST /auth/step-up'> {
  return {
    'POST /auth/login/passkey-options': async ({ body, request }) => {
      const { account } = await checkPassword(deps, body, request)
      return { status: true, data: await passkeyQuestion(deps, account.id, 'sign_in') }
    },
    'POST /auth/step-up/passkey-options': async ({ who }) => ({
      status: true,
      data: await passkeyQuestion(deps, who.userId, 'step_up'),
    }),
    'POST /auth/step-up': async ({ who, body }) => {
      if ((body.code === undefined) === (body.passkey === undefined)) {
        throw new Problem('validation_failed', 'Code must not be empty', {
          errors: [{ field: 'code', message: 'must not be empty' }],
        })
      }
      return { status: true, data: await stepUp(deps, who, body) }
    },
  }
}
