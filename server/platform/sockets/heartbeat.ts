import type { Listener } from './listener.ts'

export const HEARTBEAT_MS = 30_000

/** Pings all sockets every half minute, and drops those that didn't answer the last ping. Returns the timer. */
export function startHeartbeat(listeners: ReadonlySet<Listener>, watched: () => void): NodeJS.Timeout {
  const heartbeat = setInterval(() => {
    if (listeners.size > 0) watched()
    for (const listener of listeners) {
      if (!listener.alive) listener.socket.terminate()
      else {
        listener.alive = false
        listener.socket.ping()
      }
    }
  }, HEARTBEAT_MS)
  return heartbeat.unref()
}
