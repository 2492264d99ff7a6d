import type { ChatMessage, ChatNews } from '#contract/messages/chat.ts'
import type { Bus } from '../../platform/bus/index.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts'
import type { Outbox } from '../../platform/mail/index.ts'
import type { Push } from '../../platform/sockets/push.ts'
import type { Sockets } from '../../platform/sockets/sockets.ts'
import type { ChatQuestions, ChatTopics } from './parties.ts'
import type { ChatRow } from './store.ts'

export interface ChatDeps {
  db: Db
  brand: string
  /** The display name of operators who answer: one for the whole desk, never an operator's own. */
  deskName: string
  /** Receives conversations while no operator is online. */
  supportEmail: string
  mail: Outbox
  rateLimits: RateLimits
  /** Whether an operator who may answer is online. */
  deskIsHere(db: Db | Tx): Promise<boolean>
  bus: Bus<ChatTopics, ChatQuestions>
  push: Pick<Push, 'sendToUser'>
  /** The sockets that are open on this node. */
  sockets: Pick<Sockets, 'sendToChat' | 'inChat' | 'listening'>
}

/** The state before the first message. */
const NOBODY: ChatNews = { status: 'None', desk: 'away', operator: null, typing: false, email: null, messages: [] }

/** Returns what a conversation's sockets are sent. */
export async function news(
  { db, deskIsHere, deskName }: ChatDeps,
  chat: ChatRow | undefined,
  messages: ChatMessage[],
  isHere?: boolean,
): Promise<ChatNews> {
  const desk = (isHere ?? (await deskIsHere(db))) ? 'here' : 'away'
  if (!chat) return { ...NOBODY, desk }
  const { status, email, answered } = chat
  return { status, desk, operator: answered ? deskName : null, typing: false, email, messages }
}
