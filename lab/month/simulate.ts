import { STRIKE_RATES } from '#contract/terms.ts'
import { DURATIONS, MODES, TRADE_SIDES } from '#contract/trading/trading.ts'
import { parsePublicId } from '#kernel/id.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { loadInstruments } from '#server/prices/index.ts'
import { signCheckpoint } from '#server/proof/checkpoints/checkpoints.ts'
import { openProofKey } from '#server/proof/keys/key.ts'
import { voidTrade } from '#server/trading/index.ts'
import { draws } from '#tests/support/random.ts'
import type { TestDatabase } from '#tests/support/servers/database.ts'
import { type Market, openMarket } from '#tests/support/trades/market.ts'
import { MONTH_SYMBOLS, monthFeed } from './feed.ts'

interface MonthSize {
  days: number
  /** Number of orders to place over all days. */
  trades: number
  traders: number
  seed: number
  /** How much of each day is simulated, from its start, in milliseconds. */
  dayLengthMs?: number
}

export interface SimulatedMonth {
  market: Market
  /** `YYYY-MM-DD` */
  days: string[]
  keyId: string
  placed: number
  /** Number of orders rejected because the symbol had no fresh price. */
  rejected: number
}

/** Time between two frames: nearly the maximum, since a price is stale after 10 s. */
const GAP_MIN_SECONDS = 5
const GAP_MAX_SECONDS = 9
const CHECKPOINT_EVERY_MS = 10 * MINUTE_MS
/** No trade may end this close to the end of the simulated day, because no tape follows. */
const MARGIN_MS = 2 * MINUTE_MS
const RISK = [1n, 2n]
/** Two operators void one trade in this many. */
const VOIDED = 400

/**
 * Runs days of trading through the real tape, acceptance, settlement and checkpoints as fast as possible: frames
 * advance the clock. The days begin tomorrow, because no trade may be older than the database's clock.
 */
export async function simulateMonth(
  database: TestDatabase,
  { days, trades, traders, seed, dayLengthMs = DAY_MS }: MonthSize,
  folder: string,
  progress: (says: string) => void = () => undefined,
): Promise<SimulatedMonth> {
  let now: () => Ms = () => 0
  const instruments = await loadInstruments(database.db)
  const market = await openMarket(database, { feed: monthFeed(instruments, seed, () => now()) })
  const { clock } = market
  now = clock.now
  const { random, below, pick, chance } = draws(seed)
  const key = openProofKey(folder)
  await sql`insert into proof_keys (id, public_key) values (${key.id}, ${key.publicKey})`.execute(database.db)
  for (const id of RISK)
    await sql`
      insert into operators (id, email, password_hash, totp_secret, roles) overriding system value
      values (${id}, ${`risk-${id}@desk.example`}, 'x', '\\x00', '{risk}')`.execute(database.db)
  const users = await Promise.all(Array.from({ length: traders }, () => market.trader(1_000_000_000n)))
  const first = Math.ceil(clock.now() / DAY_MS) * DAY_MS
  const end = first + (days - 1) * DAY_MS + dayLengthMs
  const names: string[] = []
  let placed = 0
  let rejected = 0

  for (let day = 0; day < days; day++) {
    const begins = first + day * DAY_MS
    const ends = begins + dayLengthMs
    names.push(new Date(begins).toISOString().slice(0, 10))
    clock.set(begins)
    let checkpointAt = begins + CHECKPOINT_EVERY_MS
    const due = orderTimes(begins + 30 * SECOND_MS, ends - MARGIN_MS)
    while (clock.now() < ends - GAP_MAX_SECONDS * SECOND_MS) {
      await market.frame(
        {},
        { afterMs: GAP_MIN_SECONDS * SECOND_MS + below((GAP_MAX_SECONDS - GAP_MIN_SECONDS) * SECOND_MS) },
      )
      let orders = 0
      while (due.length > 0 && due.at(-1)! <= clock.now()) {
        due.pop()
        orders++
      }
      await Promise.all(Array.from({ length: orders }, place))
      if (clock.now() < checkpointAt) continue
      checkpointAt += CHECKPOINT_EVERY_MS
      await checkpoint()
    }
    clock.set(ends - 1_000)
    await market.frame()
    await checkpoint()
    progress(`${names.at(-1)}: ${placed} trades so far, ${market.prices.tape.head().n} frames`)
  }
  return { market, days: names, keyId: key.id, placed, rejected }

  /** Draws the times of a day's orders, more of them around noon, in descending order: the next order is last. */
  function orderTimes(from: Ms, to: Ms): Ms[] {
    const count = Math.floor(trades / days)
    return Array.from({ length: count }, () => from + ((random() + random()) / 2) * (to - from)).sort((a, b) => b - a)
  }

  async function place(): Promise<void> {
    const symbol = pick(MONTH_SYMBOLS)
    const longest = (end - MARGIN_MS - clock.now()) / SECOND_MS
    const trade_mode = pick(TRADE_SIDES)
    const order = {
      symbol,
      trade_mode,
      strike_rate: pick(STRIKE_RATES),
      mode: pick(MODES),
      // Short trades are the most common.
      duration: pick(DURATIONS.slice(0, 1 + below(DURATIONS.length)).filter((seconds) => seconds < longest)) ?? 60,
      amount: (100 + below(20_000)) / 100,
    }
    if (longest <= 60 || market.prices.tape.status(symbol).status !== 'open') {
      rejected++
      return
    }
    const trade = await market.submit(pick(users), order)
    placed++
    if (chance(1 / VOIDED)) await voidByOperators(parsePublicId(trade.trade_id)!)
  }

  async function voidByOperators(tradeId: bigint): Promise<void> {
    for (const operatorId of RISK)
      await inTransaction(database.db, (tx) => voidTrade(tx, { tradeId, operatorId, reason: 'A wrong price.' }))
  }

  async function checkpoint(): Promise<void> {
    await market.settled()
    await signCheckpoint({ db: database.db, key, instruments: market.prices.instruments })
  }
}
