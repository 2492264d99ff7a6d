import type { Ms } from '#kernel/time.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { VenueListener, VenueQuote } from './venue.ts'

/** What one connection reports. */
export interface StreamListener {
  connected(): void
  quote(quote: VenueQuote): void
  alive(venueMs: Ms | undefined, receivedMs: Ms): void
  unreadable(receivedMs: Ms): void
  /** The connection failed or was given up; nothing is reported afterwards. */
  lost(why: string): void
}

export interface Stream {
  close(): void
}

export interface Timing {
  /** Delay before connecting again; it doubles with every failure in a row. */
  firstMs: number
  mostMs: number
  /** A connection that lived this long was a good one: the next failure counts as the first. */
  stableMs: number
  /** A connection that was silent for so long is given up. */
  silenceMs: number
}

export const TIMING: Timing = { firstMs: 500, mostMs: 60_000, stableMs: 30_000, silenceMs: 15_000 }

interface Connection {
  watch(markets: readonly string[], listener: VenueListener): void
  /** Replaces the connection: at once, or after the delay of a failure. */
  replace(why: string, when: 'now' | 'later'): void
  stop(): void
}

/**
 * Keeps one connection at a time to the subscribed markets. `open` returns it, or undefined if there is nothing to
 * connect for. Reports of a replaced connection are ignored.
 */
export function keepConnected(
  id: string,
  clock: Clock,
  timing: Timing,
  open: (markets: readonly string[], listener: StreamListener) => Promise<Stream | undefined>,
): Connection {
  let wanted: { markets: readonly string[]; listener: VenueListener } | undefined
  let stream: Stream | undefined
  let connectedAt: number | undefined
  /** The current connection among all connections so far. */
  let current = 0
  let failures = 0
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    if (!wanted) return
    const mine = ++current
    const { markets, listener } = wanted
    const isCurrent = () => mine === current
    try {
      const opened = await open(markets, {
        ...reportsTo(id, listener, isCurrent),
        connected() {
          if (!isCurrent()) return
          connectedAt = performance.now()
          listener.connected(id, clock.now())
        },
        lost(why) {
          if (isCurrent()) fail(why)
        },
      })
      if (mine === current) stream = opened
      else opened?.close()
    } catch (error) {
      if (mine === current) fail(error instanceof Error ? error.message : String(error))
    }
  }

  function disconnect(): number {
    const livedMs = connectedAt === undefined ? 0 : performance.now() - connectedAt
    current++
    connectedAt = undefined
    clearTimeout(retry)
    stream?.close()
    stream = undefined
    return livedMs
  }

  /** Half of the delay is random, so that not all installations return at the same moment. */
  function fail(why: string): void {
    failures = disconnect() >= timing.stableMs ? 1 : failures + 1
    const delayMs = Math.min(timing.mostMs, timing.firstMs * 2 ** Math.min(failures - 1, 20))
    retry = setTimeout(() => void connect(), delayMs * (0.5 + Math.random() / 2))
    wanted?.listener.disconnected(id, clock.now(), why)
  }

  function restart(why: string, next: typeof wanted): void {
    const wasConnected = connectedAt !== undefined
    disconnect()
    if (wasConnected) wanted?.listener.disconnected(id, clock.now(), why)
    wanted = next
    void connect()
  }

  return {
    watch(markets, listener) {
      if (wanted?.listener === listener && isSame(wanted.markets, markets)) return
      failures = 0
      restart('the list of markets changed', { markets: [...new Set(markets)], listener })
    },
    replace(why, when) {
      if (when === 'now') restart(why, wanted)
      else fail(why)
    },
    stop: () => restart('stopped', undefined),
  }
}

/** Passes on what a connection reports while it's the current one. */
const reportsTo = (
  id: string,
  listener: VenueListener,
  isCurrent: () => boolean,
): Pick<StreamListener, 'quote' | 'alive' | 'unreadable'> => ({
  quote(quote) {
    if (isCurrent()) listener.quote(id, quote)
  },
  alive(venueMs, receivedMs) {
    if (isCurrent()) listener.alive(id, venueMs, receivedMs)
  },
  unreadable(receivedMs) {
    if (isCurrent()) listener.unreadable(id, receivedMs)
  },
})

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((market, at) => market === b[at])
