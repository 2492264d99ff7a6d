import { WaitingOrderBody } from '#contract/trading/waiting.ts'
import { accountOf, openRequestKeys } from '#server/ledger/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { isTradeKey } from '#server/trading/index.ts'
import type { WaitingDeps } from '#server/waiting/deps.ts'
import { OrdersEngine } from '#server/waiting/orders-engine.ts'
import { cancelOrder, movePrice, placeOrder } from '#server/waiting/place-order.ts'
import { ordersOf, toOrder } from '#server/waiting/store.ts'
import type { TestDatabase } from '../servers/database.ts'
import type { Market } from '../trades/market.ts'
import { openTestNotices } from './notices.ts'

/** Opens waiting orders on a scripted market. Engines look only when the test says so. */
export function openTestWaiting(database: TestDatabase, market: Market) {
  const engines = new Set<OrdersEngine>()
  const { tape, instruments } = market.prices
  const deps: WaitingDeps = {
    db: database.db,
    clock: market.clock,
    tape,
    instruments,
    priceLists: market.priceLists,
    trading: market.trading,
    notices: openTestNotices(),
    keys: openRequestKeys(isTradeKey),
    bus: { publish: () => undefined, subscribe: () => () => undefined, onGap: () => undefined },
    log: createLog('silent'),
    works: true,
  }
  market.onFrame((event) => {
    for (const engine of engines) engine.frame(event)
  })
  const who = (userId: bigint, isGuest = false) => ({ userId, sessionId: 1n, isGuest })
  const inTime = (ms: number) => new Date(market.clock.now() + ms).toISOString()
  return {
    deps,
    who,
    inTime,
    /** Places an order: Buy BTCUSDT at or above a price, for $10 of demo money. */
    place: (userId: bigint, body: Partial<WaitingOrderBody> = {}, key?: string) =>
      placeOrder(
        deps,
        who(userId),
        WaitingOrderBody.parse({
          ...{ symbol: 'BTCUSDT', trade_mode: 'Buy', amount: 10, duration: 60, strike_rate: '75/3', mode: 'demo' },
          ...{ condition: 'at_or_above', ...(body.at === undefined && { level: '70100' }), ...body },
        }),
        key === undefined ? undefined : { text: key, fingerprint: Buffer.alloc(32, key) },
      ),
    move: (userId: bigint, id: string, level: string) => movePrice(deps, who(userId), BigInt(id), level),
    cancel: (userId: bigint, id: string) => cancelOrder(deps, who(userId), BigInt(id)),
    /** Starts an engine that sees the frames from now on. */
    engine(more: Partial<WaitingDeps> = {}): OrdersEngine {
      const engine = new OrdersEngine({ ...deps, ...more }, { byHand: true })
      engines.add(engine)
      return engine
    },
    /** An engine that sees no more frames: it died. */
    kill: (engine: OrdersEngine) => engines.delete(engine),
    /** Writes frames with these prices of BTCUSDT, one after the other. */
    async ticks(...texts: string[]) {
      for (const BTCUSDT of texts) await market.frame({ BTCUSDT })
    },
    orders: async (userId: bigint, mode: 'real' | 'demo' = 'demo') =>
      (await ordersOf(database.db, accountOf(userId, mode))).map((row) => toOrder(instruments, row)),
  }
}
