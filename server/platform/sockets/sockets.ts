import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'
import type { ChatNews, ChatSaying } from '#contract/chat.ts'
import type { PriceSource } from '#contract/prices.ts'
import { Problem } from '#contract/problem.ts'
import { CLOSE, type FrameEntry, MAX_MESSAGES_PER_SECOND } from '#contract/push.ts'
import type { Who } from '../http/index.ts'
import { networkOf } from '../http/network.ts'
import type { Log } from '../process/log.ts'
import { type PacedWrites, paceWrites } from './paced-writes.ts'
import type { UserNews } from './push.ts'
import { type ChatAnswer, readMessage, type Speaker, textMessage } from './socket-messages.ts'

/** The open sockets of this node: who subscribes to which prices, and which user's messages go where. */
export interface Sockets {
  /** Sends each subscriber its part of a frame; each distinct part is serialised once. */
  frame(frame: { n: number; t: number; s?: PriceSource; p: readonly FrameEntry[] }): void
  /** Sends messages to a user's sockets, numbered without gaps; those of a busy user in few writes. */
  sendToUser(userId: bigint, ...news: UserNews[]): void
  /** Sends updates of a visitor's conversation to its sockets. */
  sendToChat(chatId: bigint, data: ChatNews): void
  /** Whether a socket is subscribed to a visitor's conversation. */
  inChat(chatId: bigint): boolean
  /** Returns which of these users have a socket open. */
  listening(userIds: readonly bigint[]): bigint[]
  /** Returns the users who have a socket open. */
  users(): bigint[]
  /** Closes the sockets of ended sessions (4401). */
  endSessions(sessionIds: readonly bigint[]): void
  /**
   * Messages may have been missed: makes every client read its lists again, at random moments within `withinMs` (a few
   * seconds at most by default), because all of them at once would be a burst of requests.
   */
  gap(withinMs?: number): void
  count(): number
  /**
   * Accepts no new socket and closes those that are open, at random moments within `withinMs` (a few seconds at most by
   * default), so that their clients don't reconnect all at once. Until its turn comes, a socket gets its messages.
   */
  drain(withinMs?: number): Promise<void>
}

export interface SocketsDeps {
  app: FastifyInstance
  authenticate(token: string): Promise<Who | undefined>
  isOurOrigin(origin: string): boolean
  isSymbol(symbol: string): boolean
  /** Handles chat messages; returns the conversation whose updates the visitor's socket receives from then on. */
  chat(speaker: Speaker, saying: ChatSaying): Promise<ChatAnswer | undefined>
  /** Called when the first socket opens, and every half minute while any is open. */
  watched(): void
  /** Multiplies the limits on open sockets; undefined turns them off. */
  rateFactor: number | undefined
  log: Log
}

interface Listener {
  socket: WebSocket
  /** The connection below it. */
  connection: Socket
  ip: string
  /** The network that sockets without a session are counted by. */
  network: string
  who: Who | undefined
  chatId: bigint | undefined
  /** Chat messages are handled one at a time. */
  chatTurn: Promise<void>
  symbols: Set<string>
  /** The sorted symbols as one text: subscribers to the same symbols get the same bytes. */
  part: string
  messages: number
  countedSince: number
  alive: boolean
}

/** A user with sockets, and the number of the last message to them. */
interface User {
  seq: number
  listeners: Set<Listener>
  writes: PacedWrites
}

/** Bytes that may be buffered for a slow reader before it is dropped. */
const BUFFER_MAX = 1_048_576
export const HEARTBEAT_MS = 30_000
/** How long clients are given to move or to read again, for each of them and at most: few need no spreading. */
const SPREAD_MS = { each: 2, most: 5_000 }
/** How long a client may take to confirm that its socket is closed. */
const CLOSE_WITHIN_MS = 1_000
/** Maximum sockets without a session per network, and with a session per user. */
const VISITOR_SOCKETS = 200
const USER_SOCKETS = 30

