const GAP_PX = 8
/** Room kept for one toast at the bottom, even if a panel is as high as the window. */
const TOAST_PX = 96

/**
 * Ref for a panel that opens where toasts appear. While it is open, toasts move below it so that they don't cover its
 * buttons.
 */
export function keepToastsBelow(panel: HTMLElement | null) {
  if (!panel) return
  const root = document.documentElement.style
  const place = () => {
    const below = panel.getBoundingClientRect().bottom + GAP_PX
    root.setProperty('--toasts-top', `${Math.min(below, window.innerHeight - TOAST_PX)}px`)
  }
  // The panel is positioned within one frame; after that only its size changes.
  const frame = requestAnimationFrame(place)
  const observer = new ResizeObserver(place)
  observer.observe(panel)
  return () => {
    cancelAnimationFrame(frame)
    observer.disconnect()
    root.removeProperty('--toasts-top')
  }
}
