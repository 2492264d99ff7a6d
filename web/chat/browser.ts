import { stream, useStore } from '#web/api/index.ts'
import { createConversation, type Kept } from './conversation.ts'

/** The storage key; the script of static pages checks whether it exists. */
const KEY = 'chat'

const kept = (): Kept => {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Kept
  } catch {
    return {}
  }
}

/** This browser's conversation, connected to its stream and storage. */
export const conversation = createConversation({
  say: stream.say,
  kept,
  keep(next) {
    try {
      localStorage.setItem(KEY, JSON.stringify(next))
    } catch {
      // Without storage, the conversation lasts as long as the page.
    }
  },
  isTrader: () => useStore.getState().auth.tokens !== null,
})

let started = false
/** Starts listening, until the page is left. */
export function startChat(): void {
  if (started) return
  started = true
  stream.onChat(conversation)
}
