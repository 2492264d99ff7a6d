import { type Islands, whenNear } from './islands.ts'

/**
 * Opens the chat panel, or the operator's external chat. If the visitor has chatted before, listens on every page so
 * that no answer is missed.
 */
export function watchChat(load: Islands['chat']): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-chat]')
  if (!link) return
  const other = link.dataset.chatUrl
  if (other) {
    link.href = other
    link.target = '_blank'
    link.rel = 'noopener'
    return
  }
  whenNear(link, () => void load().catch(() => undefined))
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    load().then(
      ({ openChat }) => openChat(link),
      () => location.assign(link.href),
    )
  })
  const { token, open } = kept()
  if (!open && !token) return
  load().then(
    (chat) => (open ? chat.openChat(link, false) : chat.listenForChat()),
    () => undefined,
  )
}

/** Returns this browser's stored conversation (web/chat). */
function kept(): { token?: string; open?: boolean } {
  try {
    return JSON.parse(localStorage.getItem('chat') ?? '{}')
  } catch {
    return {}
  }
}
