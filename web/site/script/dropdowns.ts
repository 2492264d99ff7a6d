import { must } from '#kernel/must.ts'

/** Keeps the list open if the mouse leaves it briefly on its way to an entry. */
const LEAVE_MS = 180

/** Adds hover, Escape, arrow keys and closing to the header's dropdowns, which open natively on click. */
export function watchDropdowns(): void {
  const groups = [...document.querySelectorAll<HTMLDetailsElement>('[data-dropdown]')]
  for (const group of groups) watch(group)
  document.addEventListener('click', ({ target }) => {
    for (const group of groups) if (!group.contains(target as Node)) group.open = false
  })
}

function watch(group: HTMLDetailsElement): void {
  const summary = must(group.querySelector('summary'))
  const links = [...group.querySelectorAll('a')]
  let leaving: ReturnType<typeof setTimeout> | undefined
  let hovered = false

  group.addEventListener('pointerenter', ({ pointerType }) => {
    if (pointerType !== 'mouse') return
    clearTimeout(leaving)
    hovered = !group.open || hovered
    group.open = true
  })
  group.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'mouse') return
    leaving = setTimeout(() => {
      hovered = false
      group.open = false
    }, LEAVE_MS)
  })
  // Don't let a click close what hovering has just opened.
  summary.addEventListener('click', (event) => {
    if (hovered && event.detail > 0) event.preventDefault()
    hovered = false
  })
  group.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !group.contains(relatedTarget as Node)) group.open = false
  })
  group.addEventListener('keydown', (event) => {
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape' && group.open) {
      group.open = false
      summary.focus()
    } else if (step) {
      event.preventDefault()
      group.open = true
      links[at < 0 ? (step > 0 ? 0 : links.length - 1) : (at + step + links.length) % links.length]?.focus()
    }
  })
}
