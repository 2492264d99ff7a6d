/**
 * Shows what operators say on every screen, or takes it away. The server puts it into each page (`pages.ts`), outside of
 * what React renders; this keeps an open page up to date.
 */
export function showMaintenance(text: string | undefined): void {
  const shown = document.querySelector<HTMLElement>('[data-maintenance]')
  if (text === undefined) {
    shown?.remove()
    return
  }
  const place = shown ?? document.createElement('p')
  if (!shown) {
    place.dataset.maintenance = ''
    place.role = 'status'
    document.body.prepend(place)
  }
  if (place.textContent !== text) place.textContent = text
}
