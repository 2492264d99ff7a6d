import type { TradeOrigin } from '#contract/terms.ts'
import {
  type Mode,
  type TradeSide,
  type TradeStatus,
  tradeMessages,
  type tradingCalls,
} from '#contract/trading/trading.ts'
import { usdToNumber } from '#kernel/money.ts'
import { zoneNamed } from '#kernel/zone.ts'
import { accountOf, type BalancePush, keyOf, type RequestKeys } from '../ledger/index.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import { accountRequired, type Handlers } from '../platform/http/index.ts'
import { listReply, type Page, pageOf } from '../platform/http/page.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Instrument, Instruments, Tape } from '../prices/index.ts'
import type { RealTrades } from './acceptance/limits/real-trades.ts'
import type { Opened, OpenTrade } from './acceptance/open-trade.ts'
import { keepNote, noteOf, tagsOf } from './history/notes.ts'
import { tradeResults } from './history/results.ts'
import { tradeStatistics } from './history/statistics.ts'
import { tradesFile } from './history/trades-csv.ts'
import { stakeLimits } from './limits.ts'
import type { TradingObserver } from './observer.ts'
import { resetDemo } from './reset-demo.ts'
import { orderSale } from './sales/order-sale.ts'
import type { ShownTradeRow } from './store.ts'
import { saleOf, type TradeFilter, type TradePage, type TradeRow, tradeHistory, tradeOf } from './store.ts'
import { tradeNotFound } from './trade-not-found.ts'
import { acceptedReply, toAcceptedTrade, toOneTrade, toProfit, toTrade } from './view.ts'

const SUBMIT = 'POST /api/trading/submit'

interface TradingRoutesDeps {
  db: Db
  instruments: Instruments
  openTrade(command: OpenTrade): Promise<Opened>
  realTrades(instrument: Instrument): RealTrades
  newId(): bigint
  balances: Pick<BalancePush, 'afterCommit'>
  keys: RequestKeys
  tape: Pick<Tape, 'status'>
  clock: Pick<Clock, 'now'>
  /** An order to sell was accepted in this transaction. */
  ordered(tx: Tx, tradeId: bigint, userId: bigint): void
  observer?: TradingObserver | undefined
}

