import { useEffect, useState } from 'react'

/**
 * Returns a value once it has been unchanged for this many milliseconds, so that not every key press triggers a
 * request.
 */
export function useLater<T>(value: T, afterMs: number): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return later
}
