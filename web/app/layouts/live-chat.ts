import type { MouseEvent } from 'react'
import { call } from '#web/api/index.ts'

const island = () => import('../islands/chat.tsx')

/** Opens the chat: ours, or the operator's external one. */
export async function openLiveChat(event: MouseEvent<HTMLElement>): Promise<void> {
  const from = event.currentTarget
  const other = await call('GET /public/installation').then(
    ({ data }) => data.chat_url,
    () => null,
  )
  if (other !== null) window.open(other, '_blank', 'noopener')
  else (await island()).openChat(from)
}

/** Listens for the desk's replies without opening the chat, so that the menus can show a badge. */
export const listenForChat = (): void => void island().then((chat) => chat.listenForChat())

/** Whether this browser has chatted with the desk before. */
export function hasChatted(): boolean {
  try {
    return localStorage.getItem('chat') !== null
  } catch {
    return false
  }
}
