import { useEffect, useState } from 'react'
import { isRouteErrorResponse, Link } from 'react-router'
import { Button, MESSAGES, titled } from '#web/ui/index.ts'
import styles from './error-screen.module.css'
import { HOME } from './layouts/menus/places.ts'
import { ScreenNotLoaded } from './load-route-module.ts'
import { servedBuild, takeNewBuild } from './new-build.ts'

/** The screen for unexpected errors: what happened, and how to continue. */
export function ErrorScreen({ error }: { error: unknown }) {
  const isNotLoaded = error instanceof ScreenNotLoaded
  const [state, setState] = useState<'looking' | 'said' | 'asking' | 'gone'>(isNotLoaded ? 'looking' : 'said')

  // A screen whose code is gone may exist under another name in a new build; load that automatically, once.
  useEffect(() => {
    if (!isNotLoaded) return
    void servedBuild().then((build) => {
      if (!takeNewBuild(build)) setState('said')
    })
  }, [isNotLoaded])

  /**
   * Reloads the page, but only if the server responds: otherwise the browser's own error page would replace this one.
   */
  async function tryAgain() {
    setState('asking')
    if ((await servedBuild()) === undefined) setState('gone')
    else window.location.reload()
  }

  if (state === 'looking') return null
  return (
    <main className={styles.screen}>
      <title>{titled('Unexpected Application Error!')}</title>
      <h1>Unexpected Application Error!</h1>
      <p className={styles.details}>{detailsOf(error)}</p>
      {isNotLoaded && (
        <div className={styles.again}>
          <p role="status">
            {state === 'gone'
              ? "We can't reach the server. Open trades keep running and settle as usual."
              : "We couldn't load this screen."}
          </p>
          <Button onClick={tryAgain} loading={state === 'asking'}>
            Try again
          </Button>
        </div>
      )}
      <p>
        <Link to={HOME}>Back to trading</Link> or <a href="/">to the home page</a>
      </p>
    </main>
  )
}

function detailsOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`
  return error instanceof Error ? error.message : MESSAGES.somethingWentWrong
}
