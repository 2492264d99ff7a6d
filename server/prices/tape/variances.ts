import { must } from '#kernel/must.ts'
import { VARIANCE_MINUTES, varianceMinute, varianceOf } from '#kernel/sale-value.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { decodeFrame, type Entry, type FrameVariance } from './frames/frame.ts'
import { readChain, unpackBodies } from './frames/pack.ts'
import { OLDEST_MS } from './gate.ts'
import type { Memory } from './memory/memory.ts'
import { frameAfter } from './read-frames.ts'
import { TicksDropped } from './read-ticks.ts'

/**
 * Returns the variances that the frame after `before` states: the first frame after a minute is proven states that of each
 * symbol with enough closes in a row up to then, since its source last changed.
 */
export function dueVariances(
  instruments: Instruments,
  memory: Pick<Memory, 'minutes'>,
  { before, now }: { before: Ms; now: Ms },
): FrameVariance[] {
  const until = varianceMinute(now)
  if (varianceMinute(before) >= until) return []
  return instruments.inFrameOrder().flatMap((slot) => {
    const run = new Closes()
    memory.minutes(slot, until - VARIANCE_MINUTES * MINUTE_MS, until, (minute, [, , , close]) => run.set(minute, close))
    const value = varianceOf(run.before(until))
    return value === undefined ? [] : [{ symbol: must(instruments.list[slot]).symbol, value }]
  })
}

/** The newest closes of a symbol, of consecutive minutes. */
class Closes {
  #last: Ms = Number.NEGATIVE_INFINITY
  #units: number[] = []

  set(minute: Ms, units: number): void {
    if (minute === this.#last) this.#units.pop()
    // After a minute without a price, those before it no longer count.
    else if (minute !== this.#last + MINUTE_MS) this.#units = []
    else if (this.#units.length > VARIANCE_MINUTES + 1) this.#units.shift()
    this.#units.push(units)
    this.#last = minute
  }

  /** The closes of the sixty minutes before this one, or of as many of them as follow each other up to it. */
  before(until: Ms): number[] {
    const later = Math.max(0, (this.#last - until) / MINUTE_MS + 1)
    const isUpTo = this.#last + MINUTE_MS >= until
    return isUpTo ? this.#units.slice(0, this.#units.length - later).slice(-VARIANCE_MINUTES) : []
  }
}

/** Recomputes, from all frames of a tape in order, what each states. */
export class StatedVariances {
  readonly #symbols = new Map<string, { kind: number; closes: Closes }>()
  /** Prices from this minute on are known. */
  #knownFrom: Ms
  #before: Ms
  #begun = false

  /** `from`: the time of the first frame, unless the tape begins with it. */
  constructor(from: Ms | undefined) {
    this.#knownFrom = from ?? Number.NEGATIVE_INFINITY
    this.#before = from ?? 0
  }

  /** Compares what a frame states with the frames before it. Returns the symbol that differs. */
  frame(t: Ms, entries: readonly Entry[], stated: readonly FrameVariance[]): string | undefined {
    const until = varianceMinute(t)
    const isDue = varianceMinute(this.#before) < until
    this.#before = t
    // Frames from before variances were stated have none.
    if (stated.length > 0) this.#begun = true
    const wrong = this.#begun ? this.#difference(until, isDue, stated) : undefined
    for (const { symbol, kind, sourceMs, units } of entries) {
      let of = this.#symbols.get(symbol)
      if (of?.kind !== kind) {
        of = { kind, closes: new Closes() }
        this.#symbols.set(symbol, of)
      }
      of.closes.set(startOf(sourceMs, MINUTE_MS), units)
    }
    return wrong
  }

  #difference(until: Ms, isDue: boolean, stated: readonly FrameVariance[]): string | undefined {
    if (!isDue) return stated[0]?.symbol
    if (until - VARIANCE_MINUTES * MINUTE_MS < this.#knownFrom) return undefined
    const found = new Map(stated.map(({ symbol, value }) => [symbol, value]))
    for (const [symbol, { closes }] of this.#symbols)
      if (found.get(symbol) !== varianceOf(closes.before(until))) return symbol
    return stated.find(({ symbol }) => !this.#symbols.has(symbol))?.symbol
  }
}

export interface VariancesAt {
  /** The frame that states them. */
  frame: number
  of: ReadonlyMap<string, number>
}

const ATTEMPTS = 3

/**
 * Returns the variances that count for prices of a time, once a frame after it has been written; undefined if there are
 * none. Throws `TicksDropped` if the tape no longer holds them.
 */
export async function variancesAt(db: Db | Tx, time: Ms): Promise<VariancesAt | undefined> {
  const minute = varianceMinute(time)
  // The frame may be packed between two statements.
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const n = await frameAfter(db, minute + OLDEST_MS)
    if (n === undefined) return undefined
    const found = await bodyOf(db, n)
    if (!found) continue
    const { variances } = decodeFrame(found.t, found.body)
    if (variances.length === 0 || varianceMinute(found.t) !== minute) return undefined
    return { frame: n, of: new Map(variances.map(({ symbol, value }) => [symbol, value])) }
  }
  throw new TicksDropped(`the frame with the variances of ${minute} is no longer kept`)
}

/** Returns the variance that counts for a symbol's prices of a time, and the frame that states it. */
export async function varianceFor(
  db: Db | Tx,
  symbolId: number,
  time: Ms,
): Promise<{ value: number; frame: number } | undefined> {
  const stated = await variancesAt(db, time)
  if (!stated) return undefined
  const { symbol } = await db
    .selectFrom('instruments')
    .select('symbol')
    .where('id', '=', symbolId)
    .executeTakeFirstOrThrow()
  const value = stated.of.get(symbol)
  return value === undefined ? undefined : { value, frame: stated.frame }
}

async function bodyOf(db: Db | Tx, n: number): Promise<{ t: Ms; body: Buffer } | undefined> {
  const loose = await sql<{ t: bigint; body: Buffer }>`select t, body from frames where n = ${n}`.execute(db)
  const row = loose.rows[0]
  if (row) return { t: Number(row.t), body: row.body }
  const { rows } = await sql<{ minute: bigint; first_n: bigint; chain: Buffer; packed: Buffer }>`
    select m.minute, m.first_n, m.chain, b.packed from tape_minutes m join tape_bodies b using (minute)
    where m.first_n <= ${n} order by m.first_n desc limit 1`.execute(db)
  const packed = rows[0]
  if (!packed) return undefined
  const links = readChain(Number(packed.minute), packed.chain)
  const at = n - Number(packed.first_n)
  const link = links[at]
  return link && { t: link.t, body: must(unpackBodies(packed.packed, links)[at]) }
}
