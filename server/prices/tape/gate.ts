import { must } from '#kernel/must.ts'
import { parsePrice } from '#kernel/price.ts'
import type { Ms } from '#kernel/time.ts'
import type { Quote, QuoteSink } from '../feeds/feed.ts'
import { type Instruments, SLOTS_MAX } from '../instruments/instruments.ts'
import { UNITS_MAX } from './frames/frame.ts'
import type { Newest } from './memory/memory.ts'

/** Why a quote was rejected. */
export type Refusal = 'unknown_symbol' | 'bad_price' | 'bad_time' | 'in_the_future' | 'too_old' | 'out_of_order'

/** A price that goes into the next frame. */
interface Candidate {
  slot: number
  units: number
  sourceMs: Ms
}

export interface Gate extends QuoteSink {
  /** Sets the time that quotes are judged by. */
  at(now: Ms): void
  /**
   * Returns what a frame at this time would contain: for each slot its newest quote, or its last price again if its
   * source is alive.
   */
  candidates(): Candidate[]
  /** Discards pending quotes (another leader has published in the meantime, or the frame was published). */
  clear(): void
  refused(): ReadonlyMap<Refusal, number>
}

/** A quote older than this is rejected: the tape up to then is proven and must not change. */
export const OLDEST_MS = 3_000
/**
 * The last price of a source that is alive is repeated in the first frame after this time, so at least once a second.
 */
const REPEAT_MS = 700
/** Venues whose clock is further ahead are not trusted at all. */
const BELIEVABLE_AHEAD_MS = 10_000
const BELIEVABLE_BEHIND_MS = 60_000

/** Creates a gate in front of the tape whose newest ticks are `newest` (kept up to date by the publisher). */
export function createGate(instruments: Instruments, newest: Newest): Gate {
  const waiting = nothingWaits()
  const { waitingMs, waitingUnits, aliveMs } = waiting
  const refused = new Map<Refusal, number>()
  let now = 0

  const refuse = (reason: Refusal) => void refused.set(reason, (refused.get(reason) ?? 0) + 1)

  function tick(slot: number, units: number, sourceMs: Ms): void {
    const problem =
      problemOf(units, sourceMs, now) ??
      (sourceMs <= newest.sourceMs[slot]! || sourceMs < waitingMs[slot]! ? 'out_of_order' : undefined)
    if (problem) {
      refuse(problem)
      return
    }
    waitingMs[slot] = sourceMs
    waitingUnits[slot] = units
  }

  function alive(slot: number, sourceMs: Ms): void {
    if (sourceMs <= now && sourceMs > aliveMs[slot]!) aliveMs[slot] = sourceMs
  }

  return {
    at(time) {
      now = time
    },
    tick,
    alive,
    state(slot, units, sourceMs) {
      if (units === newest.units[slot]) alive(slot, sourceMs)
      else tick(slot, units, sourceMs)
    },
    quote(quote: Quote) {
      const slot = instruments.slotOf(quote.symbol)
      if (slot === undefined) {
        refuse('unknown_symbol')
        return
      }
      const price = parsePrice(quote.uncheckedPrice, must(instruments.list[slot]).scale)
      if (price === undefined || price > BigInt(UNITS_MAX)) {
        refuse('bad_price')
        return
      }
      const { venueMs, receivedMs } = quote
      if (venueMs !== undefined && !isBelievable(venueMs - receivedMs)) {
        refuse('bad_time')
        return
      }
      tick(slot, Number(price), sourceTime(venueMs, receivedMs))
    },
    candidates: () => candidatesOf(instruments, newest, waiting, now),
    clear() {
      waitingMs.fill(0)
    },
    refused: () => refused,
  }
}

/** The newest quotes that wait for a frame, and when each slot's last price was known to hold. */
interface Waiting {
  waitingMs: Float64Array
  waitingUnits: Float64Array
  aliveMs: Float64Array
}

const nothingWaits = (): Waiting => ({
  waitingMs: new Float64Array(SLOTS_MAX),
  waitingUnits: new Float64Array(SLOTS_MAX),
  aliveMs: new Float64Array(SLOTS_MAX),
})

function candidatesOf(
  instruments: Instruments,
  newest: Newest,
  { waitingMs, waitingUnits, aliveMs }: Waiting,
  now: Ms,
): Candidate[] {
  const found: Candidate[] = []
  for (const slot of instruments.inFrameOrder()) {
    const last = newest.sourceMs[slot]!
    const waitsMs = waitingMs[slot]!
    // A frame may take long: check again that what was fresh on arrival still is.
    if (waitsMs > last && now - waitsMs <= OLDEST_MS) {
      found.push({ slot, units: waitingUnits[slot]!, sourceMs: waitsMs })
      continue
    }
    const proof = aliveMs[slot]!
    if (last > 0 && proof >= last + REPEAT_MS && now - proof <= OLDEST_MS) {
      found.push({ slot, units: newest.units[slot]!, sourceMs: proof })
    }
  }
  return found
}

/** Returns why a price can't be published at this time, whatever precedes it. */
function problemOf(units: number, sourceMs: Ms, now: Ms): Refusal | undefined {
  if (!(Number.isInteger(units) && units > 0 && units <= UNITS_MAX)) return 'bad_price'
  if (!(Number.isSafeInteger(sourceMs) && sourceMs > 0)) return 'bad_time'
  if (sourceMs > now) return 'in_the_future'
  if (now - sourceMs > OLDEST_MS) return 'too_old'
  return undefined
}

/** Whether a venue's clock is close enough to ours to be trusted. */
const isBelievable = (aheadMs: Ms): boolean => aheadMs <= BELIEVABLE_AHEAD_MS && aheadMs >= -BELIEVABLE_BEHIND_MS

/** Returns a tick's source time: the venue's if it sent one, but never after its receipt, so never after its frame. */
export function sourceTime(venueMs: Ms | undefined, receivedMs: Ms): Ms {
  return venueMs === undefined ? receivedMs : Math.min(venueMs, receivedMs)
}
