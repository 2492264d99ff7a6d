import { type BalanceSender, balanceNews, userOf } from '../ledger/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { UserNews } from '../platform/push.ts'
import type { Sockets } from '../platform/sockets.ts'
import type { Instruments } from '../prices/index.ts'
import type { Accepted } from './order.ts'
import { shownTrades } from './store.ts'
import { fromAccepted, toTrade } from './view.ts'

/** Messages between nodes about trades: ids and times only. Each node reads what its own screens need. */
export interface TradingTopics {
  'limits-changed': null
  'trades-opened': OpenedTrade[]
  'trades-changed': { kind: 'entered' | 'settled'; tradeIds: string[]; userIds: string[] }
}

export interface OpenedTrade {
  id: string
  userId: string
  symbolId: number
  /** Tape time, Unix ms. */
  tradeTime: number
}

/** Trades of some users that have just changed: entered or settled. */
export interface TradesChanged {
  kind: 'entered' | 'settled'
  tradeIds: bigint[]
  userIds: bigint[]
}

/** The screens that are open on this node. */
export interface Screens {
  sockets: Pick<Sockets, 'listening' | 'sendToUser'>
  balances: BalanceSender
}

/** Maximum trades that are sent in one turn of the event loop. */
const READ_AT_ONCE = 200

/** Reports trades to all nodes, and sends them to the screens that are open here. A lost message is found in the lists. */
export function tradeNews(deps: {
  db: Db
  bus: Pick<Bus<TradingTopics>, 'publish' | 'publishToOthers' | 'subscribe'>
  instruments: Instruments
  /** None on a node without sockets. */
  screens: Screens | undefined
  log: Log
  /** Trades that other nodes have accepted. */
  openedElsewhere(trades: readonly OpenedTrade[]): void
}) {
  const { db, bus, instruments, screens, log } = deps
  let opened: OpenedTrade[] = []

  bus.subscribe('trades-opened', (trades) => {
    deps.openedElsewhere(trades)
    const tradeIds = trades.map(({ id }) => BigInt(id))
    show(tradeIds, [...new Set(trades.map(({ userId }) => BigInt(userId)))], true)
  })
  bus.subscribe('trades-changed', ({ kind, tradeIds, userIds }) => {
    show(tradeIds.map(BigInt), userIds.map(BigInt), kind === 'settled')
  })

  function show(tradeIds: bigint[], userIds: bigint[], changesBalances: boolean): void {
    if (!screens) return
    const listening = screens.sockets.listening(userIds)
    if (listening.length === 0) return
    sendTrades(tradeIds, listening)
      .then(() => {
        if (changesBalances) screens.balances.changed(listening)
      })
      .catch((error: unknown) => log.warn({ error: String(error) }, 'could not send trades to their owners'))
  }

  async function sendTrades(tradeIds: bigint[], listening: readonly bigint[]): Promise<void> {
    for (let i = 0; i < tradeIds.length; i += READ_AT_ONCE) {
      const shown = await shownTrades(db, tradeIds.slice(i, i + READ_AT_ONCE), listening)
      for (const [userId, trades] of Map.groupBy(shown, (trade) => trade.userId)) {
        const news = trades.map(({ row }): UserNews => ({ op: 'trade', data: toTrade(instruments, row) }))
        screens?.sockets.sendToUser(userId, ...news)
      }
    }
  }

  return {
    /** This node has accepted a trade. */
    opened(accepted: Accepted): void {
      const { order, tradeTime } = accepted
      const userId = userOf(order.accountId)
      // The trades of a batch are reported together.
      if (opened.length === 0) setImmediate(reportOpened)
      opened.push({ id: String(order.id), userId: String(userId), symbolId: order.symbolId, tradeTime })
      if (!screens || screens.sockets.listening([userId]).length === 0) return
      const news: UserNews = { op: 'trade', data: fromAccepted(instruments, accepted) }
      const { balances } = accepted
      if (balances && !screens.balances.mayHaveChanged(userId, balances.sentAt)) {
        screens.sockets.sendToUser(userId, news, balanceNews(balances))
      } else {
        screens.sockets.sendToUser(userId, news)
        screens.balances.changed([userId])
      }
    },
    changed({ kind, tradeIds, userIds }: TradesChanged): void {
      bus.publish('trades-changed', { kind, tradeIds: tradeIds.map(String), userIds: userIds.map(String) })
    },
  }

  function reportOpened(): void {
    bus.publishToOthers('trades-opened', opened)
    opened = []
  }
}
