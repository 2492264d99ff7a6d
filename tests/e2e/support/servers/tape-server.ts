import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { TradeSide } from '#contract/terms.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import { startApp } from '#server/app/app.ts'
import { readConfig } from '#server/config/config.ts'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import type { Clock } from '#server/platform/process/clock.ts'
import { createLog } from '#server/platform/process/log.ts'
import { LATE_MS } from '#server/signals/decide.ts'
import { coinToss } from '#server/strategies/coin-toss.ts'
import { createTapeDatabase } from './tape-databases.ts'

/** What the test sends: advance tape time by this much, or until the coin toss has signals (for a side). */
export type Advance = { byMs: number; stepMs?: number } | { toToss: TradeSide | 'any' }
/** What the server sends once it is up, and each time the tape has advanced. */
export interface TapeReport {
  port: number
  /** Tape time. */
  time: Ms
}

/**
 * Tape time between two frames while it advances. Every symbol gets a price in each, and a price is never older than an
 * instrument allows.
 */
const STEP_MS = 5 * SECOND_MS
/** Signals follow the end of a minute at the tape's usual pace. */
const BEFORE_END_MS = 2 * SECOND_MS
/** The tape begins so long before a signal: a test prepares meanwhile, and a whole candle precedes it. */
const BEFORE_TOSS_MS = 4 * MINUTE_MS
const LEFT_AFTER_TOSS_MS = 10 * MINUTE_MS
/** How far the tape is ahead of the machine at least, so that it can wait for it. */
const AHEAD_MS = 10 * MINUTE_MS
/** Tape time waits if there is no frame for this long: on a busy machine, nothing grows old before it's dealt with. */
const LONGEST_PAUSE_MS = 1_500
const LOOK_EVERY_MS = 50
/** Tape time passes at most this much from one look to the next, so on a busy machine it is as slow as what it works on. */
const LOOK_MOST_MS = 150

/** Returns the next end of a minute, later than `after`, at which the coin toss decides for this side. */
function nextToss(after: Ms, side: TradeSide | 'any'): Ms {
  const candle = { open: 1, high: 1, low: 1, close: 1 }
  for (let time = startOf(after, MINUTE_MS); ; time += MINUTE_MS) {
    const decided = coinToss.decide([{ ...candle, time }], { symbol: 'BTCUSDT', scale: 2, durationSeconds: 60 })
    if (decided !== undefined && (side === 'any' || decided === side)) return time + MINUTE_MS
  }
}

/** The same, with time left in the day: the trade that follows ends on the same one. */
function firstToss(after: Ms, side: TradeSide | 'any'): Ms {
  let toss = nextToss(after, side)
  while (DAY_MS - (toss % DAY_MS) < LEFT_AFTER_TOSS_MS) toss = nextToss(toss, side)
  return toss
}

/**
 * The whole product in one process, as its parent's child: tape time passes as usual, and faster on request, so that a
 * trade of a minute takes a few seconds.
 */
async function main(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.LOG_LEVEL)
  const urls = await createTapeDatabase(config.dataDir)
  const { db, close } = openDatabase(urls.app, { max: 1, name: 'tape', log })

  const began = Date.now() - performance.now()
  const side = (process.env.TAPE_TOSS ?? 'any') as TradeSide | 'any'
  const { rows: heads } = await sql<{ t: bigint }>`select t from tape_head`.execute(db)
  const earlier = Number(heads[0]?.t ?? 0)
  const startsAt =
    earlier > 0 ? earlier + SECOND_MS : firstToss(Date.now() + AHEAD_MS + BEFORE_TOSS_MS, side) - BEFORE_TOSS_MS
  let aheadMs = startsAt - Date.now()
  let until = startsAt + LONGEST_PAUSE_MS
  const clock: Clock = {
    now() {
      const time = Math.floor(began + performance.now() + aheadMs)
      if (time > until) aheadMs -= time - until
      return Math.min(time, until)
    },
    agrees: () => true,
  }
  const app = await startApp({ config, log, urls, clock, checkReplies: true })

  async function readHead(): Promise<Ms> {
    const { rows } = await sql<{ t: bigint }>`select t from tape_head`.execute(db)
    return Number(rows[0]!.t)
  }

  /** The tape continues while it's waited for, so this advances to an end; a number of steps would go too far. */
  async function advance(byMs: number, stepMs = STEP_MS): Promise<void> {
    const end = clock.now() + byMs
    for (let now = clock.now(); now < end; now = clock.now()) {
      const wanted = Math.min(now + stepMs, end)
      aheadMs += wanted - now
      until = Math.max(until, wanted + LOOK_MOST_MS)
      while ((await readHead()) < wanted) await sleep(10)
    }
  }

  /** Someone watches meanwhile, because prices come four times as often then. */
  async function watched(advance: () => Promise<void>): Promise<void> {
    const socket = new WebSocket(`ws://localhost:${app.port}/api/stream`)
    await once(socket, 'open')
    await advance().finally(() => socket.terminate())
  }

  /** Advances to a toss until one is recorded: on a busy machine its signal may be too late, and then there is none. */
  async function toss(side: TradeSide | 'any'): Promise<void> {
    let end: Ms
    do {
      end = nextToss(clock.now(), side)
      await advanceBy(end - BEFORE_END_MS - clock.now())
    } while (!(await isRecorded(end)))
  }

  async function isRecorded(candleClose: Ms): Promise<boolean> {
    for (;;) {
      const head = await readHead()
      const { rows } = await sql`
        select from signals where strategy = ${coinToss.id} and candle_close = ${candleClose} limit 1`.execute(db)
      if (rows.length > 0 || head > candleClose + 2 * LATE_MS) return rows.length > 0
      await sleep(LOOK_EVERY_MS)
    }
  }

  const advanceBy = (byMs: number, stepMs?: number) =>
    byMs < MINUTE_MS ? advance(byMs, stepMs) : watched(() => advance(byMs, stepMs))

  let advancing = Promise.resolve()
  process.on('message', (order: Advance) => {
    advancing = advancing
      .then(() => ('byMs' in order ? advanceBy(order.byMs, order.stepMs) : toss(order.toToss)))
      .then(() => report({ port: app.port, time: clock.now() }))
  })
  let isStopping = false
  const looking = (async () => {
    while (!isStopping) {
      // Read first: `until` may grow meanwhile.
      const head = await readHead()
      until = Math.max(until, Math.min(head + LONGEST_PAUSE_MS, clock.now() + LOOK_MOST_MS))
      await sleep(LOOK_EVERY_MS)
    }
  })()
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    await Promise.all([advancing, looking]).catch(() => undefined)
    await close()
    await app.stop()
    process.exit(0)
  }
  process.once('SIGTERM', () => void stop())
  process.once('disconnect', () => void stop())
  report({ port: app.port, time: clock.now() })
}

function report(text: TapeReport): void {
  if (process.connected) process.send?.(text)
}

main().catch((error: unknown) => {
  process.stderr.write(`The server of the tests did not start: ${error instanceof Error ? error.stack : error}\n`)
  process.exit(1)
})
