/** The build that this page came with: the address of its manifest, whose name carries a hash. */
const own = (): string | undefined => (window as { __reactRouterManifest?: { url: string } }).__reactRouterManifest?.url

/** The build that the server serves now; `undefined` where it does not answer. */
export async function servedBuild(): Promise<string | undefined> {
  try {
    const answer = await fetch(window.location.href, { cache: 'no-store', headers: { accept: 'text/html' } })
    return /\/assets\/manifest-[\w-]+\.js/.exec(await answer.text())?.[0]
  } catch {
    return undefined
  }
}

const TAKEN = 'build-taken'

/** Loads the page anew where the server serves another build than this page's, but once for each build. */
export function takeNewBuild(served: string | undefined): boolean {
  if (served === undefined || served === own() || sessionStorage.getItem(TAKEN) === served) return false
  sessionStorage.setItem(TAKEN, served)
  window.location.reload()
  return true
}
