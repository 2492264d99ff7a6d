import { useEffect, useState } from 'react'

/** The time, Unix ms, anew every so many milliseconds: for words such as 'waits 3 h'. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
