import type { Guarded, Period } from '#contract/account/guardrails.ts'
import { Problem } from '#contract/problem.ts'
import { periodEnd } from '#kernel/calendar.ts'
import { dollars, type Usd, usd } from '#kernel/money.ts'
import type { Ms } from '#kernel/time.ts'

const ADJECTIVE: Record<Period, string> = { day: 'daily', week: 'weekly', month: 'monthly' }
const NOUN: Record<Guarded, string> = {
  deposits: 'deposit limit',
  losses: 'loss limit',
  stakes: 'stake limit',
  time: 'session time limit',
}

/** 'daily stake limit'. */
export const limitName = (guarded: Guarded, period: Period): string => `${ADJECTIVE[period]} ${NOUN[guarded]}`

/** 'Tue 24 Nov, 00:00 UTC'. */
function resetText(period: Period, now: Ms): string {
  const [weekday, day, month] = new Date(periodEnd(period, now)).toUTCString().replace(',', '').split(' ')
  return `${weekday} ${Number(day)} ${month}, 00:00 UTC`
}

/** Returns the refusal of a trade or deposit by the trader's own limit: which, what is left, and when it starts again. */
export function ownLimitProblem(guard: string, room: bigint, now: Ms): Problem {
  const [guarded, period] = guard.split('_') as [Guarded, Period]
  const resets = `It resets on ${resetText(period, now)}.`
  const name = limitName(guarded, period)
  if (guarded === 'time')
    return new Problem('limit_reached', `You've reached the ${name} you set. Open trades still settle. ${resets}`)
  const left: Usd = usd(room > 0n ? room : 0n)
  const counts = guarded === 'losses' ? ' Open trades count as losses until they settle.' : ''
  return new Problem('limit_reached', `The ${name} you set leaves ${dollars(left)}.${counts} ${resets}`, {
    errors: [{ field: 'amount', message: `must be at most ${dollars(left)} under your ${name}` }],
  })
}

export const blockedProblem = (): Problem =>
  new Problem(
    'account_locked',
    "You're taking a break from real money, so this isn't possible now. Limits shows when the break ends. You can still withdraw.",
  )

export const checkDueProblem = (): Problem =>
  new Problem('reality_check_due', 'Confirm your reality check first. It shows your time, trades and result.')
