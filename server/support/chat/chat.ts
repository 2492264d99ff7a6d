import { type ChatMessage, type ChatNews, type ChatSaying, TYPING_MS } from '#contract/chat.ts'
import { Problem } from '#contract/problem.ts'
import { HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { hashOf, newSecret } from '../../identity/index.ts'
import type { Bus } from '../../platform/bus/index.ts'
import { type Db, inTransaction, type Tx } from '../../platform/database/db.ts'
import { networkOf } from '../../platform/http/network.ts'
import type { RateLimit, RateLimits } from '../../platform/http/rate-limit.ts'
import { composeMail, type Outbox } from '../../platform/mail/index.ts'
import type { Push } from '../../platform/sockets/push.ts'
import type { ChatAnswer, Speaker } from '../../platform/sockets/socket-messages.ts'
import type { Sockets } from '../../platform/sockets/sockets.ts'
import {
  addMessage,
  beginChat,
  type ChatRow,
  close,
  findChat,
  history,
  setEmail,
  setMailed,
  unmailed,
} from './store.ts'

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

/** A conversation and the trader it belongs to; null for a visitor's. */
type ChatOwner = { id: bigint; userId: bigint | null }

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

/** The state before the first message. */
const NOBODY: ChatNews = { status: 'None', desk: 'away', operator: null, typing: false, email: null, messages: [] }

export function openChat(deps: ChatDeps): Chat {
  const { db, bus, push, sockets } = deps
  const limit = (name: string, max: number, windowMs: number) =>
    deps.rateLimits(`chat ${name}`, {
      max,
      windowMs,
      message: 'You are sending messages too quickly. Wait a moment and try again.',
    })
  const limits = {
    words: limit('words', 20, MINUTE_MS),
    wordsFromNetwork: limit('words of a network', 200, 10 * MINUTE_MS),
    /** Everything but messages: state requests, typing, an e-mail address. */
    asksFromNetwork: limit('asks', 300, MINUTE_MS),
    /** A history is up to a thousand times larger than the request for it. */
    histories: limit('histories', 10, MINUTE_MS),
    historiesFromNetwork: limit('histories of a network', 30, MINUTE_MS),
    begun: limit('begun', 20, HOUR_MS),
    mails: limit('e-mails', 6, HOUR_MS),
  }
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

  /** Pushes news to everyone connected to a conversation: a trader's sockets, or a visitor's. */
  const sendNews = ({ id, userId }: ChatOwner, data: ChatNews) =>
    userId === null
      ? bus.publish('chat-news', { chatId: String(id), data })
      : push.sendToUser(userId, { op: 'chat', data })

  async function whoIsHere(chats: readonly ChatOwner[]): Promise<Set<bigint>> {
    if (chats.length === 0) return new Set()
    const named = chats.map(({ id, userId }) => ({ id: String(id), userId: userId === null ? null : String(userId) }))
    const answers = await bus.ask('chats-here', named, {
      patienceMs: PRESENCE_MS,
      isEnough: (here) => here.length === chats.length,
    })
    return new Set(answers.flat().map(BigInt))
  }

  const chatOf = ({ userId, chatId }: Speaker, token: string | undefined) =>
    userId !== undefined
      ? findChat(db, { userId })
      : token !== undefined
        ? findChat(db, { token })
        : chatId !== undefined
          ? findChat(db, { id: chatId })
          : Promise.resolve(undefined)

  async function receive(speaker: Speaker, saying: ChatSaying): Promise<ChatAnswer | undefined> {
    const network = networkOf(speaker.ip)
    if (saying.text === undefined) limits.asksFromNetwork.take(network)
    const chat = await chatOf(speaker, saying.token)
    if (saying.typing && saying.text === undefined) {
      if (chat) bus.publish('chat-typing', { chatId: String(chat.id) })
      return undefined
    }
    if (saying.text !== undefined) return say(speaker, saying, saying.text, chat)
    if (chat && saying.email !== undefined && chat.user_id === null) return leaveEmail(chat, saying.email, speaker)
    const messages = chat && mayReadHistory(chat, network) ? await history(db, chat.id) : []
    return { chatId: chat?.id, data: await news(chat, messages) }
  }

  /** Over the limit, the response omits messages; clients keep the ones they have. */
  function mayReadHistory(chat: ChatRow, network: string): boolean {
    if (!isFree(limits.histories, String(chat.id)) || !isFree(limits.historiesFromNetwork, network)) return false
    limits.histories.count(String(chat.id))
    limits.historiesFromNetwork.count(network)
    return true
  }

  async function say(
    speaker: Speaker,
    saying: ChatSaying,
    text: string,
    known: ChatRow | undefined,
  ): Promise<ChatAnswer | undefined> {
    const { userId, ip } = speaker
    limits.wordsFromNetwork.take(networkOf(ip))
    if (known) limits.words.take(String(known.id))
    else limits.begun.take(userId === undefined ? networkOf(ip) : `user ${userId}`)
    const secret = known || userId !== undefined ? undefined : newSecret()
    const { chat, message, isHere } = await inTransaction(db, async (tx) => {
      const id = known?.id ?? (await beginChat(tx, userId === undefined ? { tokenHash: hashOf(secret!) } : { userId }))
      const added = await addMessage(tx, id, { text, operatorId: null })
      if (saying.email !== undefined) await setEmail(tx, id, saying.email)
      const here = await deps.deskIsHere(tx)
      const row = (await findChat(tx, { id }))!
      if (!here) await writeToSupport(tx, row)
      return { chat: row, message: added, isHere: here }
    })
    typing.delete(chat.id)
    const data = await news(chat, [message], isHere)
    if (!known) limits.words.count(String(chat.id))
    if (userId !== undefined) {
      // Push to all of the trader's windows, including the sender's: message ids prevent duplicates.
      sendNews({ id: chat.id, userId }, data)
      return undefined
    }
    // The visitor's other windows: those here with the answer, those on other nodes by the bus.
    bus.publishToOthers('chat-news', { chatId: String(chat.id), data })
    return { chatId: chat.id, data: secret === undefined ? data : { ...data, token: secret }, others: data }
  }

  /**
   * Stores the e-mail address for replies to a visitor, and mails their messages to support to be answered from there.
   */
  async function leaveEmail(chat: ChatRow, email: string, { ip }: Speaker) {
    limits.wordsFromNetwork.take(networkOf(ip))
    const left = { ...chat, email }
    const isHere = await inTransaction(db, async (tx) => {
      await setEmail(tx, chat.id, email)
      const here = await deps.deskIsHere(tx)
      if (!here) await writeToSupport(tx, left)
      return here
    })
    return { chatId: chat.id, data: await news(left, [], isHere) }
  }

  /** E-mails support the messages it has not received yet, once there is an address to reply to. */
  async function writeToSupport(tx: Tx, chat: ChatRow): Promise<void> {
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
    await setMailed(tx, chat.id, words.at(-1)!.id)
  }

  async function news(chat: ChatRow | undefined, messages: ChatMessage[], isHere?: boolean): Promise<ChatNews> {
    const desk = (isHere ?? (await deps.deskIsHere(db))) ? 'here' : 'away'
    if (!chat) return { ...NOBODY, desk }
    const { status, email, answered } = chat
    return { status, desk, operator: answered ? deps.deskName : null, typing: false, email, messages }
  }

  function noteTyping(chatId: bigint): void {
    const now = performance.now()
    for (const [id, at] of typing) if (now - at > TYPING_MS) typing.delete(id)
    typing.set(chatId, now)
  }

  return {
    receive,
    async answer(tx, who, chatId, text) {
      const before = await findChat(tx, { id: chatId })
      if (!before || before.status === 'Closed') throw closed()
      const message = await addMessage(tx, chatId, { text, operatorId: who.operatorId })
      const chat: ChatRow = { ...before, answered: true }
      const ref = { id: chatId, userId: chat.user_id }
      const mailed = chat.email !== null && !(await whoIsHere([ref])).has(chatId)
      if (mailed) {
        const draft = {
          to: chat.email!,
          subject: `Your chat with ${deps.brand}`,
          budget: 'reply' as const,
          paragraphs: text.split(/\n{2,}/),
          after: ['This is our reply to your live chat. You can continue the conversation there at any time.'],
        }
        await deps.mail.enqueue(tx, composeMail(draft, deps.brand))
      }
      tx.afterCommit(async () => sendNews(ref, await news(chat, [message], true)))
      return { mailed }
    },
    async close(tx, chatId) {
      const chat = await findChat(tx, { id: chatId })
      if (!chat || !(await close(tx, chatId))) throw closed()
      const ref = { id: chatId, userId: chat.user_id }
      tx.afterCommit(async () => sendNews(ref, await news({ ...chat, status: 'Closed' }, [], true)))
    },
    async operatorTypes(chatId) {
      const chat = await findChat(db, { id: chatId })
      if (chat?.status !== 'Open') return
      const data = await news({ ...chat, answered: true }, [], true)
      sendNews({ id: chatId, userId: chat.user_id }, { ...data, typing: true })
    },
    isTyping: (chatId) => performance.now() - (typing.get(chatId) ?? Number.NEGATIVE_INFINITY) < TYPING_MS,
    whoIsHere,
  }
}

function isFree(limit: RateLimit, key: string): boolean {
  try {
    limit.check(key)
    return true
  } catch {
    return false
  }
}

const closed = () => new Problem('wrong_state', 'This conversation is closed.')
