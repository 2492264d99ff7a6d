import { useEffect, useState } from 'react'
import { ANIMATION_MS } from '../constants.ts'

/** True while `open` and during the closing animation, so that the content stays while it fades out. */
export function useLingering(open: boolean): boolean {
  const [lingers, setLingers] = useState(open)
  useEffect(() => {
    if (open) {
      setLingers(true)
      return
    }
    const timer = setTimeout(() => setLingers(false), ANIMATION_MS)
    return () => clearTimeout(timer)
  }, [open])
  return open || lingers
}
