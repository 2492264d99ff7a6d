import { setImmediate as breathe } from 'node:timers/promises'
import { type BalanceSender, balanceNews, userOf } from '../ledger/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import type { Db } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import type { UserNews } from '../platform/sockets/push.ts'
import type { Sockets } from '../platform/sockets/sockets.ts'
import type { FrameEvent, Instruments } from '../prices/index.ts'
import { type Entered, entryWatch, type Watched } from './acceptance/entry-watch.ts'
import type { Accepted } from './acceptance/order.ts'
import { shownTrades } from './store.ts'
import { fromAccepted, toTrade, withEntry } from './view.ts'

/** Messages between nodes about trades: ids and times only. Each node reads what its own screens need. */
export interface TradingTopics {
  'limits-changed': null
  'trades-opened': OpenedTrade[]
  'trades-changed': { tradeIds: string[]; userIds: string[] }
}

export interface OpenedTrade {
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

/** The screens that are open on this node. */
export interface Screens {
  sockets: Pick<Sockets, 'listening' | 'sendToUser'>
  balances: BalanceSender
}

/** Maximum trades that are sent in one turn of the event loop. */
const AT_ONCE = 200

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
  const watch = screens && entryWatch()
  let opened: Watched[] = []

  bus.subscribe('trades-opened', (trades) => {
    deps.openedElsewhere(trades)
    const tradeIds = trades.map(({ id }) => BigInt(id))
    show(tradeIds, [...new Set(trades.map(({ userId }) => BigInt(userId)))], true)
    // An entry that has passed already is read with its trade.
    for (const { id, userId, symbolId, tradeTime } of trades)
      watch?.add({ id: BigInt(id), userId: BigInt(userId), symbolId, tradeTime, shown: undefined })
  })
  bus.subscribe('trades-changed', ({ tradeIds, userIds }) => {
    const ids = tradeIds.map(BigInt)
    // After a pause of this process, results may arrive before the frames with the entries.
    watch?.settled(new Set(ids))
    show(ids, userIds.map(BigInt), true)
  })

  function show(tradeIds: bigint[], userIds: readonly bigint[], changesBalances: boolean): void {
    if (!screens) return
    const listening = screens.sockets.listening(userIds)
    if (listening.length === 0) return
    sendTrades(tradeIds, listening)
      .then(() => {
        if (changesBalances) screens.balances.changed(listening)
      })
      .catch(couldNotSend)
  }

  const couldNotSend = (error: unknown) => log.warn({ error: String(error) }, 'could not send trades to their owners')

  async function sendTrades(tradeIds: bigint[], listening: readonly bigint[]): Promise<void> {
    for (let i = 0; i < tradeIds.length; i += AT_ONCE) {
      const shown = await shownTrades(db, tradeIds.slice(i, i + AT_ONCE), listening)
      for (const [userId, trades] of Map.groupBy(shown, (trade) => trade.userId)) {
        const news = trades.map(({ row }): UserNews => ({ op: 'trade', data: toTrade(instruments, row) }))
        screens?.sockets.sendToUser(userId, ...news)
      }
    }
  }

  /** Sends trades with their entry to their owners' screens; those that this node hasn't shown are read. */
  async function sendEntered(entered: readonly Entered[]): Promise<void> {
    if (!screens) return
    const listening = new Set(screens.sockets.listening([...new Set(entered.map(({ trade }) => trade.userId))]))
    const wanted = entered.filter(({ trade }) => listening.has(trade.userId))
    for (let i = 0; i < wanted.length; i += AT_ONCE) {
      if (i > 0) await breathe()
      for (const [userId, some] of Map.groupBy(wanted.slice(i, i + AT_ONCE), ({ trade }) => trade.userId)) {
        const news = some.flatMap(({ trade: { shown }, entry }): UserNews[] =>
          shown && entry ? [{ op: 'trade', data: withEntry(shown, entry) }] : [],
        )
        if (news.length > 0) screens.sockets.sendToUser(userId, ...news)
      }
    }
    const unread = wanted.filter(({ trade, entry }) => !trade.shown || !entry).map(({ trade }) => trade.id)
    if (unread.length > 0) show(unread, [...listening], false)
  }

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
      if (entered.length > 0) sendEntered(entered).catch(couldNotSend)
    },
    /** Trades whose entry this node hasn't seen yet; undefined without screens. */
    waiting: () => watch?.waiting(),
  }

  function reportOpened(): void {
    const trades = opened
    opened = []
    bus.publishToOthers(
      'trades-opened',
      trades.map(({ id, userId, symbolId, tradeTime }) => ({
        id: String(id),
        userId: String(userId),
        symbolId,
        tradeTime,
      })),
    )
    if (!watch) return
    const entered = trades.flatMap((trade) => watch.add(trade) ?? [])
    if (entered.length > 0) sendEntered(entered).catch(couldNotSend)
  }
}
