import type { ChatNews, ChatSaying } from '#contract/chat.ts'
import type { ClientMessage, FrameMessage, ServerMessage, UserMessage } from '#contract/push.ts'

export type StreamStatus = 'connecting' | 'open' | 'down'

/** The part of a browser's WebSocket that is used here. */
export interface Socket {
  onopen: (() => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onclose: ((event: { code: number }) => void) | null
  send(text: string): void
  close(): void
}

export interface StreamParts {
  connect: () => Socket
  /** The token to sign the socket in with, `undefined` for a visitor. */
  token: () => Promise<string | undefined>
  /** The server ended the session (close code 4401). */
  onSessionEnded: () => void
  random?: () => number
  /** Milliseconds, never set back. */
  now?: () => number
  setTimer?: (run: () => void, ms: number) => unknown
  clearTimer?: (timer: unknown) => void
}

/** The chat's view of the stream. */
export interface ChatListener {
  /** The socket is open and knows the user: everything it sends from now on is received. */
  ready(): void
  /** The socket was lost. */
  lost(): void
  news(news: ChatNews): void
  refused(message: string): void
}

const SESSION_ENDED = 4401
const MAX_SYMBOLS_A_MESSAGE = 200
const BACKOFF_MS = { first: 500, most: 15_000 }
/** A server that hangs accepts connections and never opens them. */
const OPEN_WITHIN_MS = 10_000
/**
 * A silent socket is pinged, and dropped if it doesn't answer: half-open connections don't close by themselves. Frames
 * come at least once a second, so who listens to them notices a server that hangs sooner.
 */
const SILENCE_MS = { frames: { ask: 5_000, giveUp: 5_000 }, messages: { ask: 15_000, giveUp: 10_000 } }

/** How long reads after a message ask for the newest; a standby that is used is never this far behind. */
const NEWS_MS = 5_000

/** Returns the delay before the n-th reconnect (from 0): doubles up to 15 s, half of it random. */
export const backoffMs = (attempt: number, random: () => number): number =>
  Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** attempt) * (0.5 + random() / 2)

/**
 * The price and message stream (`GET /api/stream`). Opens with the first listener and closes after the last; counts
 * subscriptions per symbol; reconnects by itself; and calls `onGap` when messages for the user may have been missed, so
 * that lists and balances are reloaded.
 */
