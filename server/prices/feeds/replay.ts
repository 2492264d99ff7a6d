import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import type { Instruments } from '../instruments/instruments.ts'
import type { Feed } from './feed.ts'
import type { Session, Track } from './recording.ts'

/** In a gap of the recording (a bar has none) the last price is repeated this long; then the symbol goes stale. */
const REPEATED_MS = 10_000
/** Pause between the end of a session and its restart. */
const PAUSE_MS = 1_000

/**
 * Replays a recording from the moment it is first polled, at `speed` times the recorded pace, and loops. A recorded
 * time becomes the tape time at which it is replayed.
 */
export function replayFeed(instruments: Instruments, sessions: readonly Session[], speed: number): Feed {
  const recorded = new Set(sessions.flatMap((session) => session.tracks.map((track) => track.slot)))
  let players: Player[] | undefined
  return {
    kind: 'replay',
    missing: ({ symbol }) =>
      recorded.has(instruments.slotOf(symbol) ?? -1)
        ? undefined
        : "The replayed recording doesn't include this symbol.",
    collect(now, sink) {
      players ??= sessions.flatMap((session) => session.tracks.map((track) => player(session, track, now, speed)))
      for (const { track, advance } of players) {
        const point = advance(now)
        if (!point) continue
        if (point.isNew) sink.tick(track.slot, point.units, point.sourceMs)
        if (now <= Math.max(point.heldUntil, point.sourceMs + REPEATED_MS)) sink.alive(track.slot, now)
      }
    },
    stop: async () => undefined,
  }
}

interface Player {
  track: Track
  /** Returns the newest point at `now`, at its replayed times; undefined before the track's first. */
  advance(now: Ms): Point | undefined
}

interface Point {
  units: number
  sourceMs: Ms
  /** Until when its source is known to be alive. */
  heldUntil: Ms
  isNew: boolean
}

function player(session: Session, track: Track, startMs: Ms, speed: number): Player {
  const roundMs = (session.toMs - session.fromMs) / speed + PAUSE_MS
  const first = track.ms.findIndex((ms) => ms >= session.fromMs)
  let round = 0
  let next = first
  let newest: Point | undefined
  const replayedAt = (recordedMs: Ms): Ms =>
    Math.floor(startMs + round * roundMs + (recordedMs - session.fromMs) / speed)
  return {
    track,
    advance(now) {
      if (newest) newest.isNew = false
      for (;;) {
        if (next === track.ms.length) {
          next = first
          round++
        }
        const sourceMs = replayedAt(must(track.ms[next]))
        if (sourceMs > now) return newest
        newest = {
          units: must(track.units[next]),
          sourceMs,
          heldUntil: replayedAt(must(track.heldUntil[next])),
          isNew: true,
        }
        next++
      }
    },
  }
}
