import { Problem } from '#contract/problem.ts'
import { tradeMessages, type tradingCalls } from '#contract/trading.ts'
import { usd, usdToNumber } from '#kernel/money.ts'
import { accountOf, type BalancePush, keyOf, type RequestKeys } from '../ledger/index.ts'
import { amountOf } from '../platform/amount.ts'
import type { Db } from '../platform/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/page.ts'
import type { RateLimit } from '../platform/rate-limit.ts'
import type { Instruments } from '../prices/index.ts'
import { stakeLimits } from './limits.ts'
import type { Opened, OpenTrade } from './open-trade.ts'
import { resetDemo } from './reset-demo.ts'
import { tradeHistory, tradeOf } from './store.ts'
import { fromAccepted, toAcceptedTrade, toProfit, toTrade } from './view.ts'

export interface TradingRoutesDeps {
  db: Db
  instruments: Instruments
  openTrade(command: OpenTrade): Promise<Opened>
  newId(): bigint
  submissions: RateLimit
  balances: Pick<BalancePush, 'afterCommit'>
  keys: RequestKeys
}

export function tradingRoutes(deps: TradingRoutesDeps): Handlers<keyof typeof tradingCalls> {
  const { db, instruments } = deps
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
      const data =
        'stored' in opened ? toAcceptedTrade(instruments, opened.stored) : fromAccepted(instruments, opened.accepted)
      return { status: true, message: tradeMessages.submitted, data }
    },

    'GET /trading': async ({ who, query }) => {
      const page = pageOf(query)
      const rows = await tradeHistory(db, {
        userId: who.userId,
        book: query.mode,
        status: query.status,
        tradeMode: query.trade_mode,
        // An unknown symbol has no trades.
        symbolId: query.symbol === undefined ? undefined : (instruments.bySymbol(query.symbol)?.id ?? -1),
        page,
      })
      return listReply(rows, page, (row) => toTrade(instruments, row))
    },

    'GET /trading/limits': async ({ who, query }) => {
      const limits = await stakeLimits(db, {
        accountId: accountOf(who.userId, query.mode),
        book: query.mode,
        // An unknown symbol has no separate limit.
        symbolId: instruments.bySymbol(query.symbol)?.id ?? -1,
      })
      const dollars = (cents: bigint) => usdToNumber(usd(cents))
      return {
        status: true,
        data: {
          stake_max: dollars(limits.stakeMax),
          open_stake_max: dollars(limits.openStakeMax),
          open_stake: dollars(limits.openStake),
          symbol_room: limits.symbolRoom === null ? null : dollars(limits.symbolRoom),
        },
      }
    },

    'GET /trading/:trade_id': async ({ who, params }) => {
      const row = await tradeOf(db, who.userId, params.trade_id)
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

    'GET /profit': async ({ who, query }) => {
      const page = pageOf(query)
      const rows = await tradeHistory(db, { userId: who.userId, book: 'real', status: 'Won', page })
      return listReply(rows, page, (row) => toProfit(instruments, row))
    },
  }
}
