import { useEffect, useRef, useState } from 'react'
import { useCloseOnBack } from '#web/ui/index.ts'

/**
 * The chart and the order alone, with the browser's full screen where it has one. Leaving that, Escape and Back end it.
 */
export function useFullScreen() {
  const [is, setFull] = useState(false)
  /** The browser shows it full; once left here, what it reports late is of before. */
  const isShownFull = useRef(false)
  const leave = () => {
    isShownFull.current = false
    setFull(false)
    if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined)
  }
  useCloseOnBack(is, leave)
  useEffect(() => {
    if (!is) return
    const onChange = () => {
      if (!document.fullscreenElement && isShownFull.current) setFull(false)
      isShownFull.current = document.fullscreenElement !== null
    }
    const onKeyDown = (event: KeyboardEvent) => {
      const isInDialog = document.querySelector('dialog[open], [popover]:popover-open') !== null
      if (event.key === 'Escape' && !event.defaultPrevented && !isInDialog) leave()
    }
    document.addEventListener('fullscreenchange', onChange)
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('fullscreenchange', onChange)
      document.removeEventListener('keydown', onKeyDown)
    }
  })
  const enter = () => {
    setFull(true)
    // Phones without it, and browsers that refuse: the screen's own form is enough.
    void document.documentElement.requestFullscreen?.().catch(() => undefined)
  }
  return { is, toggle: is ? leave : enter }
}