export function openSockets(deps: SocketsDeps): Sockets {
  const factor = deps.rateFactor ?? Number.POSITIVE_INFINITY
  const listeners = new Set<Listener>()
  /** Number of subscribers without a session, by network. */
  const visitors = new Map<string, number>()
  const byUser = new Map<bigint, User>()
  const byChat = new Map<bigint, Set<Listener>>()
  /** Users whose clients will be made to read again. */
  const gaps = new Map<User, NodeJS.Timeout>()
  let draining = false

  deps.app.get(
    '/api/stream',
    {
      websocket: true,
      preValidation: async (request) => {
        if (draining)
          throw new Problem('unavailable', 'This server is restarting. Try again shortly.', { retryAfterSeconds: 1 })
        const { origin } = request.headers
        if (origin !== undefined && !deps.isOurOrigin(origin))
          throw new Problem('forbidden', "Connections from this page aren't allowed.")
        if ((visitors.get(networkOf(request.ip)) ?? 0) >= VISITOR_SOCKETS * factor)
          throw new Problem('too_many_requests', 'Too many connections from your network. Close some and try again.', {
            retryAfterSeconds: 30,
          })
      },
    },
    (socket, request) => {
      const listener: Listener = {
        socket,
        connection: request.raw.socket,
        ip: request.ip,
        network: networkOf(request.ip),
        who: undefined,
        chatId: undefined,
        chatTurn: Promise.resolve(),
        symbols: new Set(),
        part: '',
        messages: 0,
        countedSince: performance.now(),
        alive: true,
      }
      // Its upgrade was under way when draining began.
      if (draining) return socket.close(CLOSE.restarting, RESTARTING)
      listeners.add(listener)
      if (listeners.size === 1) deps.watched()
      countVisitor(listener, 1)
      socket.on('pong', () => {
        listener.alive = true
      })
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        receive(listener, isBinary ? undefined : data.toString('utf8')).catch((error: unknown) => {
          deps.log.warn({ error: String(error) }, 'a socket message failed')
          refuse(listener, 'unavailable', "We couldn't do that right now. Try again.")
        })
      })
      socket.on('error', () => socket.terminate())
      socket.on('close', () => forget(listener))
    },
  )

  async function receive(listener: Listener, text: string | undefined): Promise<void> {
    const now = performance.now()
    if (now - listener.countedSince >= 1_000) {
      listener.countedSince = now
      listener.messages = 0
    }
    if (++listener.messages > MAX_MESSAGES_PER_SECOND) {
      listener.socket.close(CLOSE.flooding, 'too many messages')
      return
    }
    const message = text === undefined ? undefined : readMessage(text)
    if (!message) return refuse(listener, 'malformed', 'The message is invalid.')
    switch (message.op) {
      case 'ping':
        return send(listener, '{"op":"pong"}')
      case 'auth':
        return authenticate(listener, message.token)
      case 'subscribe':
      case 'unsubscribe':
        return subscribe(listener, message)
      case 'chat':
        listener.chatTurn = listener.chatTurn.then(() => chat(listener, message))
        return listener.chatTurn
    }
  }

  async function chat(listener: Listener, saying: ChatSaying): Promise<void> {
    try {
      const { who, ip, chatId } = listener
      const answer = await deps.chat({ userId: who?.userId, chatId, ip }, saying)
      if (!answer || listener.who !== who) return
      if (!who && answer.chatId !== undefined) joinChat(listener, answer.chatId)
      send(listener, JSON.stringify({ op: 'chat', data: answer.data }))
      if (answer.others && answer.chatId !== undefined) sendToChat(answer.chatId, answer.others, listener)
    } catch (error) {
      if (!(error instanceof Problem)) deps.log.warn({ error: String(error) }, 'a chat message failed')
      const { code, message } =
        error instanceof Problem
          ? error
          : { code: 'unavailable', message: "We couldn't send that. Try again in a moment." }
      send(listener, JSON.stringify({ op: 'error', code, message, of: 'chat' }))
    }
  }

  function joinChat(listener: Listener, chatId: bigint): void {
    if (listener.chatId === chatId || !listeners.has(listener)) return
    leaveChat(listener)
    listener.chatId = chatId
    const members = byChat.get(chatId) ?? new Set()
    members.add(listener)
    byChat.set(chatId, members)
  }

  function sendToChat(chatId: bigint, data: ChatNews, except?: Listener): void {
    const members = byChat.get(chatId)
    if (!members) return
    const text = JSON.stringify({ op: 'chat', data })
    for (const listener of members) if (listener !== except) send(listener, text)
  }

  function leaveChat(listener: Listener): void {
    if (listener.chatId === undefined) return
    const members = byChat.get(listener.chatId)
    members?.delete(listener)
    if (members?.size === 0) byChat.delete(listener.chatId)
    listener.chatId = undefined
  }

  async function authenticate(listener: Listener, token: string): Promise<void> {
    const who = await deps.authenticate(token)
    if (!who) {
      refuse(listener, 'unauthenticated', 'Please sign in.')
      listener.socket.close(CLOSE.sessionEnded, 'no active session')
      return
    }
    if (listener.socket.readyState !== listener.socket.OPEN) return
    leaveUser(listener)
    leaveChat(listener)
    const user = byUser.get(who.userId) ?? newUser()
    if (user.listeners.size >= USER_SOCKETS * factor) {
      refuse(listener, 'too_many_requests', 'Your account has too many connections open. Close some and try again.')
      listener.socket.close(CLOSE.flooding, 'too many sockets of one user')
      return
    }
    // This socket begins after the messages that wait.
    user.writes.flush()
    countVisitor(listener, -1)
    listener.who = who
    user.listeners.add(listener)
    byUser.set(who.userId, user)
    send(listener, JSON.stringify({ op: 'ready', seq: user.seq }))
  }

  function subscribe(listener: Listener, message: { op: 'subscribe' | 'unsubscribe'; symbols: string[] }): void {
    const unknown = message.symbols.find((symbol) => symbol !== '*' && !deps.isSymbol(symbol))
    // One reply per message, however many symbols are wrong: a reply for each would amplify the input.
    if (unknown !== undefined) refuse(listener, 'not_found', `Symbol ${unknown.slice(0, 20)} not found.`)
    for (const symbol of message.symbols) {
      if (symbol !== '*' && !deps.isSymbol(symbol)) continue
      if (message.op === 'subscribe') listener.symbols.add(symbol)
      else listener.symbols.delete(symbol)
    }
    listener.part = listener.symbols.has('*') ? '*' : [...listener.symbols].sort().join(' ')
  }

  function forget(listener: Listener): void {
    listeners.delete(listener)
    leaveUser(listener)
    leaveChat(listener)
    countVisitor(listener, -1)
  }

  function countVisitor({ network }: Listener, change: 1 | -1): void {
    const count = (visitors.get(network) ?? 0) + change
    if (count === 0) visitors.delete(network)
    else visitors.set(network, count)
  }

  function leaveUser(listener: Listener): void {
    if (!listener.who) return
    const user = byUser.get(listener.who.userId)
    user?.listeners.delete(listener)
    if (user?.listeners.size === 0) byUser.delete(listener.who.userId)
    listener.who = undefined
    countVisitor(listener, 1)
  }

  const send = (listener: Listener, text: string) => sendEncoded(listener, textMessage(text))

  /** Sends bytes that `textMessage` has encoded: the library would encode them again for each socket. */
  function sendEncoded({ socket, connection }: Listener, bytes: Buffer): void {
    if (socket.readyState !== socket.OPEN) return
    // Drop slow consumers; they reconnect and reload the lists.
    if (connection.writableLength > BUFFER_MAX) socket.terminate()
    else connection.write(bytes)
  }

  const refuse = (listener: Listener, code: string, message: string) =>
    send(listener, JSON.stringify({ op: 'error', code, message }))

  const heartbeat = setInterval(() => {
    if (listeners.size > 0) deps.watched()
    for (const listener of listeners) {
      if (!listener.alive) listener.socket.terminate()
      else {
        listener.alive = false
        listener.socket.ping()
      }
    }
  }, HEARTBEAT_MS)
  heartbeat.unref()

  function sendToUser(userId: bigint, ...news: UserNews[]): void {
    const user = byUser.get(userId)
    user?.writes.add(news.map((one) => textMessage(JSON.stringify({ ...one, seq: ++user.seq }))))
  }

  function newUser(): User {
    const own = new Set<Listener>()
    const writes = paceWrites((bytes) => {
      for (const listener of own) sendEncoded(listener, bytes)
    })
    return { seq: firstSeq(), listeners: own, writes }
  }

  return {
    frame({ n, t, s, p }) {
      if (listeners.size === 0) return
      const source = s === undefined ? '' : `"s":"${s}",`
      const texts = new Map(p.map((entry) => [entry[0], JSON.stringify(entry)]))
      const parts = new Map<string, Buffer>()
      for (const listener of listeners) {
        if (listener.part === '') continue
        let bytes = parts.get(listener.part)
        if (!bytes) {
          const entries =
            listener.part === '*'
              ? [...texts.values()]
              : listener.part.split(' ').flatMap((symbol) => texts.get(symbol) ?? [])
          bytes = textMessage(`{"op":"frame","n":${n},"t":${t},${source}"p":[${entries.join(',')}]}`)
          parts.set(listener.part, bytes)
        }
        sendEncoded(listener, bytes)
      }
    },
    sendToUser,
    sendToChat,
    inChat: (chatId) => byChat.has(chatId),
    users: () => [...byUser.keys()],
    listening: (userIds) => (byUser.size === 0 ? [] : userIds.filter((userId) => byUser.has(userId))),
    endSessions(sessionIds) {
      const ended = new Set(sessionIds)
      for (const listener of listeners) {
        if (listener.who && ended.has(listener.who.sessionId))
          listener.socket.close(CLOSE.sessionEnded, 'the session has ended')
      }
    },
    gap(withinMs = spreadOver(byUser.size)) {
      for (const user of byUser.values()) {
        if (gaps.has(user)) continue
        const readAgain = () => {
          gaps.delete(user)
          user.writes.flush()
          user.seq++
          const text = JSON.stringify({ op: 'ready', seq: user.seq })
          for (const listener of user.listeners) send(listener, text)
        }
        gaps.set(user, setTimeout(readAgain, Math.random() * withinMs))
      }
    },
    count: () => listeners.size,
    async drain(withinMs = spreadOver(listeners.size)) {
      draining = true
      const open = [...listeners]
      await Promise.all(
        open.map(async ({ socket, who }) => {
          const closed = new Promise((resolve) => socket.once('close', resolve))
          if (socket.readyState === socket.CLOSED) return
          const turn = setTimeout(() => {
            if (who) byUser.get(who.userId)?.writes.flush()
            socket.close(CLOSE.restarting, RESTARTING)
          }, Math.random() * withinMs)
          const patience = setTimeout(() => socket.terminate(), withinMs + CLOSE_WITHIN_MS)
          await closed
          clearTimeout(turn)
          clearTimeout(patience)
        }),
      )
      clearInterval(heartbeat)
      for (const timer of gaps.values()) clearTimeout(timer)
    },
  }
}

const RESTARTING = 'the server restarts'
const spreadOver = (clients: number) => Math.min(SPREAD_MS.most, SPREAD_MS.each * clients)

/**
 * Where a user's message numbers begin when they connect (Unix microseconds). They may have connected before, and
 * messages sent since may have reached no socket: a number that was never used shows the client that, and it reloads
 * its lists.
 */
const firstSeq = () => Date.now() * 1_000
