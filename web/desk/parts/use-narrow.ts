import { useSyncExternalStore } from 'react'
import { MOBILE_MAX_PX } from '#web/ui/index.ts'

const query = matchMedia(`(width <= ${MOBILE_MAX_PX}px)`)
const subscribe = (changed: () => void) => {
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

/** Whether there is only room for cards. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
