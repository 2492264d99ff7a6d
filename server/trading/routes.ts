import { Problem } from '#contract/problem.ts'
import { tradeMessages, type tradingCalls } from '#contract/trading.ts'
import { usdToNumber } from '#kernel/money.ts'
import { accountOf, type BalancePush, keyOf, type RequestKeys } from '../ledger/index.ts'
import { amountOf } from '../platform/amount.ts'
import type { Db } from '../platform/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/page.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import type { Instruments } from '../prices/index.ts'
import { stakeLimits } from './limits.ts'
import type { TradingObserver } from './observer.ts'
import type { Opened, OpenTrade } from './open-trade.ts'
import { resetDemo } from './reset-demo.ts'
import { tradeHistory, tradeOf } from './store.ts'
import { fromAccepted, toAcceptedTrade, toProfit, toTrade } from './view.ts'

const SUBMIT = 'POST /api/trading/submit'

export interface TradingRoutesDeps {
  db: Db
  instruments: Instruments
  openTrade(command: OpenTrade): Promise<Opened>
  newId(): bigint
  submissions: RateLimit
  balances: Pick<BalancePush, 'afterCommit'>
  keys: RequestKeys
  observer?: TradingObserver | undefined
}

export function tradingRoutes(deps: TradingRoutesDeps): Handlers<keyof typeof tradingCalls> {
  const { db, instruments } = deps
  const responded = deps.observer?.responded
  return {
    'POST /trading/submit': async ({ who, body, request }) => {
      deps.submissions.take(String(who.userId))
      const opened = await deps.openTrade({
        userId: who.userId,
        body,
        stake: amountOf(body.amount),
        key: request.idempotencyKey,
        fingerprint: request.fingerprint(),
      })
      if (responded && 'accepted' in opened) {
        const { id } = opened.accepted.order
        const traceparent = request.header('traceparent')
        request.whenSent((sent) => responded({ ...sent, id, route: SUBMIT, traceparent }))
      }
      const data =
        'stored' in opened ? toAcceptedTrade(instruments, opened.stored) : fromAccepted(instruments, opened.accepted)
      return { status: true, message: tradeMessages.submitted, data }
    },

    'GET /trading': async ({ who, query, reads }) => {
      const page = pageOf(query)
      const rows = await tradeHistory(reads, {
        userId: who.userId,
        mode: query.mode,
        status: query.status,
        side: query.trade_mode,
        // An unknown symbol has no trades.
        symbolId: query.symbol === undefined ? undefined : (instruments.bySymbol(query.symbol)?.id ?? -1),
        page,
      })
      return listReply(rows, page, (row) => toTrade(instruments, row))
    },

    'GET /trading/limits': async ({ who, query }) => {
      const limits = await stakeLimits(db, {
        accountId: accountOf(who.userId, query.mode),
        mode: query.mode,
        // An unknown symbol has no separate limit.
        symbolId: instruments.bySymbol(query.symbol)?.id ?? -1,
      })
      return {
        status: true,
        data: {
          stake_max: usdToNumber(limits.stakeMax),
          open_stake_max: usdToNumber(limits.openStakeMax),
          open_stake: usdToNumber(limits.openStake),
          symbol_room: limits.symbolRoom === null ? null : usdToNumber(limits.symbolRoom),
        },
      }
    },

    'GET /trading/:trade_id': async ({ who, params, reads }) => {
      const row = await tradeOf(reads, who.userId, params.trade_id)
      if (!row) throw new Problem('not_found', 'Trade not found.')
      return { status: true, data: toTrade(instruments, row) }
    },

    'POST /trading/demo/reset': async ({ who, request }) => {
      const data = await resetDemo(deps, {
        userId: who.userId,
        causeId: deps.newId(),
        key: keyOf(request),
      })
      return { status: true, message: tradeMessages.reset, data }
    },

    'GET /profit': async ({ who, query, reads }) => {
      const page = pageOf(query)
      const rows = await tradeHistory(reads, { userId: who.userId, mode: 'real', status: 'Won', page })
      return listReply(rows, page, (row) => toProfit(instruments, row))
    },
  }
}
