import { fileURLToPath } from 'node:url'
import { reactRouter } from '@react-router/dev/vite'
import { defineConfig, type Plugin } from 'vite'
import { islandStyles } from './scripts/still-pages.ts'

/** Where `react-router dev` sends API calls and the stream: the server of `npm start`. */
const SERVER = 'http://localhost:3000'

/** Rooms are entered through index.ts; a screen must still get only the parts that it uses. */
const treeshake = {
  moduleSideEffects: [
    { test: /\.css(\?|$)/, sideEffects: true },
    { test: /\/(web\/(ui|api|auth|chat|site|trader)|contract|kernel)\/.*\.tsx?$/, sideEffects: false },
  ],
}

/**
 * What every screen of the app needs, in one file: it compresses better than many. Nothing that brings a style sheet along:
 * the public pages would get its rules too.
 */
const CORE = new RegExp(
  [
    'node_modules/(react|react-dom|react-router|scheduler|zustand)/',
    'lucide-react/dist/esm/(?!icons/)',
    'preload-helper',
    'kernel/money',
    'contract/(site|terms)\\.ts',
    'web/ui/(cx|constants|figure)\\.ts',
    'web/api/(auth-redirect|browser|client|start-up|step-up|store|stream|upload|use-request)\\.ts',
  ].join('|'),
)

/** What loads a screen's code: ours, where React Router imports its own. */
function ownRouteModules(): Plugin {
  const own = fileURLToPath(new URL('web/app/load-route-module.ts', import.meta.url))
  let isInPlace = false
  return {
    name: 'own-route-modules',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.endsWith('/routeModules.js') || !importer?.includes('/react-router/dist/')) return null
      isInPlace = true
      return own
    },
    buildEnd(error) {
      if (!error && !isInPlace)
        this.error('React Router loads its screens from another file now: see web/app/load-route-module.ts')
    },
  }
}

export default defineConfig({
  plugins: [ownRouteModules(), reactRouter()],
  worker: { format: 'es', rolldownOptions: { treeshake }, plugins: () => [islandStyles()] },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    // Data URIs would ask for exceptions in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      treeshake,
      output: {
        codeSplitting: { groups: [{ name: 'core', test: CORE }] },
      },
    },
  },
  server: { proxy: { '/api': { target: SERVER, ws: true }, '/mailbox': SERVER } },
})
