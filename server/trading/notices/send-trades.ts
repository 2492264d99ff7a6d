import { setImmediate as breathe } from 'node:timers/promises'
import type { BalanceSender } from '../../ledger/index.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { UserNews } from '../../platform/sockets/push.ts'
import type { Sockets } from '../../platform/sockets/sockets.ts'
import type { Instruments } from '../../prices/index.ts'
import type { Entered } from '../acceptance/entries/entry-watch.ts'
import { shownTrades } from '../store.ts'
import { toTrade, withEntry } from '../view.ts'

/** The screens that are open on this node. */
export interface Screens {
  sockets: Pick<Sockets, 'listening' | 'sendToUser'>
  balances: BalanceSender
}

/** Maximum trades that are sent in one turn of the event loop. */
const AT_ONCE = 200

/** Sends trades to the screens of their owners that are open here. */
export interface TradeSender {
  /** Reads these trades and sends them. `changesBalances`: their owners' balances may have changed, too. */
  show(tradeIds: bigint[], userIds: readonly bigint[], changesBalances: boolean): void
  /** Sends trades with their entry to their owners' screens; those that this node hasn't shown are read. */
  showEntered(entered: readonly Entered[]): void
}

export function createTradeSender(deps: { db: Db; instruments: Instruments; screens: Screens; log: Log }): TradeSender {
  const { db, instruments, screens, log } = deps
  const { sockets, balances } = screens

  const couldNotSend = (error: unknown) => log.warn({ error: String(error) }, 'could not send trades to their owners')

  function show(tradeIds: bigint[], userIds: readonly bigint[], changesBalances: boolean): void {
    const listening = sockets.listening(userIds)
    if (listening.length === 0) return
    sendTrades(tradeIds, listening)
      .then(() => {
        if (changesBalances) balances.changed(listening)
      })
      .catch(couldNotSend)
  }

  async function sendTrades(tradeIds: bigint[], listening: readonly bigint[]): Promise<void> {
    for (let i = 0; i < tradeIds.length; i += AT_ONCE) {
      const shown = await shownTrades(db, tradeIds.slice(i, i + AT_ONCE), listening)
      for (const [userId, trades] of Map.groupBy(shown, (trade) => trade.userId)) {
        const news = trades.map(({ row }): UserNews => ({ op: 'trade', data: toTrade(instruments, row) }))
        sockets.sendToUser(userId, ...news)
      }
    }
  }

  async function sendEntered(entered: readonly Entered[]): Promise<void> {
    const listening = new Set(sockets.listening([...new Set(entered.map(({ trade }) => trade.userId))]))
    const wanted = entered.filter(({ trade }) => listening.has(trade.userId))
    for (let i = 0; i < wanted.length; i += AT_ONCE) {
      if (i > 0) await breathe()
      for (const [userId, some] of Map.groupBy(wanted.slice(i, i + AT_ONCE), ({ trade }) => trade.userId)) {
        const news = some.flatMap(({ trade: { shown }, entry }): UserNews[] =>
          shown && entry ? [{ op: 'trade', data: withEntry(shown, entry) }] : [],
        )
        if (news.length > 0) sockets.sendToUser(userId, ...news)
      }
    }
    const unread = wanted.filter(({ trade, entry }) => !trade.shown || !entry).map(({ trade }) => trade.id)
    if (unread.length > 0) show(unread, [...listening], false)
  }

  return {
    show,
    showEntered: (entered) => void sendEntered(entered).catch(couldNotSend),
  }
}
