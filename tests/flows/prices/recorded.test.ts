import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { expect } from 'vitest'
import { publicId } from '#kernel/id.ts'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { loadRecording } from '#server/prices/feeds/recording.ts'
import { replayFeed } from '#server/prices/feeds/replay.ts'
import { loadInstruments } from '#server/prices/instruments/instruments.ts'
import { MARKET_DATA, testOnMarketData } from '#tests/support/prices/market-data.ts'
import { SEED } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { testDatabase } from '#tests/support/servers/database.ts'
import { openMarket } from '#tests/support/trades/market.ts'

/**
 * Eleven minutes of Binance's trades through the real gate, tape and trading, with thousands of trades on them. Each
 * expected outcome is computed here from the raw file, by code that follows the engine's rules but shares none of it.
 */
const FILE = join(MARKET_DATA, 'binance-ws-2024-08-08', 'frames.ndjson.gz')
const SYMBOLS = ['BTCUSDT', 'ETHUSDT'] as const
type Symbol = (typeof SYMBOLS)[number]
const FRAME_MS = 250
const REPLAYED_MS = 645_000
const USERS = 24
const REAL_CENTS = 2_000_000n

interface Point {
  ms: number
  cents: bigint
}

interface Placed {
  id: string
  user: bigint
  symbol: Symbol
  side: 'Buy' | 'Sell'
  mode: 'real' | 'demo'
  cents: bigint
  percent: bigint
  time: number
  end: number
}

testOnMarketData('thousands of trades on recorded prices come to what the raw file says', async () => {
  process.stdout.write(`trades on recorded prices are generated with SEED=${SEED}\n`)
  const { below, pick, chance } = draws(SEED)
  const database = await testDatabase({ max: 20 })
  const instruments = await loadInstruments(database.db)
  const market = await openMarket(database, {
    feed: replayFeed(instruments, await loadRecording(FILE, instruments), 1),
  })
  try {
    const users = await Promise.all(Array.from({ length: USERS }, () => market.trader(REAL_CENTS)))
    const frameTimes: number[] = []
    const placed: Placed[] = []
    let refused = 0
    const nextFrame = async () => {
      await market.frame({}, { afterMs: FRAME_MS })
      frameTimes.push(market.clock.now())
    }
    const placeOne = async () => {
      const order = {
        symbol: pick(SYMBOLS),
        trade_mode: pick(['Buy', 'Sell'] as const),
        mode: pick(['real', 'demo'] as const),
        strike_rate: pick(['75/3', '12/5', '11/13', '1/18', '1/61'] as const),
        duration: pick([60, 60, 180, 300]),
        amount: (100 + below(900)) / 100,
      }
      const user = pick(users)
      const now = market.clock.now()
      if (now + order.duration * 1_000 > begin + REPLAYED_MS - 1_000) return
      const trade = await market.submit(user, order).catch((error: { code?: string }) => {
        // A gap in the recording makes the symbol stale: the order is rejected.
        if (error.code !== 'price_unavailable') throw error
      })
      if (!trade) {
        refused++
        return
      }
      // The tape of this test runs ahead of the database's clock, so the newest frame's time is the trade's.
      const time = Date.parse(trade.trade_time)
      expect(now - time).toBeLessThan(1_000)
      const [buy, sell] = order.strike_rate.split('/') as [string, string]
      placed.push({
        id: trade.trade_id,
        user,
        symbol: order.symbol,
        side: order.trade_mode,
        mode: order.mode,
        cents: BigInt(Math.round(order.amount * 100)),
        percent: BigInt(order.trade_mode === 'Buy' ? buy : sell),
        time,
        end: time + order.duration * 1_000,
      })
    }
    await nextFrame()
    const begin = frameTimes[0]!
    while (market.clock.now() < begin + REPLAYED_MS) {
      await nextFrame()
      if (chance(0.7)) await Promise.all([placeOne(), placeOne(), placeOne()])
    }
    await market.settled()
    expect(placed.length).toBeGreaterThan(3_000)
    expect(refused).toBeLessThan(placed.length / 10)

    const tapes = tapesOf(await readPoints(), frameTimes)
    const { rows } = await database.pool.query('select * from trades')
    const settled = new Map(rows.map((row) => [publicId(row.id), row]))
    expect(settled.size).toBe(placed.length)
    const statuses = new Map<string, number>()
    const balances = new Map<string, bigint>()
    for (const user of users) {
      balances.set(`${user} real`, REAL_CENTS)
      balances.set(`${user} demo`, 1_000_000n)
    }
    for (const trade of placed) {
      const expected = outcomeOf(trade, tapes[trade.symbol])
      const row = settled.get(trade.id)
      expect(
        {
          status: row.status,
          paid: row.payout,
          entry: row.entry_time && [Number(row.entry_time), row.entry_price],
          exit: row.exit_time && [Number(row.exit_time), row.exit_price],
        },
        `${trade.symbol} ${trade.side} at ${trade.time - begin}`,
      ).toEqual(expected)
      statuses.set(row.status, (statuses.get(row.status) ?? 0) + 1)
      const account = `${trade.user} ${trade.mode}`
      balances.set(account, balances.get(account)! - trade.cents + expected.paid)
    }
    for (const status of ['Won', 'Lost', 'Draw']) expect(statuses.get(status), status).toBeGreaterThan(0)

    const accounts = await database.pool.query('select user_id, mode, balance, escrow from accounts')
    expect(accounts.rows.every((row) => row.escrow === 0n)).toBe(true)
    expect(new Map(accounts.rows.map((row) => [`${row.user_id} ${row.mode}`, row.balance]))).toEqual(balances)

    const all = openDatabase(database.superUrl, { max: 2, name: 'verify', log: createLog('error') })
    const broken = (await verifyAll(all.db)).filter((finding) => finding.broken !== undefined)
    await all.close()
    expect(broken).toEqual([])
  } finally {
    await market.close()
  }
})

