interface Route {
  id: string
  /** Address of its code. */
  module: string
}

/** The code of a screen did not come: the server is out of reach, or serves another build by now. */
export class ScreenNotLoaded extends Error {
  override readonly name = 'ScreenNotLoaded'
}

/**
 * Takes the place of React Router's function of this name (`vite.config.ts` puts it there). That one loads the page anew
 * whenever a screen's code does not come, which never ends where it never comes and leaves nothing where the network is
 * gone. Here it is an error, and the error screen decides.
 */
export async function loadRouteModule(route: Route, loaded: Record<string, unknown>): Promise<unknown> {
  if (route.id in loaded) return loaded[route.id]
  try {
    loaded[route.id] = await import(/* @vite-ignore */ route.module)
  } catch (cause) {
    throw new ScreenNotLoaded(cause instanceof Error ? cause.message : String(cause), { cause })
  }
  return loaded[route.id]
}
