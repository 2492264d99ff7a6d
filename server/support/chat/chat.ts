import type { ChatSaying } from '#contract/messages/chat.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { ChatAnswer, Speaker } from '../../platform/sockets/socket-messages.ts'
import { chatLimits } from './limits.ts'
import type { ChatDeps } from './news.ts'
import { type ChatOwner, openParties } from './parties.ts'
import { type Chats, receive } from './receive.ts'
import { answer, closeChat, operatorTypes } from './reply.ts'

export type { ChatQuestions, ChatTopics } from './parties.ts'

/** The live chat between visitors or traders and the desk. */
export interface Chat {
  receive(speaker: Speaker, saying: ChatSaying): Promise<ChatAnswer | undefined>
  /**
   * Adds the desk's reply in its transaction. It is pushed after the commit, or e-mailed if the other side is offline.
   */
  answer(tx: Tx, who: { operatorId: bigint }, chatId: bigint, text: string): Promise<{ mailed: boolean }>
  /** Closes a conversation in the caller's transaction. Throws `wrong_state` when it is already closed. */
  close(tx: Tx, chatId: bigint): Promise<void>
  /** Reports that the operator is typing. */
  operatorTypes(chatId: bigint): Promise<void>
  /** Whether the trader or visitor is typing. */
  isTyping(chatId: bigint): boolean
  /** Returns those conversations whose trader or visitor is connected, to whichever node. */
  whoIsHere(chats: readonly ChatOwner[]): Promise<Set<bigint>>
}

export function openChat(deps: ChatDeps): Chat {
  const parties = openParties(deps)
  const chats: Chats = { deps, limits: chatLimits(deps.rateLimits), parties }
  return {
    receive: (speaker, saying) => receive(chats, speaker, saying),
    answer: (tx, who, chatId, text) => answer(chats, tx, who, chatId, text),
    close: (tx, chatId) => closeChat(chats, tx, chatId),
    operatorTypes: (chatId) => operatorTypes(chats, chatId),
    isTyping: parties.isTyping,
    whoIsHere: parties.whoIsHere,
  }
}
