import type { BalancePush } from '../ledger/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { RateLimit, RateLimits } from '../platform/http/rate-limit.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Instruments } from '../prices/index.ts'

export interface ComplaintsDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  instruments: Instruments
  notices: Notices
  limits: ComplaintsLimits
  /** There is work for `startComplaintWork`, after the commit. */
  wake(): void
}

/** What checking complaints and returning stakes needs. */
export interface ComplaintWorkDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  instruments: Instruments
  notices: Notices
  balances: Pick<BalancePush, 'afterCommit'>
  log: Log
}

interface ComplaintsLimits {
  /** Limits attempts per user; the database also limits the number of filed complaints. */
  filing: RateLimit
}

export const complaintsLimits = (limits: RateLimits): ComplaintsLimits => ({
  filing: limits('complaints', {
    max: 20,
    windowMs: 3_600_000,
    message: (wait) => `You've sent too many complaints. Try again in ${wait}.`,
  }),
})
