import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { must } from '#kernel/must.ts'
import { ContactForm } from '#web/site/index.ts'
import { released } from './released.ts'

/** Replaces the static contact form with the interactive one, keeping what was typed and the focused field. */
export async function takeOverForm(drawn: HTMLFormElement): Promise<HTMLFormElement> {
  await released(drawn)
  const place = must(drawn.parentElement)
  const typed = Object.fromEntries(new FormData(drawn)) as Record<string, string>
  const active = drawn.contains(document.activeElement) ? (document.activeElement as HTMLInputElement) : undefined
  const selection = active && 'selectionStart' in active ? active.selectionEnd : null
  drawn.remove()
  flushSync(() => createRoot(place).render(<ContactForm typed={typed} />))
  const form = must(place.querySelector('form'))
  const field = active && (form.elements.namedItem(active.name) as HTMLInputElement | null)
  if (active && !field) form.querySelector<HTMLElement>('[type="submit"]')?.focus()
  field?.focus({ preventScroll: true })
  // E-mail fields don't support selections.
  if (field && selection !== null) field.setSelectionRange(selection, selection)
  return form
}
