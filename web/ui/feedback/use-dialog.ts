import { type SyntheticEvent, useEffect, useEffectEvent, useRef } from 'react'

/** Closes what is open, topmost last. */
const closers: (() => void)[] = []

/**
 * Closes an open dialog, sheet, menu or popover on Back. Nothing is added to the history: the browser asks before it
 * moves. It doesn't ask after a page load, before a different site, or if it lacks the Navigation API.
 */
export function useCloseOnBack(open: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (!open) return
    const closer = () => close()
    closers.push(closer)
    return () => void closers.splice(closers.indexOf(closer), 1)
  }, [open])
}

globalThis.navigation?.addEventListener('navigate', (event) => {
  const close = closers.at(-1)
  if (!close || event.navigationType !== 'traverse' || !event.cancelable) return
  event.preventDefault()
  close()
})

/** Opens and closes a native dialog, which closes on Escape, on Back and by a click on the backdrop. */
export function useDialog(open: boolean, onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  useCloseOnBack(open, onClose)
  useEffect(() => {
    if (open && !ref.current?.open) ref.current?.showModal()
    if (!open && ref.current?.open) ref.current.close()
  }, [open])
  const onClick = (event: SyntheticEvent) => {
    if (event.target === event.currentTarget) onClose()
  }
  const onCancel = (event: SyntheticEvent) => {
    if (event.target === event.currentTarget) event.preventDefault()
    onClick(event)
  }
  return { ref, onClick, onCancel }
}
