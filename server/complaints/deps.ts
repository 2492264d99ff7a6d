import type { BalancePush } from '../ledger/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Instruments } from '../prices/index.ts'

export interface ComplaintsDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  instruments: Instruments
  notices: Notices
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
