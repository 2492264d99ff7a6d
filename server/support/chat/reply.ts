import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import type { Tx } from '../../platform/database/db.ts'
import { composeMail } from '../../platform/mail/index.ts'
import { news } from './news.ts'
import type { Chats } from './receive.ts'
import { addMessage, type ChatRow, close, findChat } from './store.ts'

/** Adds the desk's reply; see `Chat.answer`. */
export async function answer(
  { deps, parties }: Chats,
  tx: Tx,
  who: { operatorId: bigint },
  chatId: bigint,
  text: string,
): Promise<{ mailed: boolean }> {
  const before = await findChat(tx, { id: chatId })
  if (!before || before.status === 'Closed') throw closed()
  const message = await addMessage(tx, chatId, { text, operatorId: who.operatorId })
  const chat: ChatRow = { ...before, answered: true }
  const ref = { id: chatId, userId: chat.user_id }
  const mailed = chat.email !== null && !(await parties.whoIsHere([ref])).has(chatId)
  if (mailed) {
    const draft = {
      to: must(chat.email),
      subject: `Your chat with ${deps.brand}`,
      budget: 'reply' as const,
      paragraphs: text.split(/\n{2,}/),
      after: ['This is our reply to your live chat. You can continue the conversation there at any time.'],
    }
    await deps.mail.enqueue(tx, composeMail(draft, deps.brand))
  }
  tx.afterCommit(async () => parties.sendNews(ref, await news(deps, chat, [message], true)))
  return { mailed }
}

/** Closes a conversation; see `Chat.close`. */
export async function closeChat({ deps, parties }: Chats, tx: Tx, chatId: bigint): Promise<void> {
  const chat = await findChat(tx, { id: chatId })
  if (!chat || !(await close(tx, chatId))) throw closed()
  const ref = { id: chatId, userId: chat.user_id }
  tx.afterCommit(async () => parties.sendNews(ref, await news(deps, { ...chat, status: 'Closed' }, [], true)))
}

/** Reports that the operator is typing. */
export async function operatorTypes({ deps, parties }: Chats, chatId: bigint): Promise<void> {
  const chat = await findChat(deps.db, { id: chatId })
  if (chat?.status !== 'Open') return
  const data = await news(deps, { ...chat, answered: true }, [], true)
  parties.sendNews({ id: chatId, userId: chat.user_id }, { ...data, typing: true })
}

const closed = () => new Problem('wrong_state', 'This conversation is closed.')
