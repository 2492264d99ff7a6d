import type { UserMessage } from '#contract/messages/push.ts'
import type { Bus } from '../bus/index.ts'
import type { Tx } from '../database/db.ts'

/** A message for a user, before it is numbered. */
export type UserNews = UserMessage extends infer M ? (M extends UserMessage ? Omit<M, 'seq'> : never) : never

export interface PushTopics {
  'user-news': { userId: string; news: UserNews }
}

/** Sends messages to a user's open screens, on whichever nodes their sockets are. A lost one is found in the lists. */
export interface Push {
  sendToUser(userId: bigint, news: UserNews): void
  /** Sends once the transaction has committed. */
  afterCommit(tx: Tx, userId: bigint, news: UserNews): void
}

export function openPush(bus: Pick<Bus<PushTopics>, 'publish'>): Push {
  const sendToUser: Push['sendToUser'] = (userId, news) => bus.publish('user-news', { userId: String(userId), news })
  return { sendToUser, afterCommit: (tx, userId, news) => tx.afterCommit(() => sendToUser(userId, news)) }
}
