import type { RequestKeys } from '../ledger/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { PriceLists } from '../price-lists/index.ts'
import type { Instruments, Tape } from '../prices/index.ts'
import type { Trading } from '../trading/index.ts'

export interface WaitingTopics {
  /** Orders were placed or moved, or this one was cancelled. A hint: engines read what is new every second. */
  'waiting-changed': { cancelled: string | null }
}

export interface WaitingDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  tape: Tape
  instruments: Instruments
  priceLists: Pick<PriceLists, 'offer' | 'versions'>
  trading: Pick<Trading, 'open'>
  notices: Pick<Notices, 'writeEach'>
  keys: RequestKeys
  bus: Pick<Bus<WaitingTopics>, 'publish' | 'subscribe' | 'onGap'>
  log: Log
  /** Whether this node triggers orders (role `engine`). */
  works: boolean
}
