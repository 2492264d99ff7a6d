import type { MouseEvent } from 'react'
import { call } from '#web/api/index.ts'

const island = () => import('../islands/chat.tsx')

/** Opens the chat: ours, or where the operator has his. */
export async function openLiveChat(event: MouseEvent<HTMLElement>): Promise<void> {
  const from = event.currentTarget
  const other = await call('GET /public/installation').then(
    ({ data }) => data.chat_url,
    () => null,
  )
  if (other !== null) window.open(other, '_blank', 'noopener')
  else (await island()).openChat(from)
}

/** Hears the desk's answers without showing the chat, so that the menus can say that there are some. */
export const listenForChat = (): void => void island().then((chat) => chat.listenForChat())

/** Whether this browser has spoken with the desk before. */
export function hasChatted(): boolean {
  try {
    return localStorage.getItem('chat') !== null
  } catch {
    return false
  }
}
