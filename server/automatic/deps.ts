import type { Notices } from '../notices/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Log } from '../platform/process/log.ts'
import type { Sockets } from '../platform/sockets/sockets.ts'
import type { PriceLists } from '../price-lists/index.ts'
import type { Instruments, Tape } from '../prices/index.ts'
import type { Trading } from '../trading/index.ts'

export interface AutomaticTopics {
  /** Automatic trades of these accounts have changed. */
  'automatic-changed': { accountIds: string[] }
}

export interface AutomaticDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  tape: Tape
  instruments: Instruments
  priceLists: Pick<PriceLists, 'offer' | 'versions'>
  trading: Pick<Trading, 'open'>
  notices: Notices
  bus: Pick<Bus<AutomaticTopics>, 'publish' | 'subscribe'>
  /** The sockets that are open on this node; none without the role `web`. */
  sockets: Pick<Sockets, 'listening' | 'sendToUser'> | undefined
  log: Log
  /** Whether this node follows signals (role `engine`). */
  works: boolean
}
