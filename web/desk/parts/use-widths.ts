import { useSyncExternalStore } from 'react'
import { MOBILE_MAX_PX } from '#web/ui/index.ts'

/** Returns a hook that says whether the window fits a media query. */
function widthHook(condition: string): () => boolean {
  const query = matchMedia(condition)
  const subscribe = (changed: () => void) => {
    query.addEventListener('change', changed)
    return () => query.removeEventListener('change', changed)
  }
  return () => useSyncExternalStore(subscribe, () => query.matches)
}

/** Whether there is only room for cards. */
export const useNarrow = widthHook(`(width <= ${MOBILE_MAX_PX}px)`)

/** Whether the start has its wide column (`start.module.css`). */
export const useWide = widthHook('(width >= 1600px)')
