/** Runs a function when its element is about to scroll into view. */
export function whenSeen(element: Element | null, run: () => void): void {
  if (!element) return
  const observer = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return
      observer.disconnect()
      run()
    },
    { rootMargin: '100px' },
  )
  observer.observe(element)
}
