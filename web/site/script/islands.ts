import type { ProofKey } from '#contract/prices/proof.ts'

/** The parts of static pages that React renders; each is loaded when the visitor is about to use it. */
export interface Islands {
  login(): Promise<{ openLogin(): void }>
  contact(): Promise<{ takeOverForm(form: HTMLFormElement): Promise<HTMLFormElement> }>
  check(): Promise<{
    takeOverCheck(
      drawn: HTMLElement,
      keys: Promise<readonly ProofKey[] | undefined>,
    ): Promise<{ give(file: File): void }>
  }>
  chat(): Promise<{ openChat(from: HTMLElement, asked?: boolean): void; listenForChat(): void }>
}

/** Events that suggest the visitor is about to use an element. */
const NEAR = ['pointerenter', 'focusin', 'touchstart'] as const

export function watchIslands(islands: Islands, signedIn: boolean): void {
  if (!signedIn) {
    for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-login]')) {
      whenNear(link, () => void islands.login().catch(() => undefined))
      link.addEventListener('click', (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        islands.login().then(
          ({ openLogin }) => openLogin(),
          // If the dialog can't be loaded, the sign-in screen may still work.
          () => location.assign(link.href),
        )
      })
    }
  }
  const form = document.querySelector<HTMLFormElement>('[data-contact-form]')
  if (form) watchForm(form, islands.contact)
}

export function whenNear(element: Element, load: () => void): void {
  for (const sign of NEAR) element.addEventListener(sign, load, { once: true, passive: true })
}

/** The form is rendered at build time; the first interaction hands it over to React, with what was typed so far. */
function watchForm(form: HTMLFormElement, load: Islands['contact']): void {
  let taken: Promise<HTMLFormElement> | undefined
  const take = () => {
    taken ??= load().then(({ takeOverForm }) => takeOverForm(form))
    return taken
  }
  whenNear(form, () => void take().catch(() => undefined))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    take().then(
      (live) => live.requestSubmit(),
      () => undefined,
    )
  })
}
