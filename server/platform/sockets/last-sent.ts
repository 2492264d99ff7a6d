import type { Ms } from '#kernel/time.ts'

/** For so long it's known who was sent something. */
const KNOWN_MS = 30_000

/** Remembers which users were sent something a moment ago, whether a socket got it or not. */
export interface LastSent {
  /** Something was sent to this user. */
  sent(userId: bigint): void
  /** Something may have been sent to anyone. */
  sentToAnyone(): void
  /** Returns for how long nothing was sent to this user, up to half a minute. */
  quietMs(userId: bigint): Ms
}

export function createLastSent(now: () => number = () => performance.now()): LastSent {
  let since = now()
  // Two generations, so that what is too old is dropped without looking at each.
  let began = since
  let newer = new Map<bigint, number>()
  let older = new Map<bigint, number>()
  return {
    sent(userId) {
      const time = now()
      if (time - began > KNOWN_MS) {
        older = newer
        newer = new Map()
        began = time
      }
      newer.set(userId, time)
    },
    sentToAnyone() {
      since = now()
    },
    quietMs(userId) {
      const last = Math.max(since, newer.get(userId) ?? older.get(userId) ?? since)
      return Math.floor(Math.min(KNOWN_MS, now() - last))
    },
  }
}
