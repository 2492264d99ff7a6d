import { useSyncExternalStore } from 'react'

/** A larger difference means that a clock was set, not that a frame was slow. */
const CLOCK_WAS_SET_MS = 5_000
/** How fast an old estimate fades, to follow a drifting clock: 1 ms per frame. */
const FADE_MS = 1

let aheadMs: number | undefined

/**
 * Takes a frame's time (Unix ms, tape time) on arrival. Network delay makes frames late, never early, so the largest
 * difference seen is the best estimate.
 */
export function noteTapeTime(frameMs: number, now = Date.now()): void {
  const seen = frameMs - now
  aheadMs =
    aheadMs === undefined || Math.abs(seen - aheadMs) > CLOCK_WAS_SET_MS ? seen : Math.max(aheadMs - FADE_MS, seen)
}

/**
 * Returns the tape's time as well as this browser knows it, Unix ms. Trades end by it, whatever this machine's clock
 * says.
 */
export const tapeNow = (): number => Date.now() + (aheadMs ?? 0)

/** The same for the press of a button; undefined until the first frame. */
export const pressTime = (): number | undefined => (aheadMs === undefined ? undefined : Math.floor(tapeNow()))

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let second = 0

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    const now = Math.floor(tapeNow() / 1_000)
    if (now === second) return
    second = now
    for (const each of [...listeners]) each()
  }, 200)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function currentSecond(): number {
  // Without a timer the value may be out of date.
  if (timer === undefined) second = Math.floor(tapeNow() / 1_000)
  return second * 1_000
}

/** Returns tape time in whole seconds, as Unix ms, and re-renders every second. For countdowns. */
export const useTapeSecond = (): number => useSyncExternalStore(subscribe, currentSecond)
