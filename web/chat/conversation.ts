import type { ChatMessage, ChatNews, ChatSaying } from '#contract/chat.ts'

export interface ConversationState {
  /** Whether the desk hears us at the moment. */
  connected: boolean
  /** Whether it has told how things stand. */
  known: boolean
  desk: ChatNews['desk']
  status: ChatNews['status']
  operator: string | null
  /** Above 0 while the operator writes; another number each time that is heard. */
  typing: number
  email: string | null
  messages: readonly ChatMessage[]
  /** Said here, and not yet heard of from the desk. */
  waiting: readonly string[]
  /** The desk's messages that were not read yet. */
  unread: number
  /** Why the last words were not taken. */
  problem: string
}

/** What a browser keeps of its conversation. Numbers of messages only grow, whoever's they are. */
export interface Kept {
  /** A visitor's. */
  token?: string
  /** The newest message that was seen. */
  read?: number
  /** The panel was open when the page was left. */
  open?: boolean
}

export interface ConversationParts {
  say(saying: Omit<ChatSaying, 'op'>): boolean
  kept(): Kept
  keep(kept: Kept): void
  isTrader(): boolean
}

/** The socket takes no larger message. */
const MAX_BYTES = 4_000
const MAX_CHARACTERS = 4_000

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
  problem: '',
}

/** One browser's side of a conversation: what was said, what waits to be heard, what was not read. */
export function createConversation({ say, kept, keep, isTrader }: ConversationParts) {
  let state = NOTHING
  let isShown = false
  let trader = isTrader()
  /** After a new connection the history decides what of ours was heard; until it is there nothing is said again. */
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
  const newest = (messages: readonly ChatMessage[]) => Math.max(0, ...messages.map(({ id }) => Number(id)))

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
      // Another person's words are not shown to the next.
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
      // The conversation that was kept is not known any more: what is said next begins another.
      if (news.status === 'None' && kept().token !== undefined && !trader) {
        const { token: _, ...rest } = kept()
        keep(rest)
      }
      const known = new Map(state.messages.map((message) => [message.id, message]))
      const added = news.messages.filter(({ id }) => !known.has(id))
      for (const message of added) known.set(message.id, message)
      const messages = [...known.values()].sort((one, other) => Number(one.id) - Number(other.id))
      const waiting = [...state.waiting]
      for (const { from, text, id } of added) {
        const at = from === 'you' && Number(id) > newestBefore ? waiting.indexOf(text) : -1
        if (at >= 0) waiting.splice(at, 1)
      }
      const answered = added.some(({ from }) => from === 'desk')
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
    refused(problem: string): void {
      set({ problem, waiting: state.waiting.slice(0, -1) })
    },
    stopTyping: () => set({ typing: 0 }),

    /** Says something; false where it cannot be said at all. */
    speak(unchecked: string): boolean {
      const text = unchecked.trim().toWellFormed()
      if (text === '') return false
      const bytes = new TextEncoder().encode(JSON.stringify(text)).length
      if (text.length > MAX_CHARACTERS || bytes > MAX_BYTES) {
        set({ problem: 'This is too long for one message. Please send it in parts.' })
        return false
      }
      set({ problem: '', waiting: [...state.waiting, text] })
      if (state.known && !isCatchingUp) say({ ...token(), text })
      return true
    },
    leaveEmail: (email: string) => say({ ...token(), email }),
    writes: () => state.status !== 'None' && say({ ...token(), typing: true }),

    /** Whether somebody looks at it: then everything is read. */
    show(shown: boolean): void {
      isShown = shown
      keep({ ...kept(), open: shown })
      set({ unread: count(state.messages), problem: '' })
    },
  }
}

export type Conversation = ReturnType<typeof createConversation>
