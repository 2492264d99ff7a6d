import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ChatNews } from '#contract/messages/chat.ts'
import { CLOSE } from '#contract/messages/push.ts'
import { Problem } from '#contract/problem.ts'
import { networkOf } from '../http/limits/network.ts'
import { startHeartbeat } from './heartbeat.ts'
import { createLastSent, type LastSent } from './last-sent.ts'
import { newListener, refuse } from './listener.ts'
import { closeAll, closeForRestart, createReadAgain } from './move-clients.ts'
import { createProtocol, type ProtocolDeps, sendToChat } from './protocol.ts'
import type { UserNews } from './push.ts'
import { createRegistry, type Registry } from './registry.ts'
import { type PushedFrame, sendFrame } from './send-frame.ts'
import { textMessage } from './socket-messages.ts'

/** The open sockets of this node: who subscribes to which prices, and which user's messages go where. */
export interface Sockets {
  /** Sends each subscriber its part of a frame; each distinct part is serialised once. */
  frame(frame: PushedFrame): void
  /** Sends messages to a user's sockets, numbered without gaps; those of a busy user in few writes. */
  sendToUser(userId: bigint, ...news: UserNews[]): void
  /** Sends updates of a visitor's conversation to its sockets. */
  sendToChat(chatId: bigint, data: ChatNews): void
  /** Whether a socket is subscribed to a visitor's conversation. */
  inChat(chatId: bigint): boolean
  /** Returns which of these users to send a message to: those with a socket open. The others count as having missed it. */
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

interface SocketsDeps extends ProtocolDeps {
  app: FastifyInstance
  isOurOrigin(origin: string): boolean
  /** Called when the first socket opens, and every half minute while any is open. */
  watched(): void
  /** Multiplies the limits on open sockets; undefined turns them off. */
  rateFactor: number | undefined
}

/** Maximum sockets without a session per network, of which the oldest makes room, and with a session per user. */
const VISITOR_SOCKETS = 200
const USER_SOCKETS = 30

export function openSockets(deps: SocketsDeps): Sockets {
  const registry = createRegistry()
  const { listeners, byUser, byChat } = registry
  const lastSent = createLastSent()
  const readAgain = createReadAgain(registry, deps)
  const heartbeat = startHeartbeat(listeners, () => deps.watched())
  let draining = false
  serveStream(registry, { ...deps, lastSent }, () => draining)

  return {
    frame: (frame) => sendFrame(listeners, frame),
    sendToUser(userId, ...news) {
      lastSent.sent(userId)
      const user = byUser.get(userId)
      user?.writes.add(news.map((one) => textMessage(JSON.stringify({ ...one, seq: ++user.seq }))))
    },
    sendToChat: (chatId, data) => sendToChat(registry, chatId, data),
    inChat: (chatId) => byChat.has(chatId),
    users: () => [...byUser.keys()],
    listening(userIds) {
      for (const userId of userIds) lastSent.sent(userId)
      return byUser.size === 0 ? [] : userIds.filter((userId) => byUser.has(userId))
    },
    endSessions(sessionIds) {
      const ended = new Set(sessionIds)
      for (const listener of listeners) {
        if (listener.who && ended.has(listener.who.sessionId))
          listener.socket.close(CLOSE.sessionEnded, 'the session has ended')
      }
    },
    gap(withinMs) {
      lastSent.sentToAnyone()
      readAgain.all(withinMs)
    },
    count: () => listeners.size,
    async drain(withinMs) {
      draining = true
      await closeAll(registry, withinMs)
      clearInterval(heartbeat)
      readAgain.stop()
    },
  }
}

/** Serves `GET /api/stream`. */
function serveStream(registry: Registry, deps: SocketsDeps & { lastSent: LastSent }, isDraining: () => boolean): void {
  const factor = deps.rateFactor ?? Number.POSITIVE_INFINITY
  const receive = createProtocol(registry, deps, USER_SOCKETS * factor)

  /** Every socket arrives without a session: a stranger who fills a network must not keep its traders' out. */
  function makeRoom(network: string): void {
    const visitors = registry.visitorsIn(network)
    for (const oldest of visitors) {
      if (visitors.size < VISITOR_SOCKETS * factor) return
      registry.remove(oldest)
      oldest.socket.terminate()
    }
  }

  async function preValidation(request: FastifyRequest): Promise<void> {
    if (isDraining())
      throw new Problem('unavailable', 'This server is restarting. Try again shortly.', { retryAfterSeconds: 1 })
    const { origin } = request.headers
    if (origin !== undefined && !deps.isOurOrigin(origin))
      throw new Problem('forbidden', "Connections from this page aren't allowed.")
  }

  deps.app.get('/api/stream', { websocket: true, preValidation }, (socket, request) => {
    const { ip } = request
    const listener = newListener({ socket, connection: request.raw.socket, ip, network: networkOf(ip) })
    // Its upgrade was under way when draining began.
    if (isDraining()) return closeForRestart(socket)
    makeRoom(listener.network)
    registry.add(listener)
    if (registry.listeners.size === 1) deps.watched()
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
    socket.on('close', () => registry.remove(listener))
  })
}
