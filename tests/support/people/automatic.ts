import type { Mode, StrategyId, TradeSide } from '#contract/terms.ts'
import { AutomationBody } from '#contract/trading/automatic.ts'
import { halt, start } from '#server/automatic/automation.ts'
import type { AutomaticDeps } from '#server/automatic/deps.ts'
import { readAutomation } from '#server/automatic/read-automation.ts'
import { startFollower } from '#server/automatic/reservations/follow.ts'
import { saveSettings } from '#server/automatic/save-settings.ts'
import { accountOf, userOf } from '#server/ledger/index.ts'
import { recordedStrategies } from '#server/own-strategies/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { createDecider } from '#server/signals/decide.ts'
import { recordSignals, type SignalRow } from '#server/signals/record.ts'
import type { Strategy } from '#server/strategies/index.ts'
import { automationOf, type OneFollowed } from '../automatic-settings.ts'
import type { TestDatabase } from '../servers/database.ts'
import { type Market, marketOfFile, toMidweek } from '../trades/market.ts'
import { openTestNotices } from './notices.ts'

/** Returns a strategy with a signal at every candle close. */
export const sure = (id: StrategyId, side: TradeSide): Strategy => ({
  ...{ id, version: 1, name: id, rule: 'A rule.', parameters: {}, needs: 1 },
  decide: () => side,
})

/** Opens automatic trading for the tests of a file, on a market that has passed two closes of a candle. */
export async function automaticOfFile() {
  const { database, market } = await marketOfFile()
  // Limits by day would start again if midnight passed during a test.
  await toMidweek(market, { BTCUSDT: '60000.00' })
  const automatic = openAutomatic(database, market)
  await automatic.toNextClose()
  await automatic.toNextClose()
  return { database, market, automatic }
}

/** Opens automatic trading on a scripted market; the test drives each step. */
export function openAutomatic(
  database: TestDatabase,
  market: Market,
  strategies: readonly Strategy[] = [sure('trend', 'Buy'), sure('breakout', 'Sell')],
  more: Partial<AutomaticDeps> = {},
) {
  const { tape, instruments } = market.prices
  const pushed: bigint[] = []
  const deps: AutomaticDeps = {
    db: database.db,
    clock: market.clock,
    tape,
    instruments,
    priceLists: market.priceLists,
    trading: market.trading,
    notices: openTestNotices(),
    bus: {
      publish: (_topic, { accountIds }) => void pushed.push(...accountIds.map((id) => userOf(BigInt(id)))),
      subscribe: () => () => undefined,
    },
    sockets: undefined,
    log: createLog('silent'),
    works: true,
    ...more,
  }
  const decider = createDecider({
    tape,
    instruments,
    strategies,
    traders: recordedStrategies(database.db, createLog('silent')),
  })
  const follower = startFollower(deps, { byHand: true })
  let cents = 6_000_000
  /**
   * Writes a frame with this price of BTCUSDT, or a slightly changed last one, and records the signals that are due.
   */
  async function frame(afterMs: number, price?: number): Promise<SignalRow[]> {
    cents = price === undefined ? cents + ((cents * 7919) % 13) - 6 : Math.round(price * 100)
    await market.frame({ BTCUSDT: (cents / 100).toFixed(2) }, { afterMs })
    const signals = await recordSignals(database.db, await decider.newDrafts())
    return [...signals, ...(await recordSignals(database.db, await decider.tradersDrafts()))]
  }
  /** Advances time to just after the next minute starts, so that its signals are recorded. */
  async function toNextClose(price?: number): Promise<SignalRow[]> {
    const left = 60_000 - (market.clock.now() % 60_000)
    if (left > 20_000) await frame(left - 10_000, price)
    return frame(60_000 - (market.clock.now() % 60_000) + 500, price)
  }
  const save = (userId: bigint, more: OneFollowed = {}) =>
    saveSettings(deps, userId, AutomationBody.parse(automationOf(more)))
  const begin = (userId: bigint, mode: Mode = 'demo', confirmed = true) => start(deps, { userId, mode, confirmed })
  return {
    deps,
    follower,
    pushed,
    frame,
    toNextClose,
    anotherFollower: (changes: Partial<AutomaticDeps> = {}) => startFollower({ ...deps, ...changes }, { byHand: true }),
    /** Runs one minute: records its signals, settles the trades of the minute before, and follows the signals. */
    async minute(price?: number): Promise<void> {
      await toNextClose(price)
      await frame(1_000, price)
      await market.settled()
      await follower.round()
      await frame(1_000, price)
    },
    /** Lets open trades end at this price, and settles them. */
    async settleAt(price: number): Promise<void> {
      for (const afterMs of [30_000, 28_000, 5_000]) await frame(afterMs, price)
      await market.settled()
    },
    /** Saves the default settings, changed by `more`. */
    save,
    start: begin,
    /** Returns a new trader who has started with the default settings, changed by `more`. */
    async running(more: OneFollowed = {}): Promise<bigint> {
      const userId = await market.trader(100_000n)
      await save(userId, more)
      await begin(userId, more.mode)
      return userId
    },
    now: (userId: bigint, mode: Mode = 'demo') => readAutomation(deps, database.db, userId, mode),
    async turnOff(...userIds: bigint[]): Promise<void> {
      for (const userId of userIds) await halt(deps, { userId, mode: 'demo', to: 'Off' })
    },
    orders: (userId: bigint, mode: Mode = 'demo') =>
      database.db
        .selectFrom('automatic_orders')
        .selectAll()
        .where('account_id', '=', accountOf(userId, mode))
        .orderBy('signal')
        .execute(),
  }
}
