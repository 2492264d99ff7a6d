/** Returns this page's build: the URL of its manifest, whose name contains a hash. */
const own = (): string | undefined => (window as { __reactRouterManifest?: { url: string } }).__reactRouterManifest?.url

/** Returns the build that the server serves now; `undefined` if it doesn't respond. */
export async function servedBuild(): Promise<string | undefined> {
  try {
    const answer = await fetch(window.location.href, { cache: 'no-store', headers: { accept: 'text/html' } })
    return /\/assets\/manifest-[\w-]+\.js/.exec(await answer.text())?.[0]
  } catch {
    return undefined
  }
}

const TAKEN = 'build-taken'

/** Reloads the page if the server serves a different build, but only once per build. */
export function takeNewBuild(served: string | undefined): boolean {
  if (served === undefined || served === own() || sessionStorage.getItem(TAKEN) === served) return false
  sessionStorage.setItem(TAKEN, served)
  window.location.reload()
  return true
}
