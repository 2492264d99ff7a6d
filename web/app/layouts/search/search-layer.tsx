import { lazy, useLayoutEffect } from 'react'
import { openSearch, useOpenSearch } from '#web/markets/index.ts'
import { areKeysOn, isKeyboardBusy, Loaded, takesText } from '#web/ui/index.ts'

const SearchOverPages = lazy(() => import('./search-over-pages.tsx'))

/** The search, loaded when it's first opened. `/` opens it on every screen of the user area. */
export function SearchLayer() {
  const { tab } = useOpenSearch()
  useLayoutEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== '/' || event.defaultPrevented || event.isComposing) return
      if (event.ctrlKey || event.metaKey || event.altKey || !areKeysOn()) return
      if (takesText(document.activeElement) || isKeyboardBusy()) return
      event.preventDefault()
      openSearch()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <Loaded when={tab !== undefined}>
      <SearchOverPages />
    </Loaded>
  )
}
