import { setImmediate as breathe } from 'node:timers/promises'
import { MINUTE_MS, type Ms, SECOND_MS, startOf } from '#kernel/time.ts'
import type { Log } from '../platform/process/log.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { FrameEvent, Instrument, Instruments, Prices, Tape } from '../prices/index.ts'
import { ClosedCandles } from './conditions/closed-candles.ts'
import { Judge } from './conditions/judge.ts'
import type { Fire, Watch } from './conditions/terms.ts'

/** Rows that were read, and the transaction before which no other can still appear. */
export interface ReadArmed<Row> {
  rows: Row[]
  /** Of the newest snapshot: what it doesn't see changes from here on. */
  xmin: string
}

/** What the tape is watched for: alerts, or orders that wait. Its rows are in the database. */
interface Watched<T extends Watch, Row extends { symbol_id: number } = { symbol_id: number }> {
  /** Of the loop, in logs. */
  name: string
  /** Reads all that is armed. */
  armed(): Promise<ReadArmed<Row>>
  /** Reads what was armed since a snapshot: none is skipped, however long its transaction takes. */
  changed(xmin: string): Promise<ReadArmed<Row>>
  /** Returns a row as it is judged; undefined if this node doesn't know its symbol. */
  toWatch(row: Row): T | undefined
  /** Writes what fired: once each, whichever engine comes first. Returns those that another transaction has locked. */
  write(fires: readonly Fire<T>[]): Promise<readonly Fire<T>[]>
  /** The time up to which the tape was judged, and everything that fired is written. */
  judgedUntil(): Promise<Ms>
  recordJudged(until: Ms): Promise<void>
  /** Called for prices of a symbol that can't be judged any more. */
  unchecked?(symbolId: number, from: Ms, until: Ms): Promise<void>
  /** Reads closed candles, where indicators are judged. */
  candles?: Prices['candles']
}

/** Hints wake the loop; this often it looks without one. */
const LOOK_MS = SECOND_MS
/** While nothing is armed. */
const IDLE_LOOK_MS = 5 * SECOND_MS
/** How often everything is read again: what was deleted leaves the memory. */
const RELOAD_MS = 10 * MINUTE_MS
/** How often is recorded up to where the tape was judged. */
const RECORD_MS = 30 * SECOND_MS
/** What is armed is read this long afterwards at the latest, and no tick is this much older than its frame. */
const MARGIN_MS = 2 * MINUTE_MS
/** What fires in one transaction. */
const AT_ONCE = 500

/**
 * Judges alerts, or orders that wait, on the frames of the tape, in memory, and writes those that fire. Any number of
 * engines may do so at the same time: the database lets each fire once.
 */
export class TapeWatch<T extends Watch, Row extends { symbol_id: number }> {
  readonly #watched: Watched<T, Row>
  readonly #deps: { tape: Tape; instruments: Instruments; log: Log }
  readonly #loop: Loop | undefined
  readonly #candles: ClosedCandles | undefined
  /** Reads candles separately, so that nothing else waits for them. */
  readonly #candleLoop: Loop | undefined
  readonly #fires: Fire<T>[] = []
  #judge: Judge<T> | undefined
  /** The judge that is being loaded. */
  #next: Judge<T> | undefined
  #xmin = '0'
  #frame = 0
  /** The minute of that frame: its begin wakes the loop that reads the candles that have closed, and that the other. */
  #minute: Ms = 0
  /** The time of the newest frame up to which all were judged. */
  #judged: Ms | undefined
  /** Up to where what fired is written, too. */
  #written: Ms | undefined
  #mustReload = true
  #reloadAt = 0
  #recordAt = 0

