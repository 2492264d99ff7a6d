import { type Islands, whenNear } from './islands.ts'

/**
 * Live Chat opens the panel; where the operator has another chat it leads there. Who has spoken with the desk already
 * hears it on every page, so that an answer is not missed.
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

/** What this browser keeps of its conversation (web/chat). */
function kept(): { token?: string; open?: boolean } {
  try {
    return JSON.parse(localStorage.getItem('chat') ?? '{}')
  } catch {
    return {}
  }
}
