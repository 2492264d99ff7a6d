import type { Config } from '../config/config.ts'
import { userOf } from '../ledger/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import { type Database, openDatabase } from '../platform/database/db.ts'
import { openReads, type Reads, traderCaller } from '../platform/database/reads.ts'
import { type Standby, watchStandby } from '../platform/database/standby.ts'
import { readUrl } from '../platform/postgres/provision.ts'
import type { Log } from '../platform/process/log.ts'
import type { Topics } from './base.ts'

export interface NodeReads extends Reads {
  /** The primary, on connections for reading lists. */
  lists: Database
  /** None without DATABASE_READ_URL. */
  standby: Standby | undefined
  /** This trader is notified of a change on this node. */
  notified(userId: bigint): void
}

/**
 * Opens the databases that this node reads from. With a standby, nodes report their callers' writes to each other, and
 * every node learns of a push to a trader before the browser can read.
 */
export function openNodeReads(options: {
  config: Pick<Config, 'DATABASE_READ_URL'>
  log: Log
  database: Database
  url: string
  bus: Bus<Topics>
}): NodeReads {
  const { config, log, database, url, bus } = options
  const lists = openDatabase(url, { max: 4, name: 'lists', log, reads: true })
  const primary = { db: database, lists }
  const standby =
    config.DATABASE_READ_URL === undefined
      ? undefined
      : watchStandby({ url: readUrl(config.DATABASE_READ_URL, url), primary, log })
  const reads = openReads(primary, standby)
  if (standby) subscribeToWrites(bus, reads)
  // Callers who wrote in this turn of the event loop, for the other nodes.
  let written: string[] = []
  return {
    ...reads,
    lists,
    standby,
    wrote(caller) {
      reads.wrote(caller)
      if (!standby) return
      if (written.length === 0)
        setImmediate(() => {
          bus.publishToOthers('wrote', { callers: written })
          written = []
        })
      written.push(caller)
    },
    notified(userId) {
      if (standby) reads.wrote(traderCaller(userId))
    },
    async stop() {
      await reads.stop()
      await lists.close()
    },
  }
}

/** Whatever may be reported to a trader counts as their write: a read that follows a push must have it. */
export function subscribeToWrites(
  bus: Pick<Bus<Topics>, 'subscribe' | 'onGap'>,
  reads: Pick<Reads, 'wrote' | 'missed'>,
): void {
  const users = (userIds: readonly (string | bigint)[]) => {
    for (const userId of userIds) reads.wrote(traderCaller(userId))
  }
  bus.subscribe('wrote', ({ callers }) => {
    for (const caller of callers) reads.wrote(caller)
  })
  bus.subscribe('user-news', ({ userId }) => users([userId]))
  bus.subscribe('balances-changed', ({ userIds }) => users(userIds))
  bus.subscribe('trades-opened', (trades) => users(trades.map(({ userId }) => userId)))
  bus.subscribe('trades-changed', ({ userIds }) => users(userIds))
  bus.subscribe('automatic-changed', ({ accountIds }) => users(accountIds.map((id) => userOf(BigInt(id)))))
  // Lists of instruments and the histories of their charts concern everyone.
  bus.subscribe('instruments-changed', () => reads.missed())
  bus.onGap(() => reads.missed())
}
