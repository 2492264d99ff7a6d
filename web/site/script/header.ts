import { HEADER_OPAQUE_AT_PX } from '#web/ui/index.ts'

/** Turns the header opaque at a scroll offset of 100 px. */
export function watchHeader(): void {
  const header = document.querySelector('[data-header]')
  const onScroll = () => header?.toggleAttribute('data-opaque', window.scrollY >= HEADER_OPAQUE_AT_PX)
  onScroll()
  window.addEventListener('scroll', onScroll, { passive: true })
}
