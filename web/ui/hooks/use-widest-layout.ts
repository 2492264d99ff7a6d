import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** How far an element or its content overflows its container, px. */
const overflowOf = (box: HTMLElement): number =>
  Math.max(...[box, ...box.children].map((part) => part.scrollWidth - part.clientWidth))

/**
 * Picks the widest layout whose content fits its box. Layouts are numbered from the widest (0) to the narrowest (`count
 * - 1`), which is never measured and must always fit. This works for values of any length and any window size.
 */
export function useWidestLayout<T extends HTMLElement>(count: number): { box: RefObject<T | null>; layout: number } {
  const box = useRef<T>(null)
  const [layout, setLayout] = useState(0)
  const shown = useRef(layout)
  /** The measured width of each layout that didn't fit. */
  const needed = useRef<number[]>([])

  const choose = useCallback(() => {
    if (!box.current) return
    const { clientWidth } = box.current
    const roomiest = () => {
      for (let one = 0; one < count - 1; one++) if ((needed.current[one] ?? 0) <= clientWidth) return one
      return count - 1
    }
    let next = roomiest()
    const over = next === shown.current && next < count - 1 ? overflowOf(box.current) : 0
    if (over > 0) {
      needed.current[next] = clientWidth + over
      next = roomiest()
    }
    shown.current = next
    setLayout(next)
  }, [count])

  // Runs after every render, since each may bring longer values.
  useLayoutEffect(choose)
  useEffect(() => {
    if (!box.current) return
    const observer = new ResizeObserver(choose)
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [choose])

  return { box, layout }
}
