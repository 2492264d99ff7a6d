interface Route {
  id: string
  /** URL of the route's code. */
  module: string
}

/** A screen's code could not be loaded: the server is unreachable, or now serves another build. */
export class ScreenNotLoaded extends Error {
  override readonly name = 'ScreenNotLoaded'
}

/**
 * Replaces React Router's function of the same name (`vite.config.ts` swaps it in). The original reloads the page
 * whenever a screen's code can't be loaded: an endless loop if it never can, and an empty page without a network. Here
 * it's an error, and the error screen decides.
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
