import { stream, useStore } from '#web/api/index.ts'
import { createConversation, type Kept } from './conversation.ts'

/** The key in the browser's storage; the script of still pages looks whether it is there. */
const KEY = 'chat'

const kept = (): Kept => {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Kept
  } catch {
    return {}
  }
}

/** This browser's conversation, joined to its stream and storage. */
export const conversation = createConversation({
  say: stream.say,
  kept,
  keep(next) {
    try {
      localStorage.setItem(KEY, JSON.stringify(next))
    } catch {
      // Without storage the conversation lasts as long as the page.
    }
  },
  isTrader: () => useStore.getState().auth.tokens !== null,
})

let started = false
/** Begins to listen; from then on until the page is left. */
export function startChat(): void {
  if (started) return
  started = true
  stream.onChat(conversation)
}
