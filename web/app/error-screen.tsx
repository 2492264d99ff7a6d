import { useEffect, useState } from 'react'
import { isRouteErrorResponse, Link } from 'react-router'
import { Button, MESSAGES, titled } from '#web/ui/index.ts'
import styles from './error-screen.module.css'
import { HOME } from './layouts/places.ts'
import { ScreenNotLoaded } from './load-route-module.ts'
import { servedBuild, takeNewBuild } from './new-build.ts'

/** What is left when something went wrong that nobody expected: what it was, and the ways on. */
export function ErrorScreen({ error }: { error: unknown }) {
  const isNotLoaded = error instanceof ScreenNotLoaded
  const [state, setState] = useState<'looking' | 'said' | 'asking' | 'gone'>(isNotLoaded ? 'looking' : 'said')

  // A screen whose code is gone may be there under another name: a new build is taken by itself, once.
  useEffect(() => {
    if (!isNotLoaded) return
    void servedBuild().then((build) => {
      if (!takeNewBuild(build)) setState('said')
    })
  }, [isNotLoaded])

  /** Loads the page anew, but only from a server that answers: otherwise the browser's own page would stand here. */
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
              ? 'The server cannot be reached. Open trades go on and settle by themselves.'
              : 'The code of this screen could not be loaded.'}
          </p>
          <Button onClick={tryAgain} loading={state === 'asking'}>
            Try again
          </Button>
        </div>
      )}
      <p>
        <Link to={HOME}>Back to trading</Link> or <a href="/">to the start page</a>
      </p>
    </main>
  )
}

function detailsOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`
  return error instanceof Error ? error.message : MESSAGES.somethingWentWrong
}
