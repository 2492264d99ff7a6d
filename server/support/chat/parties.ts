import { type ChatNews, TYPING_MS } from '#contract/messages/chat.ts'
import type { Bus } from '../../platform/bus/index.ts'
import type { Push } from '../../platform/sockets/push.ts'
import type { Sockets } from '../../platform/sockets/sockets.ts'

/** A conversation and the trader it belongs to; null for a visitor's. */
export type ChatOwner = { id: bigint; userId: bigint | null }

export interface ChatTopics {
  /** News of a visitor's conversation. */
  'chat-news': { chatId: string; data: ChatNews }
  /** The other side of a conversation is typing. */
  'chat-typing': { chatId: string }
}

export interface ChatQuestions {
  /** Which of these conversations have their trader or visitor connected to this node? */
  'chats-here': { question: { id: string; userId: string | null }[]; answer: string[] }
}

/** How long a node may take to say who is connected to it. */
const PRESENCE_MS = 300

/** The traders and visitors of conversations, on all nodes. */
export interface Parties {
  /** Pushes news to everyone connected to a conversation: a trader's sockets, or a visitor's. */
  sendNews(chat: ChatOwner, data: ChatNews): void
  /** Returns those conversations whose trader or visitor is connected, to whichever node. */
  whoIsHere(chats: readonly ChatOwner[]): Promise<Set<bigint>>
  /** Whether the trader or visitor is typing. */
  isTyping(chatId: bigint): boolean
  /** The message that they typed has arrived. */
  hasWritten(chatId: bigint): void
}

export function openParties(deps: {
  bus: Bus<ChatTopics, ChatQuestions>
  push: Pick<Push, 'sendToUser'>
  /** The sockets that are open on this node. */
  sockets: Pick<Sockets, 'sendToChat' | 'inChat' | 'listening'>
}): Parties {
  const { bus, push, sockets } = deps
  /** When the visitor of a conversation last reported typing. */
  const typing = new Map<bigint, number>()

  bus.subscribe('chat-news', ({ chatId, data }) => sockets.sendToChat(BigInt(chatId), data))
  bus.subscribe('chat-typing', ({ chatId }) => noteTyping(BigInt(chatId)))
  bus.answer('chats-here', async (chats) =>
    chats
      .filter(({ id, userId }) =>
        userId === null ? sockets.inChat(BigInt(id)) : sockets.listening([BigInt(userId)]).length > 0,
      )
      .map(({ id }) => id),
  )

  function noteTyping(chatId: bigint): void {
    const now = performance.now()
    for (const [id, at] of typing) if (now - at > TYPING_MS) typing.delete(id)
    typing.set(chatId, now)
  }

  return {
    sendNews: ({ id, userId }, data) =>
      userId === null
        ? bus.publish('chat-news', { chatId: String(id), data })
        : push.sendToUser(userId, { op: 'chat', data }),
    async whoIsHere(chats) {
      if (chats.length === 0) return new Set()
      const named = chats.map(({ id, userId }) => ({ id: String(id), userId: userId === null ? null : String(userId) }))
      const answers = await bus.ask('chats-here', named, {
        patienceMs: PRESENCE_MS,
        isEnough: (here) => here.length === chats.length,
      })
      return new Set(answers.flat().map(BigInt))
    },
    isTyping: (chatId) => performance.now() - (typing.get(chatId) ?? Number.NEGATIVE_INFINITY) < TYPING_MS,
    hasWritten: (chatId) => void typing.delete(chatId),
  }
}
