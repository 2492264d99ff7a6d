/** The phone's panel covers the page: it closes when the focus leaves it, and gives the focus back when it closes. */
export function watchPhoneMenu(): void {
  const panel = document.querySelector<HTMLElement>('[data-phone-menu]')
  panel?.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !panel.contains(relatedTarget as Node)) panel.hidePopover()
  })
  panel?.addEventListener('toggle', ({ newState }) => {
    // A panel that lay over it has taken the place that the browser would go back to.
    if (newState === 'closed' && document.activeElement === document.body) {
      document.querySelector<HTMLElement>(`[popovertarget="${panel.id}"]`)?.focus()
    }
  })
}
