import { balanceNews, userOf } from '../../ledger/index.ts'
import type { Bus } from '../../platform/bus/index.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { UserNews } from '../../platform/sockets/push.ts'
import type { FrameEvent, Instruments } from '../../prices/index.ts'
import { entryWatch, type Watched } from '../acceptance/entries/entry-watch.ts'
import type { Accepted } from '../acceptance/order.ts'
import { fromAccepted } from '../view.ts'
import { createTradeSender, type Screens, type TradeSender } from './send-trades.ts'

/** Messages between nodes about trades: ids and times only. Each node reads what its own screens need. */
export interface TradingTopics {
  'limits-changed': null
  /** An order to sell a trade was accepted. */
  'sale-ordered': null
  'trades-opened': OpenedTrade[]
  'trades-changed': { tradeIds: string[]; userIds: string[] }
}

interface OpenedTrade {
  id: string
  userId: string
  symbolId: number
  /** Tape time, Unix ms. */
  tradeTime: number
}

/** Trades of some users that have just been settled. */
export interface TradesChanged {
  tradeIds: bigint[]
  userIds: bigint[]
}

interface TradeNewsDeps {
  db: Db
  bus: Pick<Bus<TradingTopics>, 'publish' | 'publishToOthers' | 'subscribe'>
  instruments: Instruments
  /** None on a node without sockets. */
  screens: Screens | undefined
  log: Log
  /** Trades that other nodes have accepted. */
  openedElsewhere(trades: readonly OpenedTrade[]): void
}

/** Reports trades to all nodes, and sends them to the screens that are open here. A lost message is found in the lists. */
export function tradeNews(deps: TradeNewsDeps) {
  const { db, bus, instruments, screens, log } = deps
  const watch = screens && entryWatch()
  const sender = screens && createTradeSender({ db, instruments, screens, log })
  let opened: Watched[] = []

  hearOthers(deps, watch, sender)

  return {
    /** This node has accepted a trade. */
    opened(accepted: Accepted): void {
      const { order, tradeTime } = accepted
      const userId = userOf(order.accountId)
      // The trades of a batch are reported together.
      if (opened.length === 0) setImmediate(reportOpened)
      const trade: Watched = { id: order.id, userId, symbolId: order.symbolId, tradeTime, shown: undefined }
      opened.push(trade)
      if (!screens || screens.sockets.listening([userId]).length === 0) return
      trade.shown = fromAccepted(instruments, accepted)
      const news: UserNews = { op: 'trade', data: trade.shown }
      const { balances } = accepted
      if (balances && !screens.balances.mayHaveChanged(userId, balances.sentAt)) {
        screens.sockets.sendToUser(userId, news, balanceNews(balances))
      } else {
        screens.sockets.sendToUser(userId, news)
        screens.balances.changed([userId])
      }
    },
    changed({ tradeIds, userIds }: TradesChanged): void {
      bus.publish('trades-changed', { tradeIds: tradeIds.map(String), userIds: userIds.map(String) })
    },
    /** The tape has advanced: sends the entries that are in this frame. */
    frame(event: FrameEvent): void {
      const entered = watch?.frame(event) ?? []
      if (entered.length > 0) sender?.showEntered(entered)
    },
    /** Trades whose entry this node hasn't seen yet; undefined without screens. */
    waiting: () => watch?.waiting(),
  }

  function reportOpened(): void {
    const trades = opened
    opened = []
    bus.publishToOthers('trades-opened', trades.map(toOpened))
    if (!watch) return
    const entered = trades.flatMap((trade) => watch.add(trade) ?? [])
    if (entered.length > 0) sender?.showEntered(entered)
  }
}

/** Shows the trades that other nodes report. */
function hearOthers(
  { bus, openedElsewhere }: TradeNewsDeps,
  watch: ReturnType<typeof entryWatch> | undefined,
  sender: TradeSender | undefined,
): void {
  bus.subscribe('trades-opened', (trades) => {
    openedElsewhere(trades)
    const tradeIds = trades.map(({ id }) => BigInt(id))
    sender?.show(tradeIds, [...new Set(trades.map(({ userId }) => BigInt(userId)))], true)
    // An entry that has passed already is read with its trade.
    for (const { id, userId, symbolId, tradeTime } of trades)
      watch?.add({ id: BigInt(id), userId: BigInt(userId), symbolId, tradeTime, shown: undefined })
  })
  bus.subscribe('trades-changed', ({ tradeIds, userIds }) => {
    const ids = tradeIds.map(BigInt)
    // After a pause of this process, results may arrive before the frames with the entries.
    watch?.settled(new Set(ids))
    sender?.show(ids, userIds.map(BigInt), true)
  })
}

const toOpened = ({ id, userId, symbolId, tradeTime }: Watched): OpenedTrade => ({
  id: String(id),
  userId: String(userId),
  symbolId,
  tradeTime,
})
