import { useSyncExternalStore } from 'react'

/** A difference larger than this is a clock that was set, not a slow frame. */
const CLOCK_WAS_SET_MS = 5_000
/** How fast an old estimate may fade, so that a drifting clock is followed: 1 ms a frame. */
const FADE_MS = 1

let aheadMs: number | undefined

/**
 * Takes a frame's time (Unix ms, tape time) at its arrival. A frame is late by its way through the network, never
 * early, so the largest difference seen is the best.
 */
export function noteTapeTime(frameMs: number, now = Date.now()): void {
  const seen = frameMs - now
  aheadMs =
    aheadMs === undefined || Math.abs(seen - aheadMs) > CLOCK_WAS_SET_MS ? seen : Math.max(aheadMs - FADE_MS, seen)
}

/** The tape's time as well as this browser knows it, Unix ms: trades end by it, whatever the clock of this machine says. */
export const tapeNow = (): number => Date.now() + (aheadMs ?? 0)

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
  // Without a timer nobody has looked for a while.
  if (timer === undefined) second = Math.floor(tapeNow() / 1_000)
  return second * 1_000
}

/** Tape time in whole seconds, as Unix ms; renders again each second. For countdowns. */
export const useTapeSecond = (): number => useSyncExternalStore(subscribe, currentSecond)
