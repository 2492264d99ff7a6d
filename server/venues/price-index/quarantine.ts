import { MINUTE_MS, type Ms } from '#kernel/time.ts'

const BAD_QUOTES = 20
const BAD_WITHIN_MS = MINUTE_MS
const DRIFT_MS = MINUTE_MS
const GOOD_FOR_MS = 5 * MINUTE_MS

/** Keeps a source out until it has been good for five minutes in a row. */
interface Quarantine {
  isIn(): boolean
  /** When it ends at the earliest; undefined if not in quarantine. */
  until(now: Ms): Ms | undefined
  enter(): void
  /** Judges the source at a time: good, bad, or unknown (which proves nothing, so the five minutes start again). */
  judge(good: boolean | undefined, now: Ms): void
}

function createQuarantine(): Quarantine {
  let isIn = false
  let goodSince: Ms | undefined
  return {
    isIn: () => isIn,
    until: (now) => (isIn ? (goodSince ?? now) + GOOD_FOR_MS : undefined),
    enter() {
      isIn = true
      goodSince = undefined
    },
    judge(good, now) {
      if (!isIn) return
      if (!good) goodSince = undefined
      else goodSince ??= now
      if (goodSince !== undefined && now - goodSince >= GOOD_FOR_MS) isIn = false
    },
  }
}

/** A venue's conduct: 20 messages of junk within a minute put it into quarantine. */
export interface Conduct extends Pick<Quarantine, 'isIn' | 'until'> {
  junk(now: Ms): void
  /** Judges it at a time: `isLive` if it has sent good messages just now. */
  judge(isLive: boolean, now: Ms): void
}

export function createConduct(): Conduct {
  const quarantine = createQuarantine()
  const times: Ms[] = []
  let next = 0
  return {
    isIn: quarantine.isIn,
    until: quarantine.until,
    junk(now) {
      times[next] = now
      next = (next + 1) % BAD_QUOTES
      quarantine.judge(false, now)
      const first = times[next]
      if (first !== undefined && now - first <= BAD_WITHIN_MS) {
        quarantine.enter()
        times.length = 0
        next = 0
      }
    },
    judge: (isLive, now) => quarantine.judge(isLive, now),
  }
}

/** A venue's price of one pair: a minute away from the median puts it into quarantine. */
export interface Drift extends Pick<Quarantine, 'isIn' | 'until'> {
  judge(isInLine: boolean | undefined, now: Ms): void
}

export function createDrift(): Drift {
  const quarantine = createQuarantine()
  let awaySince: Ms | undefined
  return {
    isIn: quarantine.isIn,
    until: quarantine.until,
    judge(isInLine, now) {
      quarantine.judge(isInLine, now)
      if (isInLine !== false) {
        awaySince = undefined
        return
      }
      awaySince ??= now
      if (!quarantine.isIn() && now - awaySince >= DRIFT_MS) quarantine.enter()
    },
  }
}
