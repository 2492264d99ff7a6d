import type { Page } from '@playwright/test'

/**
 * Watches in the page for an element with this role and text, so that a busy runner can neither miss it nor measure its
 * time wrongly. Start it before the element appears.
 */
export async function watchFor(page: Page, role: 'alert' | 'status', words: string) {
  const watch = await page.evaluateHandle(
    ([wantedRole, wantedText]) => {
      const { promise: text, resolve: appear } = Promise.withResolvers<string>()
      const { promise: shownMs, resolve: disappear } = Promise.withResolvers<number>()
      let since: number | undefined
      const observer = new MutationObserver(() => {
        const found = [...document.querySelectorAll(`[role="${wantedRole}"]`)].find(
          (one) => one.checkVisibility() && one.textContent?.includes(wantedText),
        )
        if (found && since === undefined) {
          since = performance.now()
          appear(found.textContent ?? '')
        } else if (!found && since !== undefined) {
          observer.disconnect()
          disappear(performance.now() - since)
        }
      })
      observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true })
      return { text, shownMs }
    },
    [role, words] as const,
  )
  return {
    /** Waits for the element; returns its text at that time. */
    text: () => watch.evaluate(({ text }) => text),
    /** Waits until it's gone; returns how long it was visible. */
    shownMs: () => watch.evaluate(({ shownMs }) => shownMs),
  }
}
