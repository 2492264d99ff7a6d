import { useLayoutEffect, useRef } from 'react'
import { takesText } from '#web/ui/index.ts'

/** Handles single-key shortcuts while no text field has the focus and no dialog is open. */
export function useKeys(keys: Record<string, () => unknown>): void {
  const latest = useRef(keys)
  // Both in the same step as what is shown, so that a fast key acts, and on what is in sight.
  useLayoutEffect(() => {
    latest.current = keys
  })
  useLayoutEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (takesText(event.target as Element) || document.querySelector('dialog[open]')) return
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined
      if (!act) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
