import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Route {
  imports: string[]
}

/**
 * Removes each screen's list of imports from the app's route manifest. Only pages that prefetch routes need it, and
 * ours don't. The manifest is read before the first render, and these lists were half of it. The root's list stays,
 * because its page names those files too.
 */
export function slimManifest(folder: string): void {
  const assets = join(folder, 'assets')
  const name = readdirSync(assets).find((file) => /^manifest-[\w-]+\.js$/.test(file))
  if (name === undefined) throw new Error('the build has no route manifest')
  const [, before, json, after] =
    /^(window\.\w+=)(\{.*\})(;?\s*)$/s.exec(readFileSync(join(assets, name), 'utf8')) ?? []
  if (json === undefined) throw new Error(`${name} has an unknown format`)
  const manifest = JSON.parse(json) as { routes: Record<string, Route> }
  for (const [id, route] of Object.entries(manifest.routes)) if (id !== 'root') route.imports = []
  writeFileSync(join(assets, name), `${before}${JSON.stringify(manifest)}${after}`)
}