/** Reads the trades of the raw file in order, skipping earlier times. Of trades in one millisecond, the last counts. */
async function readPoints(): Promise<Record<Symbol, Point[]>> {
  const points: Record<Symbol, Point[]> = { BTCUSDT: [], ETHUSDT: [] }
  for await (const line of createInterface({ input: createReadStream(FILE).pipe(createGunzip()) })) {
    const { frame } = JSON.parse(line) as { frame: { stream: string; data: { s: Symbol; p: string; T: number } } }
    if (!frame.stream.endsWith('@trade')) continue
    const { s, p, T } = frame.data
    const [whole, fraction] = p.split('.') as [string, string]
    // Eight decimals in the file, two on the tape.
    const cents = (BigInt(whole + fraction.padEnd(8, '0')) + 500_000n) / 1_000_000n
    const list = points[s]
    const last = list.at(-1)
    if (last && T < last.ms) continue
    if (last && T === last.ms) last.cents = cents
    else list.push({ ms: T, cents })
  }
  return points
}

/** Returns the tape for these frame times: new prices with their own time, otherwise the last price once a second. */
function tapesOf(points: Record<Symbol, Point[]>, frameTimes: number[]): Record<Symbol, Point[]> {
  const begin = Math.max(...SYMBOLS.map((symbol) => points[symbol][0]!.ms))
  const tapeOf = (recorded: Point[]): Point[] => {
    const ticks: Point[] = []
    let next = recorded.findIndex((point) => point.ms >= begin)
    let newest: Point | undefined
    for (const t of frameTimes) {
      let isNews = false
      for (; next < recorded.length; next++) {
        const at = frameTimes[0]! + recorded[next]!.ms - begin
        if (at > t) break
        newest = { ms: at, cents: recorded[next]!.cents }
        isNews = true
      }
      if (!newest) continue
      const last = ticks.at(-1)
      // A new price no later than the last tick is ignored.
      if (isNews && newest.ms > (last?.ms ?? 0)) ticks.push(newest)
      else if (last && t - newest.ms <= 10_000 && t >= last.ms + 700) ticks.push({ ms: t, cents: last.cents })
    }
    return ticks
  }
  return { BTCUSDT: tapeOf(points.BTCUSDT), ETHUSDT: tapeOf(points.ETHUSDT) }
}

function outcomeOf(trade: Placed, tape: Point[]) {
  const pair = (point: Point | undefined) => (point ? [point.ms, point.cents] : null)
  const entry = tape.find((point) => point.ms > trade.time)
  if (!entry || entry.ms > trade.time + 10_000) return { status: 'Void', paid: trade.cents, entry: null, exit: null }
  const exit = tape.findLast((point) => point.ms <= trade.end)
  if (!exit || exit.ms <= entry.ms || exit.ms < trade.end - 10_000)
    return { status: 'Void', paid: trade.cents, entry: pair(entry), exit: null }
  const ticks = { entry: pair(entry), exit: pair(exit) }
  if (exit.cents === entry.cents) return { status: 'Draw', paid: trade.cents, ...ticks }
  const right = trade.side === 'Buy' ? exit.cents > entry.cents : exit.cents < entry.cents
  if (!right) return { status: 'Lost', paid: 0n, ...ticks }
  return { status: 'Won', paid: trade.cents + (trade.cents * trade.percent + 50n) / 100n, ...ticks }
}
