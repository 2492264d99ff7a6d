import type { ChatNews, ChatSaid, ChatSaying } from '#contract/messages/chat.ts'
import type { FrameMessage, ServerMessage, UserMessage } from '#contract/messages/push.ts'
import { createConnection, type Socket } from './stream-connection.ts'
import { createFrameListeners } from './stream-frames.ts'

interface StreamParts {
  connect: () => Socket
  /** The token to sign the socket in with, `undefined` for a visitor. */
  token: () => Promise<string | undefined>
  /** What every screen shows; undefined if nothing. */
  onMaintenance?: (text: string | undefined) => void
  /** The server ended the session (close code 4401). */
  onSessionEnded: () => void
  random?: () => number
  /** Milliseconds, never set back. */
  now?: () => number
  setTimer?: (run: () => void, ms: number) => unknown
  clearTimer?: (timer: unknown) => void
}

/** The chat's view of the stream. */
interface ChatListener {
  /** The socket is open and knows the user: everything it sends from now on is received. */
  ready(): void
  /** The socket was lost. */
  lost(): void
  news(news: ChatNews): void
  refused(said: ChatSaid, message: string): void
}

/**
 * A silent socket is pinged, and dropped if it doesn't answer: half-open connections don't close by themselves. Frames
 * come at least once a second, so who listens to them notices a server that hangs sooner.
 */
const SILENCE_MS = { frames: { ask: 5_000, giveUp: 5_000 }, messages: { ask: 15_000, giveUp: 10_000 } }

/** How long reads after a message ask for the newest; what is read is never older than this. */
const NEWS_MS = 5_000

/**
 * The price and message stream (`GET /api/stream`). Opens with the first listener and closes after the last; counts
 * subscriptions per symbol; reconnects by itself; and calls `onGap` when messages for the user may have been missed, so
 * that lists and balances are reloaded.
 */
export function createStream({
  connect,
  token,
  onMaintenance,
  onSessionEnded,
  random = Math.random,
  now = () => performance.now(),
  setTimer = (run, ms) => setTimeout(run, ms),
  clearTimer = (timer) => clearTimeout(timer as number),
}: StreamParts) {
  const userListeners = new Set<(message: UserMessage) => void>()
  const chatListeners = new Set<ChatListener>()
  const inbox = createInbox({
    now,
    userListeners,
    chatListeners,
    onMaintenance,
    onFrame: (frame) => frames.deliver(frame),
  })
  let signedInWith: string | undefined

  const connection = createConnection({
    ...{ connect, random, setTimer, clearTimer },
    isNeeded: () => !frames.isEmpty() || userListeners.size > 0 || chatListeners.size > 0,
    patience: () => (frames.isEmpty() ? SILENCE_MS.messages : SILENCE_MS.frames),
    onText: inbox.receive,
    onOpen() {
      frames.subscribeAll()
      void authenticate()
    },
    onLost() {
      signedInWith = undefined
      inbox.lost()
    },
    onSessionEnded() {
      inbox.forgetSeq()
      onSessionEnded()
    },
  })
  const { send, open, closeWhenUnneeded } = connection
  const frames = createFrameListeners(send)

  async function authenticate(): Promise<void> {
    const used = connection.current()
    const current = await token().catch(() => undefined)
    if (!used || used !== connection.current()) return
    if (current === undefined) return inbox.chatReady()
    signedInWith = current
    send({ op: 'auth', token: current })
  }

  /** Adds a listener. Returns the unsubscribe function. */
  function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
    listeners.add(listener)
    open()
    return () => {
      listeners.delete(listener)
      closeWhenUnneeded()
    }
  }

  return {
    /** Whether a change was reported a moment ago. */
    hasNews: inbox.hasNews,
    /**
     * Calls `listener` with the part of each frame that has these symbols (`['*']` for all). Returns the unsubscribe
     * function.
     */
    subscribe(symbols: readonly string[], listener: (frame: FrameMessage) => void): () => void {
      const end = frames.add(symbols, listener)
      open()
      return () => {
        if (end()) closeWhenUnneeded()
      }
    },
    /** Calls `listener` with messages for the signed-in user. */
    onUserMessage: (listener: (message: UserMessage) => void): (() => void) =>
      listen(userListeners, (message: UserMessage) => listener(message)),
    /** Subscribes to the chat. Returns the unsubscribe function. */
    onChat(listener: ChatListener): () => void {
      const end = listen(chatListeners, listener)
      if (inbox.isChatReady()) listener.ready()
      return end
    },
    /** Sends a chat message; returns false if there is no open socket. */
    say(saying: Omit<ChatSaying, 'op'>): boolean {
      if (!inbox.isChatReady()) return false
      send({ op: 'chat', ...saying })
      return true
    },
    onGap: inbox.onGap,
    status: connection.status,
    onStatus: connection.onStatus,
    /** Call this after sign-in or sign-out: the socket switches to the new session. */
    sessionChanged(): void {
      inbox.forgetSeq()
      if (!connection.current()) return
      // A socket can't be signed out by message, so open a new one.
      if (signedInWith !== undefined) connection.replace()
      else void authenticate()
    },
    /** Reconnects immediately (the browser reports that it's online, or the tab becomes visible). */
    retryNow: connection.retryNow,
  }
}