export function createStream({
  connect,
  token,
  onSessionEnded,
  random = Math.random,
  now = () => performance.now(),
  setTimer = (run, ms) => setTimeout(run, ms),
  clearTimer = (timer) => clearTimeout(timer as number),
}: StreamParts) {
  const frameListeners = new Map<(frame: FrameMessage) => void, readonly string[]>()
  const userListeners = new Set<(message: UserMessage) => void>()
  const gapListeners = new Set<() => void>()
  const statusListeners = new Set<() => void>()
  const chatListeners = new Set<ChatListener>()
  const wanted = new Map<string, number>()

  let socket: Socket | undefined
  let isOpen = false
  let isChatReady = false
  let status: StreamStatus = 'connecting'
  let attempt = 0
  let lastSeq: number | undefined
  let newsAt = Number.NEGATIVE_INFINITY
  let signedInWith: string | undefined
  let retryTimer: unknown
  let silenceTimer: unknown

  const send = (message: ClientMessage): void => {
    if (isOpen) socket?.send(JSON.stringify(message))
  }

  function setStatus(next: StreamStatus): void {
    if (status === next) return
    status = next
    for (const listener of [...statusListeners]) listener()
  }

  const needed = (): boolean => frameListeners.size > 0 || userListeners.size > 0 || chatListeners.size > 0

  function sendSymbols(op: 'subscribe' | 'unsubscribe', symbols: readonly string[]): void {
    for (let at = 0; at < symbols.length; at += MAX_SYMBOLS_A_MESSAGE) {
      send({ op, symbols: symbols.slice(at, at + MAX_SYMBOLS_A_MESSAGE) })
    }
  }

  async function authenticate(): Promise<void> {
    const used = socket
    const current = await token().catch(() => undefined)
    if (used !== socket || !isOpen) return
    if (current === undefined) return chatReady()
    signedInWith = current
    send({ op: 'auth', token: current })
  }

  function chatReady(): void {
    isChatReady = true
    for (const listener of [...chatListeners]) listener.ready()
  }

  function listenForSilence(): void {
    clearTimer(silenceTimer)
    const { ask, giveUp } = frameListeners.size > 0 ? SILENCE_MS.frames : SILENCE_MS.messages
    silenceTimer = setTimer(() => {
      send({ op: 'ping' })
      silenceTimer = setTimer(() => drop(), giveUp)
    }, ask)
  }

  function open(): void {
    clearTimer(retryTimer)
    retryTimer = undefined
    if (socket || !needed()) return
    if (attempt === 0) setStatus('connecting')
    const opened = connect()
    socket = opened
    silenceTimer = setTimer(() => drop(), OPEN_WITHIN_MS)
    opened.onopen = () => {
      if (socket !== opened) return
      isOpen = true
      attempt = 0
      sendSymbols('subscribe', [...wanted.keys()])
      void authenticate()
      listenForSilence()
      setStatus('open')
    }
    opened.onmessage = (event) => {
      if (socket !== opened) return
      listenForSilence()
      receive(String(event.data))
    }
    opened.onclose = (event) => {
      if (socket !== opened) return
      if (event.code === SESSION_ENDED) {
        lastSeq = undefined
        onSessionEnded()
      }
      drop()
    }
  }

  /** Drops the socket and, if there are still listeners, reconnects after a delay. */
  function drop(): void {
    const dropped = socket
    socket = undefined
    isOpen = false
    isChatReady = false
    signedInWith = undefined
    clearTimer(silenceTimer)
    for (const listener of [...chatListeners]) listener.lost()
    if (dropped) {
      dropped.onopen = dropped.onmessage = dropped.onclose = null
      dropped.close()
    }
    if (!needed()) {
      clearTimer(retryTimer)
      retryTimer = undefined
      attempt = 0
      setStatus('connecting')
      return
    }
    setStatus('down')
    clearTimer(retryTimer)
    retryTimer = setTimer(open, backoffMs(attempt, random))
    attempt++
  }

  function gap(): void {
    for (const listener of [...gapListeners]) listener()
  }

  function receive(text: string): void {
    const message = JSON.parse(text) as ServerMessage
    switch (message.op) {
      case 'frame':
        for (const [listener, symbols] of [...frameListeners]) {
          const entries = symbols.includes('*') ? message.p : message.p.filter(([symbol]) => symbols.includes(symbol))
          if (entries.length > 0) listener({ ...message, p: entries })
        }
        return
      case 'ready':
        // Messages may have been sent while this browser was away, or between its first reads and this moment. Reload
        // everything that was read before the stream was listening.
        newsAt = now()
        if (message.seq !== lastSeq) gap()
        lastSeq = message.seq
        chatReady()
        return
      case 'pong':
        return
      case 'error':
        if (message.of === 'chat') for (const listener of [...chatListeners]) listener.refused(message.message)
        return
      default: {
        if (message.op === 'chat') for (const listener of [...chatListeners]) listener.news(message.data)
        if (message.seq === undefined) return
        const missed = lastSeq !== undefined && message.seq !== lastSeq + 1
        lastSeq = message.seq
        newsAt = now()
        for (const listener of [...userListeners]) listener(message)
        if (missed) gap()
      }
    }
  }

  function want(symbols: readonly string[]): void {
    const added = symbols.filter((symbol) => {
      const count = wanted.get(symbol) ?? 0
      wanted.set(symbol, count + 1)
      return count === 0
    })
    sendSymbols('subscribe', added)
  }

  function unwant(symbols: readonly string[]): void {
    const removed = symbols.filter((symbol) => {
      const count = (wanted.get(symbol) ?? 0) - 1
      if (count > 0) wanted.set(symbol, count)
      else wanted.delete(symbol)
      return count <= 0
    })
    sendSymbols('unsubscribe', removed)
  }

  /** Closes a little after the last listener leaves: a screen change removes one and adds the next. */
  function closeWhenUnneeded(): void {
    setTimer(() => {
      if (!needed() && (socket || retryTimer !== undefined)) drop()
    }, 1_000)
  }

  return {
    /** Whether a change was reported a moment ago. */
    hasNews: (): boolean => now() - newsAt < NEWS_MS,
    /**
     * Calls `listener` with the part of each frame that has these symbols (`['*']` for all). Returns the unsubscribe
     * function.
     */
    subscribe(symbols: readonly string[], listener: (frame: FrameMessage) => void): () => void {
      // A separate wrapper for each subscription: the same function may subscribe twice.
      const own = (frame: FrameMessage) => listener(frame)
      frameListeners.set(own, symbols)
      want(symbols)
      open()
      return () => {
        if (!frameListeners.delete(own)) return
        unwant(symbols)
        closeWhenUnneeded()
      }
    },
    /** Calls `listener` with messages for the signed-in user. */
    onUserMessage(listener: (message: UserMessage) => void): () => void {
      const own = (message: UserMessage) => listener(message)
      userListeners.add(own)
      open()
      return () => {
        userListeners.delete(own)
        closeWhenUnneeded()
      }
    },
    /** Subscribes to the chat. Returns the unsubscribe function. */
    onChat(listener: ChatListener): () => void {
      chatListeners.add(listener)
      open()
      if (isChatReady) listener.ready()
      return () => {
        chatListeners.delete(listener)
        closeWhenUnneeded()
      }
    },
    /** Sends a chat message; returns false if there is no open socket. */
    say(saying: Omit<ChatSaying, 'op'>): boolean {
      if (!isChatReady) return false
      send({ op: 'chat', ...saying })
      return true
    },
    onGap(listener: () => void): () => void {
      gapListeners.add(listener)
      return () => gapListeners.delete(listener)
    },
    status: (): StreamStatus => status,
    onStatus(listener: () => void): () => void {
      statusListeners.add(listener)
      return () => statusListeners.delete(listener)
    },
    /** Call this after sign-in or sign-out: the socket switches to the new session. */
    sessionChanged(): void {
      lastSeq = undefined
      if (!isOpen) return
      // A socket can't be signed out by message, so open a new one.
      if (signedInWith !== undefined) {
        attempt = 0
        drop()
      } else void authenticate()
    },
    /** Reconnects immediately (the browser reports that it's online, or the tab becomes visible). */
    retryNow(): void {
      if (!socket && needed()) {
        attempt = 0
        open()
      }
    },
  }
}

export type Stream = ReturnType<typeof createStream>
