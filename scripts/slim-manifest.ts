import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Route {
  imports: string[]
}

/**
 * Takes out of the app's table of routes which files each screen's code imports: only a page that fetches places ahead of
 * a visit asks for that, and none of ours does. The table is read before anything is drawn, and half of it was this. The
 * root's stays, since its page names those files too.
 */
export function slimManifest(folder: string): void {
  const assets = join(folder, 'assets')
  const name = readdirSync(assets).find((file) => /^manifest-[\w-]+\.js$/.test(file))
  if (name === undefined) throw new Error('the build has no table of routes')
  const [, before, json, after] =
    /^(window\.\w+=)(\{.*\})(;?\s*)$/s.exec(readFileSync(join(assets, name), 'utf8')) ?? []
  if (json === undefined) throw new Error(`${name} is written in another way than it was`)
  const manifest = JSON.parse(json) as { routes: Record<string, Route> }
  for (const [id, route] of Object.entries(manifest.routes)) if (id !== 'root') route.imports = []
  writeFileSync(join(assets, name), `${before}${JSON.stringify(manifest)}${after}`)
}
