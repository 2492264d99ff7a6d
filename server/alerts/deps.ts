import type { Notices } from '../notices/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import type { Instruments, Prices, Tape } from '../prices/index.ts'
import type { TradingTopics } from '../trading/index.ts'

export interface AlertsTopics {
  /** Alerts were armed, or this one was deleted. A hint: engines read what is new every second. */
  'alerts-changed': { deleted: string | null }
}

export interface AlertsDeps {
  db: Db
  tape: Tape
  candles: Prices['candles']
  instruments: Instruments
  notices: Pick<Notices, 'writeEach'>
  bus: Pick<Bus<AlertsTopics & Pick<TradingTopics, 'trades-changed'>>, 'publish' | 'subscribe' | 'onGap'>
  log: Log
  /** Whether this node judges alerts (role `engine`). */
  works: boolean
}