  /** `byHand`: tests run each round. */
  constructor(
    watched: Watched<T, Row>,
    deps: { tape: Tape; instruments: Instruments; log: Log },
    { byHand = false } = {},
  ) {
    this.#watched = watched
    this.#deps = deps
    const pause = () => (this.#judge && this.#judge.size > 0 ? LOOK_MS : IDLE_LOOK_MS)
    this.#candles = watched.candles && new ClosedCandles(deps.tape, watched.candles)
    this.#loop = byHand ? undefined : startLoop(watched.name, pause, deps.log, () => this.round())
    this.#candleLoop =
      byHand || !this.#candles
        ? undefined
        : startLoop(`${watched.name}, candles`, LOOK_MS, deps.log, () => this.readCandles())
  }

  frame({ n, t, entries }: FrameEvent): void {
    if (this.#frame > 0 && n > this.#frame + 1) this.#mustReload = true
    if (n <= this.#frame) return
    this.#frame = n
    this.#judge?.frame(entries)
    this.#next?.frame(entries)
    if (this.#judge && !this.#mustReload) this.#judged = t
    const minute = startOf(t, MINUTE_MS)
    if (this.#mustReload || this.#fires.length > 0) this.wake()
    if (minute > this.#minute) this.#candleLoop?.wake()
    this.#minute = minute
  }

  wake(): void {
    this.#loop?.wake()
  }

  /** One was deleted. */
  forget(id: bigint): void {
    this.#judge?.remove(id)
    this.#next?.remove(id)
  }

  /** The time up to which everything that fired is written. */
  get written(): Ms | undefined {
    return this.#written
  }

  async stop(): Promise<void> {
    await Promise.all([this.#loop?.stop(), this.#candleLoop?.stop()])
  }

  /** Reads the candles that have closed. */
  async readCandles(): Promise<void> {
    if (await this.#candles?.read()) this.wake()
  }

  /** Reads what was armed, and writes what fired. */
  async round(): Promise<void> {
    try {
      if (this.#mustReload || performance.now() > this.#reloadAt) await this.#reload()
      else await this.#readChanges()
    } catch (error) {
      // A failover may have lost what was read.
      this.#mustReload = true
      throw error
    }
    const until = this.#judged
    if (this.#judge) for (const _ of this.#judge.advance()) await breathe()
    await this.#writeFires()
    // Before what is locked is written, too, a restart has to judge it again.
    if (until === undefined || this.#judge?.isLate || this.#fires.length > 0) return
    this.#written = until
    if (performance.now() < this.#recordAt || this.#judge?.size === 0) return
    this.#recordAt = performance.now() + RECORD_MS
    await this.#watched.recordJudged(until)
  }

  async #reload(): Promise<void> {
    const { tape } = this.#deps
    this.#mustReload = false
    // They are judged again: a failover may have lost the frames that fired them.
    this.#fires.length = 0
    const { n, t } = tape.head()
    const since = Math.max(0, (this.#written ?? (await this.#watched.judgedUntil())) - MARGIN_MS)
    const read = await this.#watched.armed()
    const next = new Judge<T>(tape, (fire) => void this.#fires.push(fire), this.#candles)
    this.#next = next
    this.#frame = Math.max(this.#frame, n)
    for (const [instrument, alerts] of this.#bySymbol(read.rows)) {
      await this.#noteUnchecked(instrument, alerts, since)
      next.load(instrument, alerts, since)
      await breathe()
    }
    this.#judge = next
    this.#next = undefined
    this.#xmin = read.xmin
    this.#judged = Math.max(this.#judged ?? 0, t)
    this.#reloadAt = performance.now() + RELOAD_MS
  }

  /** The tape in memory may begin later than the time up to which was judged. */
  async #noteUnchecked({ id, symbol }: Instrument, alerts: readonly T[], since: Ms): Promise<void> {
    const { tape, log } = this.#deps
    const from = tape.ticksFrom(symbol)
    if (!Number.isFinite(from) || since >= from || !alerts.some(({ baseMs }) => baseMs < from)) return
    log.warn({ symbol, from: since, until: from }, `prices were not checked for ${this.#watched.name}`)
    await this.#watched.unchecked?.(id, since, from)
  }

  async #readChanges(): Promise<void> {
    const read = await this.#watched.changed(this.#xmin)
    for (const [instrument, alerts] of this.#bySymbol(read.rows)) {
      const unknown = alerts.filter((alert) => !this.#judge?.knows(alert))
      if (unknown.length > 0) this.#judge?.add(instrument, unknown)
    }
    this.#xmin = read.xmin
  }

  #bySymbol(rows: readonly Row[]): Map<Instrument, T[]> {
    const { instruments } = this.#deps
    const groups = new Map<Instrument, T[]>()
    for (const row of rows) {
      const instrument = instruments.byId(row.symbol_id)
      const alert = this.#watched.toWatch(row)
      if (!instrument || !alert) continue
      const group = groups.get(instrument)
      if (group) group.push(alert)
      else groups.set(instrument, [alert])
    }
    return groups
  }

  /** What is locked stays for the next round. */
  async #writeFires(): Promise<void> {
    const busy: Fire<T>[] = []
    while (this.#fires.length > 0) {
      const some = this.#fires.slice(0, AT_ONCE)
      busy.push(...(await this.#watched.write(some)))
      this.#fires.splice(0, some.length)
    }
    this.#fires.push(...busy)
  }
}
