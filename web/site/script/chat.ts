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
  try {
    const kept = JSON.parse(localStorage.getItem('chat') ?? '{}') as { token?: string; open?: boolean }
    if (kept.open) load().then(({ openChat }) => openChat(link))
    else if (kept.token) load().then(({ listenForChat }) => listenForChat())
  } catch {
    // Nothing that can be read is kept.
  }
}
