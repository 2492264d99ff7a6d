/** The phone's panel covers the page: it closes when it loses the focus, and restores the focus when it closes. */
export function watchPhoneMenu(): void {
  const panel = document.querySelector<HTMLElement>('[data-phone-menu]')
  panel?.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !panel.contains(relatedTarget as Node)) panel.hidePopover()
  })
  panel?.addEventListener('toggle', ({ newState }) => {
    // A second panel on top has replaced the element to which the browser would return the focus.
    if (newState === 'closed' && document.activeElement === document.body) {
      document.querySelector<HTMLElement>(`[popovertarget="${panel.id}"]`)?.focus()
    }
  })
}
