import type { ChatNews, ChatSaying } from '#contract/messages/chat.ts'
import { CLOSE, MAX_MESSAGES_PER_SECOND } from '#contract/messages/push.ts'
import { Problem } from '#contract/problem.ts'
import type { Ms } from '#kernel/time.ts'
import type { Who } from '../http/index.ts'
import type { Log } from '../process/log.ts'
import type { LastSent } from './last-sent.ts'
import { type Listener, refuse, send } from './listener.ts'
import type { Registry } from './registry.ts'
import { type ChatAnswer, readMessage, type Speaker } from './socket-messages.ts'

export interface ProtocolDeps {
  authenticate(token: string): Promise<Who | undefined>
  isSymbol(symbol: string): boolean
  /** What every screen shows; undefined if nothing. */
  maintenance?(): string | undefined
  /** Handles chat messages; returns the conversation whose updates the visitor's socket receives from then on. */
  chat(speaker: Speaker, saying: ChatSaying): Promise<ChatAnswer | undefined>
  log: Log
}

/** Returns the function that handles a client's message: sign-in, subscriptions, chat and pings. */
export function createProtocol(
  registry: Registry,
  deps: ProtocolDeps & { lastSent: Pick<LastSent, 'quietMs'> },
  userSocketsMax: number,
): (listener: Listener, text: string | undefined) => Promise<void> {
  return async (listener, text) => {
    if (isFlooding(listener)) {
      listener.socket.close(CLOSE.flooding, 'too many messages')
      return
    }
    const message = readMessage(text)
    switch (message.op) {
      case 'malformed':
        return refuse(listener, message.op, message.reason, message.said)
      case 'ping':
        return send(listener, '{"op":"pong"}')
      case 'auth':
        return authenticate(listener, message.token)
      case 'subscribe':
      case 'unsubscribe':
        return subscribe(listener, message, deps.isSymbol)
      case 'chat':
        listener.chatTurn = listener.chatTurn.then(() => chat(registry, deps, listener, message))
        return listener.chatTurn
    }
  }

  async function authenticate(listener: Listener, token: string): Promise<void> {
    const who = await deps.authenticate(token)
    if (!who) {
      refuse(listener, 'unauthenticated', 'Please sign in.')
      listener.socket.close(CLOSE.sessionEnded, 'no active session')
      return
    }
    if (listener.socket.readyState !== listener.socket.OPEN) return
    registry.leaveUser(listener)
    registry.leaveChat(listener)
    const user = registry.userOf(who.userId)
    if (user.listeners.size >= userSocketsMax) {
      refuse(listener, 'too_many_requests', 'Your account has too many connections open. Close some and try again.')
      listener.socket.close(CLOSE.flooding, 'too many sockets of one user')
      return
    }
    // This socket begins after the messages that wait.
    user.writes.flush()
    registry.joinUser(listener, who, user)
    send(listener, readyText({ seq: user.seq, quietMs: deps.lastSent.quietMs(who.userId) }, deps))
  }
}

/**
 * Returns the message that makes a client read its lists, unless nothing was sent since it did, and show the maintenance
 * notice or take it away.
 */
export const readyText = (
  { seq, quietMs }: { seq: number; quietMs: Ms },
  { maintenance }: Pick<ProtocolDeps, 'maintenance'>,
): string => JSON.stringify({ op: 'ready', seq, quiet_ms: quietMs, maintenance: maintenance?.() })

/** Counts a message. */
function isFlooding(listener: Listener): boolean {
  const now = performance.now()
  if (now - listener.countedSince >= 1_000) {
    listener.countedSince = now
    listener.messages = 0
  }
  return ++listener.messages > MAX_MESSAGES_PER_SECOND
}

function subscribe(
  listener: Listener,
  message: { op: 'subscribe' | 'unsubscribe'; symbols: string[] },
  isSymbol: (symbol: string) => boolean,
): void {
  const unknown = message.symbols.find((symbol) => symbol !== '*' && !isSymbol(symbol))
  // One reply per message, however many symbols are wrong: a reply for each would amplify the input.
  if (unknown !== undefined) refuse(listener, 'not_found', `Symbol ${unknown.slice(0, 20)} not found.`)
  for (const symbol of message.symbols) {
    if (symbol !== '*' && !isSymbol(symbol)) continue
    if (message.op === 'subscribe') listener.symbols.add(symbol)
    else listener.symbols.delete(symbol)
  }
  listener.part = listener.symbols.has('*') ? '*' : [...listener.symbols].sort().join(' ')
}

async function chat(registry: Registry, deps: ProtocolDeps, listener: Listener, saying: ChatSaying): Promise<void> {
  try {
    const { who, ip, chatId } = listener
    const answer = await deps.chat({ userId: who?.userId, chatId, ip }, saying)
    if (!answer || listener.who !== who) return
    if (!who && answer.chatId !== undefined) registry.joinChat(listener, answer.chatId)
    send(listener, JSON.stringify({ op: 'chat', data: answer.data }))
    if (answer.others && answer.chatId !== undefined) sendToChat(registry, answer.chatId, answer.others, listener)
  } catch (error) {
    if (!(error instanceof Problem)) deps.log.warn({ error: String(error) }, 'a chat message failed')
    const { code, message } =
      error instanceof Problem
        ? error
        : { code: 'unavailable', message: "We couldn't send that. Try again in a moment." }
    const { text, email } = saying
    refuse(listener, code, message, { text, email })
  }
}

/** Sends updates of a visitor's conversation to its sockets. */
export function sendToChat({ byChat }: Registry, chatId: bigint, data: ChatNews, except?: Listener): void {
  const members = byChat.get(chatId)
  if (!members) return
  const text = JSON.stringify({ op: 'chat', data })
  for (const listener of members) if (listener !== except) send(listener, text)
}
