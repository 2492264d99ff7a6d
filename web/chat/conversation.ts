import type { ChatMessage, ChatNews, ChatSaid, ChatSaying } from '#contract/messages/chat.ts'

export interface ConversationState {
  /** Whether the chat is connected at the moment. */
  connected: boolean
  /** Whether the server has sent the current state. */
  known: boolean
  desk: ChatNews['desk']
  status: ChatNews['status']
  operator: string | null
  /** Above 0 while the operator is typing; a new number with every typing event. */
  typing: number
  email: string | null
  messages: readonly ChatMessage[]
  /** Sent here, and not yet confirmed by the server. */
  waiting: readonly string[]
  /** Number of unread messages from the desk. */
  unread: number
  /** What is typed and not sent. */
  typed: string
  /** Why the last message was rejected. */
  problem: string
  /** Why the address for replies was rejected. */
  emailProblem: string
}

/** What a browser stores of its conversation. Message numbers only increase, across both sides. */
export interface Kept {
  /** Only set for visitors. */
  token?: string
  /** The newest message that was seen. */
  read?: number
  /** Whether the panel was open when the page was left. */
  open?: boolean
}

interface ConversationParts {
  say(saying: Omit<ChatSaying, 'op'>): boolean
  kept(): Kept
  keep(kept: Kept): void
  isTrader(): boolean
}

/** The socket accepts no larger message. */
const MAX_BYTES = 4_000
const MAX_CHARACTERS = 4_000
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/

const NOTHING: ConversationState = {
  connected: false,
  known: false,
  desk: 'away',
  status: 'None',
  operator: null,
  typing: 0,
  email: null,
  messages: [],
  waiting: [],
  unread: 0,
  typed: '',
  problem: '',
  emailProblem: '',
}

const newest = (messages: readonly ChatMessage[]) => Math.max(0, ...messages.map(({ id }) => Number(id)))

const isTooLong = (text: string): boolean =>
  text.length > MAX_CHARACTERS || new TextEncoder().encode(JSON.stringify(text)).length > MAX_BYTES

/**
 * Adds new messages to the known ones, in order. Those of ours that arrived after `newestBefore` no longer wait.
 * `answered`: the desk wrote one of them.
 */
function withNews(state: ConversationState, news: readonly ChatMessage[], newestBefore: number) {
  const known = new Map(state.messages.map((message) => [message.id, message]))
  const added = news.filter(({ id }) => !known.has(id))
  for (const message of added) known.set(message.id, message)
  const waiting = [...state.waiting]
  for (const { from, text, id } of added) {
    const at = from === 'you' && Number(id) > newestBefore ? waiting.indexOf(text) : -1
    if (at >= 0) waiting.splice(at, 1)
  }
  return {
    messages: [...known.values()].sort((one, other) => Number(one.id) - Number(other.id)),
    waiting,
    answered: added.some(({ from }) => from === 'desk'),
  }
}

/** Creates one browser's side of a conversation: the messages, the unconfirmed ones, and the unread ones. */
export function createConversation({ say, kept, keep, isTrader }: ConversationParts) {
  let state = NOTHING
  let isShown = false
  let trader = isTrader()
  /** After a reconnect, the history shows which of our messages arrived; until it is loaded, nothing is resent. */
  let isCatchingUp = false
  let newestBefore = 0
  const listeners = new Set<() => void>()

  function set(change: Partial<ConversationState>): void {
    state = { ...state, ...change }
    for (const listener of [...listeners]) listener()
  }
  const token = () => {
    const mine = trader ? undefined : kept().token
    return mine === undefined ? {} : { token: mine }
  }
  function count(messages: readonly ChatMessage[]): number {
    if (isShown) {
      const seen = newest(messages)
      if (seen > (kept().read ?? 0)) keep({ ...kept(), read: seen })
      return 0
    }
    const read = kept().read ?? 0
    return messages.filter(({ from, id }) => from === 'desk' && Number(id) > read).length
  }

  return {
    state: () => state,
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    ready(): void {
      // Never show one user's messages to the next.
      if (isTrader() !== trader) {
        trader = isTrader()
        state = NOTHING
      }
      newestBefore = newest(state.messages)
      isCatchingUp = true
      say(token())
      set({ connected: true })
    },
    lost(): void {
      set({ connected: false, typing: 0 })
    },

    news(news: ChatNews): void {
      if (news.token !== undefined) keep({ ...kept(), token: news.token })
      // The stored conversation no longer exists: the next message starts a new one.
      if (news.status === 'None' && kept().token !== undefined && !trader) {
        const { token: _, ...rest } = kept()
        keep(rest)
      }
      const { messages, waiting, answered } = withNews(state, news.messages, newestBefore)
      set({
        known: true,
        desk: news.desk,
        status: news.status,
        operator: news.operator ?? state.operator,
        typing: news.typing && !answered ? state.typing + 1 : 0,
        email: news.email,
        messages,
        waiting,
        unread: count(messages),
      })
      if (!isCatchingUp) return
      isCatchingUp = false
      for (const text of waiting) say({ ...token(), text })
    },
    /** A rejected message goes back into its field, unless something else is typed there by now. */
    refused({ text, email }: ChatSaid, problem: string): void {
      if (text === undefined && email !== undefined) {
        set({ emailProblem: problem })
        return
      }
      const said = text ?? ''
      const at = state.waiting.lastIndexOf(said)
      set({ problem, typed: state.typed || (at < 0 ? '' : said), waiting: state.waiting.filter((_, n) => n !== at) })
    },
    stopTyping: () => set({ typing: 0 }),

    type: (typed: string) => set({ typed }),
    /** Sends what is typed, unless it's too long. */
    speak(): void {
      const text = state.typed.trim().toWellFormed()
      if (text === '') return
      if (isTooLong(text)) {
        set({ problem: 'This message is too long. Send it in shorter parts.' })
        return
      }
      set({ problem: '', typed: '', waiting: [...state.waiting, text] })
      if (state.known && !isCatchingUp) say({ ...token(), text })
    },
    leaveEmail(unchecked: string): void {
      const email = unchecked.trim()
      const emailProblem = email === '' ? 'Email must not be empty' : ADDRESS.test(email) ? '' : 'Email is invalid'
      set({ emailProblem })
      if (emailProblem === '') say({ ...token(), email })
    },
    writes: () => state.status !== 'None' && say({ ...token(), typing: true }),

    /** Sets whether the user is looking at the chat; if so, everything is marked as read. */
    show(shown: boolean): void {
      isShown = shown
      keep({ ...kept(), open: shown })
      set({ unread: count(state.messages), problem: '', emailProblem: '' })
    },
  }
}
