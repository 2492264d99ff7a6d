import { type Guarded, type guardrailsCalls, type Period, TIME_MAX, TIME_MIN } from '#contract/account/guardrails.ts'
import type { Parsed } from '#contract/api.ts'
import { fieldProblem } from '#contract/problem.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { GuardrailsDeps } from './deps.ts'
import { exclude, requestReturn } from './exclusion.ts'
import { cancelChange, confirmChange, setGuard } from './limits.ts'
import { confirmCheck } from './reality-check.ts'
import { readGuardrails } from './state.ts'

/** The routes of `contract/account/guardrails.ts`. */
export function guardrailsRoutes(deps: GuardrailsDeps): Handlers<keyof typeof guardrailsCalls> {
  const read = async (userId: bigint, message?: string) => ({
    status: true as const,
    ...(message === undefined ? {} : { message }),
    data: await readGuardrails(deps, deps.db, userId),
  })
  return {
    'GET /guardrails': ({ who }) => read(who.userId),
    'PUT /guardrails/limits': async ({ who, body }) => {
      const { guarded, period } = body
      await setGuard(deps, who.userId, `${guarded}_${period}`, limitOf(guarded, period, body.max))
      return read(who.userId)
    },
    'PUT /guardrails/reality-check': async ({ who, body }) => {
      await setGuard(deps, who.userId, 'check_minutes', body.minutes === null ? null : BigInt(body.minutes))
      return read(who.userId)
    },
    'POST /guardrails/changes/:id/confirm': async ({ who, params }) => {
      await confirmChange(deps, who.userId, params.id)
      return read(who.userId, 'Your limit has changed.')
    },
    'POST /guardrails/changes/:id/cancel': async ({ who, params }) => {
      await cancelChange(deps, who.userId, params.id)
      return read(who.userId, 'The change is cancelled.')
    },
    'POST /guardrails/reality-check/confirm': async ({ who, body }) => {
      await confirmCheck(deps, who.userId, body.number)
      return read(who.userId)
    },
    'POST /guardrails/time-out': async ({ who, body }) => {
      await exclude(deps, who.userId, { kind: 'time_out', days: body.days })
      return read(who.userId, 'Your time-out has started.')
    },
    'POST /guardrails/exclusion': async ({ who, body }) => {
      await exclude(deps, who.userId, { kind: 'exclusion', months: body.months })
      return read(who.userId, 'Your self-exclusion has started.')
    },
    'POST /guardrails/return': async ({ who }) => {
      await requestReturn(deps, who.userId)
      return read(who.userId, 'You can trade again in 24 hours.')
    },
  }
}

/** Converts a limit to cents or minutes. Throws `validation_failed` for minutes that aren't a possible limit. */
function limitOf(
  guarded: Guarded,
  period: Period,
  max: Parsed<'PUT /guardrails/limits', 'body'>['max'],
): bigint | null {
  if (max === null) return null
  if (guarded !== 'time') return max
  // The call reads every limit as money, so these are hundredths of a minute.
  const minutes = max / 100n
  if (max % 100n !== 0n) throw fieldProblem('max', 'must be a whole number of minutes')
  if (minutes < TIME_MIN) throw fieldProblem('max', `must be at least ${TIME_MIN} minutes`)
  if (minutes > TIME_MAX[period]) throw fieldProblem('max', `must be at most ${TIME_MAX[period]} minutes`)
  return minutes
}
