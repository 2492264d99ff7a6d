import type pg from 'pg'
import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { onBeat } from './beat.ts'
import type { Log } from './log.ts'

/**
 * Tape time: the database's clock, followed through this process's monotonic clock. It never goes back and never jumps, with
 * the machine's clock or the database's. Every time on the tape and every `trade_time` comes from here or from the database.
 */
export interface Clock {
  /** Whole milliseconds. */
  now(): Ms
  /** False while this clock and the database's differ by more than 2 s: no trade is accepted then. */
  agrees(): boolean
  /** Takes over a reading of the database's clock in milliseconds that came with another query, sent at `sentAt` (`performance.now()`). */
  takeReading?(databaseMs: number, sentAt: number): void
}

const TOLERATED_MS = 2_000
/**
 * After a difference, they agree again only within this: closer to the tolerated one, every order would be taken for late,
 * because the accepting statement compares the press with the database's clock (`LATE_MS`).
 */
const AGREES_AGAIN_MS = 1_000
/** The most by which a reading corrects this clock, so 1% and 10% of its pace. */
const CORRECTION_MS = { near: 10, far: 100 }
/**
 * A clock that is further away is more likely wrong than moved: this one keeps its own pace, and agrees as soon as that
 * one is right again. One that stays there this long is caught up with after all.
 */
const WRONG_BEYOND_MS = 30_000
const BELIEVED_AFTER_MS = 600_000
const FOLLOW_EVERY_MS = 1_000
/** Readings that came with other queries spare a separate one for this long. */
const READING_LASTS_MS = 1_500
/** A separate query is more precise: no other work and no commit is part of it. */
const ASK_EVERY_MS = 10_000

export async function startClock(pool: pg.Pool, log: Log): Promise<Clock & { stop(): void }> {
  let base = 0
  let last = 0
  let agrees = true

  const now = () => {
    last = Math.max(last, Math.floor(base + performance.now()))
    return last
  }

  /** Returns the database's time as an offset to the monotonic clock; its error is half of the round trip. */
  async function read(): Promise<{ offset: number; errorMs: number }> {
    const before = performance.now()
    const result = await pool.query<{ ms: string }>('select (extract(epoch from clock_timestamp()) * 1000)::text as ms')
    const after = performance.now()
    return { offset: Number(first(result.rows).ms) - (before + after) / 2, errorMs: (after - before) / 2 }
  }

  const samples = [await read(), await read(), await read()]
  base = samples.reduce((best, sample) => (sample.errorMs < best.errorMs ? sample : best)).offset

  const isWrong = wrongClock()
  let readingAt = Number.NEGATIVE_INFINITY
  let askedAt = performance.now()

  function follow({ offset, errorMs }: { offset: number; errorMs: number }): void {
    const difference = offset - base
    const agreed = Math.abs(difference) <= (agrees ? TOLERATED_MS : AGREES_AGAIN_MS) + errorMs
    if (agreed !== agrees)
      log.warn(
        { differenceMs: Math.round(difference) },
        agreed ? 'clocks agree again' : 'clocks differ: rejecting trades',
      )
    agrees = agreed
    if (Math.abs(difference) <= errorMs || isWrong(difference)) return
    // A jump is caught up with, not followed: after a step of seconds, trading resumes within minutes, and one of hours
    // ends no trade early.
    const most = Math.abs(difference) <= AGREES_AGAIN_MS ? CORRECTION_MS.near : CORRECTION_MS.far
    base += Math.max(-most, Math.min(most, difference))
  }

  const stop = onBeat(() => {
    const now = performance.now()
    if (now - readingAt < READING_LASTS_MS && now - askedAt < ASK_EVERY_MS) return
    askedAt = now
    read().then(follow, () => undefined)
  })

  return {
    now,
    agrees: () => agrees,
    takeReading(databaseMs, sentAt) {
      const after = performance.now()
      if (after - readingAt < FOLLOW_EVERY_MS * 0.9) return
      readingAt = after
      follow({ offset: databaseMs - (sentAt + after) / 2, errorMs: (after - sentAt) / 2 })
    },
    stop,
  }
}

/** Returns the function that says, of each difference, whether the other clock is taken for wrong. */
function wrongClock(): (difference: number) => boolean {
  let since: number | undefined
  return (difference) => {
    if (Math.abs(difference) <= WRONG_BEYOND_MS) {
      since = undefined
      return false
    }
    since ??= performance.now()
    return performance.now() - since < BELIEVED_AFTER_MS
  }
}
