import type { ChatSaying } from '#contract/messages/chat.ts'
import { last, must } from '#kernel/must.ts'
import { hashOf, newSecret } from '../../identity/index.ts'
import { type Db, inTransaction, type Tx } from '../../platform/database/db.ts'
import { composeMail } from '../../platform/mail/index.ts'
import type { ChatAnswer, Speaker } from '../../platform/sockets/socket-messages.ts'
import { type ChatLimits, isFree, senderOf } from './limits.ts'
import { type ChatDeps, news } from './news.ts'
import type { Parties } from './parties.ts'
import { addMessage, beginChat, type ChatRow, findChat, history, setEmail, setMailed, unmailed } from './store.ts'

/** What both sides of all conversations share. */
export interface Chats {
  deps: ChatDeps
  limits: ChatLimits
  parties: Parties
}

const chatOf = (db: Db, { userId, chatId }: Speaker, token: string | undefined) =>
  userId !== undefined
    ? findChat(db, { userId })
    : token !== undefined
      ? findChat(db, { token })
      : chatId !== undefined
        ? findChat(db, { id: chatId })
        : Promise.resolve(undefined)

/** Handles what a visitor or trader sends. Returns the answer to their socket, if there is one. */
export async function receive(chats: Chats, speaker: Speaker, saying: ChatSaying): Promise<ChatAnswer | undefined> {
  const { bus, db } = chats.deps
  const { limits } = chats
  const sender = senderOf(speaker)
  if (saying.text === undefined) limits.asksOfSender.take(sender)
  const chat = await chatOf(db, speaker, saying.token)
  if (saying.typing && saying.text === undefined) {
    if (chat) bus.publish('chat-typing', { chatId: String(chat.id) })
    return undefined
  }
  if (saying.text !== undefined) return say(chats, speaker, saying, saying.text, chat)
  if (chat && saying.email !== undefined && chat.user_id === null) return leaveEmail(chats, chat, saying.email, speaker)
  const messages = chat && mayReadHistory(limits, chat, sender) ? await history(db, chat.id) : []
  return { chatId: chat?.id, data: await news(chats.deps, chat, messages) }
}

/** Over the limit, the response omits messages; clients keep the ones they have. */
function mayReadHistory(limits: ChatLimits, chat: ChatRow, sender: string): boolean {
  if (!isFree(limits.histories, String(chat.id)) || !isFree(limits.historiesOfSender, sender)) return false
  limits.histories.count(String(chat.id))
  limits.historiesOfSender.count(sender)
  return true
}

async function say(
  chats: Chats,
  speaker: Speaker,
  saying: ChatSaying,
  text: string,
  known: ChatRow | undefined,
): Promise<ChatAnswer | undefined> {
  const { deps, limits, parties } = chats
  const { userId } = speaker
  const sender = senderOf(speaker)
  limits.wordsOfSender.take(sender)
  if (known) limits.words.take(String(known.id))
  else limits.begun.take(sender)
  const secret = known || userId !== undefined ? undefined : newSecret()
  const { chat, message, isHere } = await inTransaction(deps.db, async (tx) => {
    const id =
      known?.id ?? (await beginChat(tx, userId === undefined ? { tokenHash: hashOf(must(secret)) } : { userId }))
    const added = await addMessage(tx, id, { text, operatorId: null })
    if (saying.email !== undefined) await setEmail(tx, id, saying.email)
    const here = await deps.deskIsHere(tx)
    const row = must(await findChat(tx, { id }))
    if (!here) await writeToSupport(chats, tx, row)
    return { chat: row, message: added, isHere: here }
  })
  parties.hasWritten(chat.id)
  const data = await news(deps, chat, [message], isHere)
  if (!known) limits.words.count(String(chat.id))
  if (userId !== undefined) {
    // Push to all of the trader's windows, including the sender's: message ids prevent duplicates.
    parties.sendNews({ id: chat.id, userId }, data)
    return undefined
  }
  // The visitor's other windows: those here with the answer, those on other nodes by the bus.
  deps.bus.publishToOthers('chat-news', { chatId: String(chat.id), data })
  return { chatId: chat.id, data: secret === undefined ? data : { ...data, token: secret }, others: data }
}

/**
 * Stores the e-mail address for replies to a visitor, and mails their messages to support to be answered from there.
 */
async function leaveEmail(chats: Chats, chat: ChatRow, email: string, speaker: Speaker) {
  const { deps, limits } = chats
  limits.wordsOfSender.take(senderOf(speaker))
  const left = { ...chat, email }
  const isHere = await inTransaction(deps.db, async (tx) => {
    await setEmail(tx, chat.id, email)
    const here = await deps.deskIsHere(tx)
    if (!here) await writeToSupport(chats, tx, left)
    return here
  })
  return { chatId: chat.id, data: await news(deps, left, [], isHere) }
}

/** E-mails support the messages it has not received yet, once there is an address to reply to. */
async function writeToSupport({ deps, limits }: Chats, tx: Tx, chat: ChatRow): Promise<void> {
  if (chat.email === null || !isFree(limits.mails, String(chat.id))) return
  const words = await unmailed(tx, chat)
  if (words.length === 0) return
  limits.mails.count(String(chat.id))
  // Never put visitor input into e-mail headers.
  const draft = {
    to: deps.supportEmail,
    subject: `Chat ${chat.id} is waiting for a reply`,
    budget: 'none' as const,
    paragraphs: [`${chat.email} wrote while no one was at the desk:`, ...words.map(({ text }) => text)],
    after: ['Reply at the desk, under Chats. Your reply is e-mailed to this address.'],
  }
  await deps.mail.enqueue(tx, composeMail(draft, deps.brand))
  await setMailed(tx, chat.id, last(words).id)
}