/**
 * Remembers this moment, by two clocks: the machine's can be set back, and the other may stop while it sleeps. The one
 * that counted more says how long ago it is.
 */
function moment(now: () => number): { agoMs(): number } {
  const then = { now: now(), date: Date.now() }
  return { agoMs: () => Math.max(now() - then.now, Date.now() - then.date) }
}

/** Handles what the server sends: frames, the user's messages by their numbers, and the chat. */
function createInbox({
  now,
  userListeners,
  chatListeners,
  onMaintenance,
  onFrame,
}: {
  now: () => number
  userListeners: ReadonlySet<(message: UserMessage) => void>
  chatListeners: ReadonlySet<ChatListener>
  onMaintenance: StreamParts['onMaintenance']
  onFrame: (frame: FrameMessage) => void
}) {
  const gapListeners = new Set<() => void>()
  let isChatReady = false
  let lastSeq: number | undefined
  // Everything sent until then is known: it was received, or read later.
  let known = moment(now)
  let newsAt = Number.NEGATIVE_INFINITY

  function gap(): void {
    for (const listener of [...gapListeners]) listener()
  }

  function chatReady(): void {
    isChatReady = true
    for (const listener of [...chatListeners]) listener.ready()
  }

  function receive(text: string): void {
    const message = JSON.parse(text) as ServerMessage
    take(message)
    // What a signed-in socket has sent comes in its order, within a few hundred milliseconds.
    if (isChatReady && lastSeq !== undefined) known = moment(now)
  }

  function take(message: ServerMessage): void {
    switch (message.op) {
      case 'frame':
        onFrame(message)
        return
      case 'ready':
        // Messages may have been sent while this browser was away, or between its first reads and this moment. If so,
        // reload everything that was read before the stream was listening. A server of an earlier version doesn't know.
        onMaintenance?.(message.maintenance)
        if (message.seq !== lastSeq && !(message.quiet_ms >= known.agoMs() + NEWS_MS)) gap()
        lastSeq = message.seq
        newsAt = now()
        chatReady()
        return
      case 'pong':
        return
      case 'error':
        if (message.said) for (const listener of [...chatListeners]) listener.refused(message.said, message.message)
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

  return {
    receive,
    chatReady,
    isChatReady: () => isChatReady,
    hasNews: (): boolean => now() - newsAt < NEWS_MS,
    /** Messages of another session have other numbers. */
    forgetSeq(): void {
      lastSeq = undefined
      known = moment(now)
    },
    /** The socket was lost. */
    lost(): void {
      isChatReady = false
      for (const listener of [...chatListeners]) listener.lost()
    },
    onGap(listener: () => void): () => void {
      gapListeners.add(listener)
      return () => gapListeners.delete(listener)
    },
  }
}
