import type { ClientMessage } from '#contract/messages/push.ts'

export type StreamStatus = 'connecting' | 'open' | 'down'

/** The part of a browser's WebSocket that is used here. */
export interface Socket {
  onopen: (() => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  send(text: string): void
  close(): void
}

const SESSION_ENDED = 4401
const BACKOFF_MS = { first: 500, most: 15_000 }
/** A server that hangs accepts connections and never opens them. */
const OPEN_WITHIN_MS = 10_000

/** Returns the delay before the n-th reconnect (from 0): doubles up to 15 s, half of it random. */
export const backoffMs = (attempt: number, random: () => number): number =>
  Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** attempt) * (0.5 + random() / 2)

/** How long a socket may be silent until it's pinged, and then until it's dropped. */
interface Patience {
  ask: number
  giveUp: number
}

interface ConnectionParts {
  connect: () => Socket
  random: () => number
  setTimer: (run: () => void, ms: number) => unknown
  clearTimer: (timer: unknown) => void
  /** Whether anyone listens. */
  isNeeded: () => boolean
  patience: () => Patience
  onOpen: () => void
  onText: (text: string) => void
  onLost: () => void
  /** The server ended the session (close code 4401). */
  onSessionEnded: () => void
}

/** The stream's socket: opens while it's needed, notices silence, and reconnects by itself. */
export function createConnection(parts: ConnectionParts) {
  const { setTimer, clearTimer, isNeeded } = parts
  const status = createStatus()
  let socket: Socket | undefined
  let isOpen = false
  let attempt = 0
  let retryTimer: unknown
  let silenceTimer: unknown

  const send = (message: ClientMessage): void => {
    if (isOpen) socket?.send(JSON.stringify(message))
  }

  function listenForSilence(): void {
    clearTimer(silenceTimer)
    const { ask, giveUp } = parts.patience()
    silenceTimer = setTimer(() => {
      send({ op: 'ping' })
      silenceTimer = setTimer(() => drop(), giveUp)
    }, ask)
  }

  function open(): void {
    clearTimer(retryTimer)
    retryTimer = undefined
    if (socket || !isNeeded()) return
    if (attempt === 0) status.set('connecting')
    socket = parts.connect()
    silenceTimer = setTimer(() => drop(), OPEN_WITHIN_MS)
    follow(socket)
  }

  function follow(opened: Socket): void {
    opened.onopen = () => {
      if (socket !== opened) return
      isOpen = true
      attempt = 0
      parts.onOpen()
      listenForSilence()
      status.set('open')
    }
    opened.onmessage = (event) => {
      if (socket !== opened) return
      listenForSilence()
      parts.onText(String(event.data))
    }
    opened.onclose = (event) => {
      if (socket !== opened) return
      if (event.code === SESSION_ENDED) parts.onSessionEnded()
      drop()
    }
  }

  /** Drops the socket and, if there are still listeners, reconnects after a delay. */
  function drop(): void {
    const dropped = socket
    socket = undefined
    isOpen = false
    clearTimer(silenceTimer)
    parts.onLost()
    if (dropped) {
      dropped.onopen = dropped.onmessage = dropped.onclose = null
      dropped.close()
    }
    clearTimer(retryTimer)
    if (isNeeded()) {
      status.set('down')
      retryTimer = setTimer(open, backoffMs(attempt, parts.random))
      attempt++
    } else {
      retryTimer = undefined
      attempt = 0
      status.set('connecting')
    }
  }

  return {
    status: status.get,
    onStatus: status.on,
    send,
    open,
    /** The socket while it's open. */
    current: () => (isOpen ? socket : undefined),
    /** Closes a little after the last listener leaves: a screen change removes one and adds the next. */
    closeWhenUnneeded(): void {
      setTimer(() => {
        if (!isNeeded() && (socket || retryTimer !== undefined)) drop()
      }, 1_000)
    },
    /** Drops the socket, and opens another one soon. */
    replace(): void {
      attempt = 0
      drop()
    },
    /** Reconnects immediately. */
    retryNow(): void {
      if (!socket && isNeeded()) {
        attempt = 0
        open()
      }
    },
  }
}

function createStatus() {
  const listeners = new Set<() => void>()
  let status: StreamStatus = 'connecting'
  return {
    get: () => status,
    set(next: StreamStatus): void {
      if (status === next) return
      status = next
      for (const listener of [...listeners]) listener()
    },
    on(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
