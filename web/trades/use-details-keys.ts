import { type RefObject, useEffectEvent, useLayoutEffect } from 'react'

interface Keys {
  onStep: (by: 1 | -1) => void
  onProof: () => void
}

/** Returns what is before or after this one in a list; nothing at its ends, or if it isn't in the list. */
export function neighbour(list: readonly string[], id: string | undefined, by: 1 | -1): string | undefined {
  const at = id === undefined ? -1 : list.indexOf(id)
  return at < 0 ? undefined : list[at + by]
}

/** Up and Down step through the list, P opens the proof. Fields keep their keys, and so does a dialog over the details. */
export function useDetailsKeys(isOpen: boolean, content: RefObject<HTMLElement | null>, keys: Keys): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as Element
    // A button that was removed or disabled under the focus leaves it to the page.
    const dialog = target.closest('dialog') ?? [...document.querySelectorAll('dialog[open]')].at(-1)
    if (dialog !== content.current?.closest('dialog') || target.matches('input, select, textarea')) return
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined
    if (step === undefined && event.key.toLowerCase() !== 'p') return
    event.preventDefault()
    if (step) keys.onStep(step)
    else keys.onProof()
  })
  useLayoutEffect(() => {
    if (!isOpen) return
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isOpen])
}
