const GAP_PX = 8
/** A panel may be as high as the window; then one toast still stands at its foot. */
const TOAST_PX = 96

/**
 * The ref of a panel that opens where toasts stand: while it is there they stand below it, so that none lies over what
 * one wants to press next.
 */
export function keepToastsBelow(panel: HTMLElement | null) {
  if (!panel) return
  const root = document.documentElement.style
  const place = () => {
    const below = panel.getBoundingClientRect().bottom + GAP_PX
    root.setProperty('--toasts-top', `${Math.min(below, window.innerHeight - TOAST_PX)}px`)
  }
  // The panel finds its own place within a frame; from then on only its size changes.
  const frame = requestAnimationFrame(place)
  const observer = new ResizeObserver(place)
  observer.observe(panel)
  return () => {
    cancelAnimationFrame(frame)
    observer.disconnect()
    root.removeProperty('--toasts-top')
  }
}
