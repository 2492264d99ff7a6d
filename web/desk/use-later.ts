import { useEffect, useState } from 'react'

/** A value once it has rested for so many milliseconds: not each letter asks the server. */
export function useLater<T>(value: T, afterMs: number): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return later
}
