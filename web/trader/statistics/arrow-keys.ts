import type { KeyboardEvent } from 'react'

/** Moves the focus among the links of a group, which is one stop of the tab key. Links other than the first have no stop. */
export function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const to = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: links.length - 1,
  }[event.key]
  if (to === undefined || at < 0) return
  event.preventDefault()
  links[Math.max(0, Math.min(links.length - 1, to))]?.focus()
}
