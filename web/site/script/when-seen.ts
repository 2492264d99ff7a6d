/** What lies further down is loaded when somebody comes near it. */
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
