import { useEffect, useState } from 'react'

/** Returns the time, Unix ms, updated at this interval: for text such as 'waits 3 h'. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
