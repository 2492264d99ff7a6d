/** The phone's panel covers the page, so it closes when the focus leaves it: nobody types behind it. */
export function watchPhoneMenu(): void {
  const panel = document.querySelector<HTMLElement>('[data-phone-menu]')
  panel?.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !panel.contains(relatedTarget as Node)) panel.hidePopover()
  })
}
