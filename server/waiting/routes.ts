import { Problem } from '#contract/problem.ts'
import type { waitingCalls } from '#contract/trading/waiting.ts'
import { accountOf, keyOf } from '../ledger/index.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { WaitingDeps } from './deps.ts'
import { accountsOf, cancelOrder, movePrice, placeOrder } from './place-order.ts'
import { orderOf, ordersOf, toOrder } from './store.ts'

/** The routes of `contract/trading/waiting.ts`. */
export function waitingRoutes(deps: WaitingDeps): Handlers<keyof typeof waitingCalls> {
  const { db, instruments } = deps
  return {
    'GET /waiting-orders': async ({ who, query }) => ({
      status: true,
      data: (await ordersOf(db, accountOf(who.userId, query.mode))).map((row) => toOrder(instruments, row)),
    }),
    'GET /waiting-orders/:id': async ({ who, params }) => {
      const row = await orderOf(db, accountsOf(who.userId), params.id)
      if (!row) throw new Problem('not_found', 'Order not found.')
      return { status: true, data: toOrder(instruments, row) }
    },
    'POST /waiting-orders': async ({ who, body, request }) => ({
      status: true,
      message: 'Order waiting.',
      data: await placeOrder(deps, who, body, keyOf(request)),
    }),
    'PUT /waiting-orders/:id': async ({ who, params, body }) => ({
      status: true,
      message: 'Order moved.',
      data: await movePrice(deps, who, params.id, body.level),
    }),
    'DELETE /waiting-orders/:id': async ({ who, params }) => {
      await cancelOrder(deps, who, params.id)
      return { status: true, message: 'Order cancelled.' }
    },
  }
}
