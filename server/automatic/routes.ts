import type { AutomaticOrder, automaticCalls } from '#contract/trading/automatic.ts'
import { must } from '#kernel/must.ts'
import { toIso } from '#kernel/time.ts'
import { accountOf } from '../ledger/index.ts'
import type { Handlers } from '../platform/http/index.ts'
import { listReply, pageOf } from '../platform/http/page.ts'
import { signalsByNumber } from '../signals/index.ts'
import { toTrade, tradesByIds } from '../trading/index.ts'
import { halt, start } from './automation.ts'
import type { AutomaticDeps } from './deps.ts'
import { readAutomation } from './read-automation.ts'
import { saveSettings } from './save-settings.ts'

/** The routes of `contract/trading/automatic.ts`. */
export function automaticRoutes(deps: AutomaticDeps): Handlers<keyof typeof automaticCalls> {
  return {
    'GET /automatic': async ({ who, query }) => ({
      status: true,
      data: await readAutomation(deps, deps.db, who.userId, query.mode),
    }),
    'PUT /automatic': async ({ who, body }) => {
      return { status: true, message: 'Settings saved.', data: await saveSettings(deps, who.userId, body) }
    },
    'POST /automatic/start': async ({ who, body }) => {
      const data = await start(deps, { userId: who.userId, mode: body.mode, confirmed: body.confirmed === true })
      return { status: true, message: 'Automatic trades are running.', data }
    },
    'POST /automatic/pause': async ({ who, body }) => {
      const data = await halt(deps, { userId: who.userId, mode: body.mode, to: 'Paused' })
      return { status: true, message: 'Automatic trades are paused.', data }
    },
    'POST /automatic/stop': async ({ who, body }) => {
      const data = await halt(deps, { userId: who.userId, mode: body.mode, to: 'Off' })
      return { status: true, message: 'Automatic trades are off.', data }
    },
    ...ordersRoute(deps),
  }
}

function ordersRoute({ instruments }: AutomaticDeps): Handlers<'GET /automatic/orders'> {
  return {
    'GET /automatic/orders': async ({ who, query, reads }) => {
      const page = pageOf(query, (unchecked) => (/^[1-9]\d{0,14}$/.test(unchecked) ? BigInt(unchecked) : undefined))
      const rows = await reads
        .selectFrom('automatic_orders')
        .selectAll()
        .where('account_id', '=', accountOf(who.userId, query.mode))
        .$if(page.after !== undefined, (select) => select.where('signal', '<', must(page.after)))
        .orderBy('signal', 'desc')
        .limit(page.limit + 1)
        .execute()
      const signals = await signalsByNumber(
        reads,
        rows.map((row) => row.signal),
      )
      const trades = await tradesByIds(
        reads,
        rows.flatMap((row) => row.trade_id ?? []),
      )
      const tradeOf = new Map(trades.map((trade) => [trade.id, toTrade(instruments, trade)]))
      return listReply(
        rows.map((row) => ({ ...row, id: row.signal })),
        page,
        (row): AutomaticOrder => {
          const signal = must(signals.get(row.signal))
          return {
            signal: String(row.signal),
            strategy: signal.strategy,
            symbol: instruments.byId(signal.symbol_id)?.symbol ?? '',
            side: signal.side,
            duration: signal.duration_seconds,
            at: toIso(Number(row.at)),
            status: row.status,
            reason: row.reason ?? undefined,
            trade: row.trade_id === null ? undefined : tradeOf.get(row.trade_id),
          }
        },
        String,
      )
    },
  }
}