interface FilterQuery {
  mode: Mode
  status?: TradeStatus | undefined
  symbol?: string | undefined
  trade_mode?: TradeSide | undefined
  from?: string | undefined
  until?: string | undefined
  ended_from?: string | undefined
  ended_until?: string | undefined
  percent?: string | undefined
  duration?: string | undefined
  origin?: TradeOrigin | undefined
  tag?: string | undefined
  hour?: string | undefined
  weekday?: string | undefined
  zone?: string | undefined
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

export function tradingRoutes(deps: TradingRoutesDeps): Handlers<keyof typeof tradingCalls> {
  const { instruments } = deps
  const filterOf = (userId: bigint, query: FilterQuery): TradeFilter => ({
    userId,
    mode: query.mode,
    status: query.status,
    side: query.trade_mode,
    // An unknown symbol has no trades.
    symbolId: query.symbol === undefined ? undefined : (instruments.bySymbol(query.symbol)?.id ?? -1),
    from: numberOf(query.from),
    until: numberOf(query.until),
    endedFrom: numberOf(query.ended_from),
    endedUntil: numberOf(query.ended_until),
    percent: numberOf(query.percent),
    durationSeconds: numberOf(query.duration),
    origin: query.origin,
    tag: query.tag,
    hour: numberOf(query.hour),
    weekday: numberOf(query.weekday),
    zone: query.zone && zoneNamed(query.zone),
  })
  return {
    ...submitRoutes(deps),
    ...sellRoutes(deps),
    'GET /trading': async ({ who, query, reads }) => {
      const page = pageOf(query)
      const found = await tradeHistory(reads, { ...filterOf(who.userId, query), page })
      return historyReply(found, page, (row) => toTrade(instruments, row))
    },

    'GET /trading/results': async ({ who, query, reads }) => {
      return { status: true, data: await tradeResults(reads, filterOf(who.userId, query)) }
    },

    'GET /trading/statistics': async ({ who, query, reads }) => {
      const filter = filterOf(who.userId, query)
      return { status: true, data: await tradeStatistics(reads, instruments, filter) }
    },

    'GET /trading/file': async ({ who, query, reads }) => {
      return tradesFile(reads, instruments, {
        filter: filterOf(who.userId, query),
        form: query.form ?? 'spreadsheet',
      })
    },

    ...limitsRoutes(deps),
    ...notesRoutes(deps),

    'GET /trading/:trade_id': async ({ who, params, reads }) => {
      const row = await tradeOf(reads, who.userId, params.trade_id)
      if (!row) throw await tradeNotFound(reads, params.trade_id)
      return { status: true, data: toOneTrade(instruments, { ...row, ...(await moreOf(reads, row)) }) }
    },

    ...resetRoutes(deps),

    ...profitRoutes(deps),
  }
}

/** What is stored about a trade elsewhere. */
const moreOf = async (db: Db, row: Pick<TradeRow, 'id' | 'account_id'>) => ({
  ...(await noteOf(db, row)),
  sale: await saleOf(db, row),
})

function submitRoutes(deps: TradingRoutesDeps): Handlers<'POST /trading/submit'> {
  const { instruments } = deps
  const responded = deps.observer?.responded
  return {
    'POST /trading/submit': async ({ who, body, request }) => {
      if (who.isGuest && body.mode === 'real') throw accountRequired()
      const opened = await deps.openTrade({
        userId: who.userId,
        body,
        stake: body.amount,
        key: request.idempotencyKey,
        // A trader who presses again after a lost response sends the same order under the same key, with another time.
        fingerprint: request.fingerprint('pressed_at'),
        arrivedAt: request.arrivedAt,
      })
      if (responded && 'accepted' in opened) {
        const { id } = opened.accepted.order
        const traceparent = request.header('traceparent')
        request.whenSent((sent) => responded({ ...sent, id, route: SUBMIT, traceparent }))
      }
      const data =
        'stored' in opened ? toAcceptedTrade(instruments, opened.stored) : acceptedReply(instruments, opened.accepted)
      return { status: true, message: tradeMessages.submitted, data }
    },
  }
}

function profitRoutes({ instruments }: TradingRoutesDeps): Handlers<'GET /profit'> {
  return {
    'GET /profit': async ({ who, query, reads }) => {
      const page = pageOf(query)
      const found = await tradeHistory(reads, { userId: who.userId, mode: 'real', profits: true, page })
      return historyReply(found, page, (row) => toProfit(instruments, row))
    },
  }
}

function sellRoutes(deps: TradingRoutesDeps): Handlers<'POST /trading/:trade_id/sell'> {
  return {
    'POST /trading/:trade_id/sell': async ({ who, params, body, request }) => {
      const data = await orderSale(deps, {
        userId: who.userId,
        tradeId: params.trade_id,
        minimum: body.minimum,
        pressedAt: body.pressed_at,
        arrivedAt: request.arrivedAt,
        // A trader who presses again after a lost response sends the same order under the same key, with another time.
        key: keyOf({
          idempotencyKey: request.idempotencyKey,
          fingerprint: () => request.fingerprint('pressed_at'),
        }),
      })
      return { status: true, message: tradeMessages.selling, data }
    },
  }
}

function resetRoutes(deps: TradingRoutesDeps): Handlers<'POST /trading/demo/reset'> {
  return {
    'POST /trading/demo/reset': async ({ who, request }) => {
      const data = await resetDemo(deps, {
        userId: who.userId,
        causeId: deps.newId(),
        key: keyOf(request),
      })
      return { status: true, message: tradeMessages.reset, data }
    },
  }
}

function notesRoutes({ db }: TradingRoutesDeps): Handlers<'GET /trading/tags' | 'PUT /trading/:trade_id/note'> {
  return {
    'GET /trading/tags': async ({ who, query }) => ({ status: true, data: await tagsOf(db, who.userId, query.mode) }),

    'PUT /trading/:trade_id/note': async ({ who, params, body }) => {
      const kept = await keepNote(db, who.userId, params.trade_id, body)
      if (!kept) throw await tradeNotFound(db, params.trade_id)
      return { status: true, data: kept }
    },
  }
}

function limitsRoutes({ db, instruments, realTrades }: TradingRoutesDeps): Handlers<'GET /trading/limits'> {
  return {
    'GET /trading/limits': async ({ who, query }) => {
      const instrument = instruments.bySymbol(query.symbol)
      const limits = await stakeLimits(db, {
        accountId: accountOf(who.userId, query.mode),
        mode: query.mode,
        // An unknown symbol has no separate limit.
        symbolId: instrument?.id ?? -1,
      })
      const real = query.mode === 'real' && instrument ? realTrades(instrument) : undefined
      const refused = real && 'refused' in real ? real.refused : undefined
      const thinMax = real && 'stakeMax' in real ? real.stakeMax : null
      const isThin = thinMax !== null && thinMax < limits.stakeMax
      return {
        status: true,
        data: {
          stake_max: usdToNumber(isThin ? thinMax : limits.stakeMax),
          ...(isThin ? { thin_market: true as const } : {}),
          ...(refused === undefined ? {} : { refused }),
          open_stake_max: usdToNumber(limits.openStakeMax),
          open_stake: usdToNumber(limits.openStake),
          symbol_room: limits.symbolRoom === null ? null : usdToNumber(limits.symbolRoom),
        },
      }
    },
  }
}

/** The response of a list of trades. Its last page says that older trades are archived, where they are. */
function historyReply<T>({ rows, archivedBefore }: TradePage, page: Page, view: (row: ShownTradeRow) => T) {
  const reply = listReply(rows, page, view)
  const isLast = !('next_cursor' in reply)
  return { ...reply, ...(isLast && archivedBefore !== undefined ? { archived_before: archivedBefore } : {}) }
}
